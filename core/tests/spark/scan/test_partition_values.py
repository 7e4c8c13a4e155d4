"""Values of partition columns that partition paths contain, and those that a path leaves open."""

from __future__ import annotations

from datetime import date

import pyarrow as pa
import pytest

from hoodoo.properties import TableProperties
from hoodoo.spark.scan.partition_values import PartitionPathReader

SCHEMA = pa.schema(
    [
        ("s", pa.string()),
        ("i", pa.int32()),
        ("l", pa.int64()),
        ("d", pa.date32()),
        ("f", pa.float64()),
        ("b", pa.bool_()),
    ]
)


def values(columns, path, hive_style=False, url_encode=False, keygen="org.apache.hudi.keygen.SimpleKeyGenerator"):
    properties = {
        "hoodie.table.partition.fields": columns,
        "hoodie.table.keygenerator.class": keygen,
        "hoodie.datasource.write.hive_style_partitioning": str(hive_style).lower(),
        "hoodie.datasource.write.partitionpath.urlencode": str(url_encode).lower(),
    }
    found = PartitionPathReader.of(TableProperties(properties), SCHEMA)
    return None if found is None else found.of_path(path)


@pytest.mark.parametrize(
    ("columns", "path", "expected"),
    [
        ("s", "x", ("x",)),
        ("s", "a b=c", ("a b=c",)),
        ("i", "-7", (-7,)),
        ("l", "1099511627776", (2**40,)),
        ("d", "2024-02-29", (date(2024, 2, 29),)),
        ("i", "__HIVE_DEFAULT_PARTITION__", (None,)),
        ("s,i", "x/7", ("x", 7)),
    ],
)
def test_values(columns, path, expected):
    assert values(columns, path) == expected
    names = columns.split(",")
    hive = "/".join(f"{name}={level}" for name, level in zip(names, path.split("/"), strict=True))
    assert values(columns, hive, hive_style=True) == expected


@pytest.mark.parametrize(
    ("columns", "path"),
    [
        ("s", "__HIVE_DEFAULT_PARTITION__"),  # null, or empty
        ("s", "default"),  # so were null and empty before Hudi 0.12
        ("s", "a%20b"),  # Spark would decode it
        ("s", "x/y"),
        ("i", "007"),
        ("i", "2147483648"),
        ("l", "9223372036854775808"),
        ("l", "1.5"),
        ("d", "19700"),
        ("d", "20240229"),
        ("f", "1.0"),
        ("b", "true"),
        ("missing", "x"),
        ("", ""),
    ],
)
def test_doubt(columns, path):
    assert values(columns, path) is None


def test_hive_style_names_must_be_those_of_the_columns():
    assert values("s", "x", hive_style=True) is None
    assert values("s", "S=x", hive_style=True) is None


def test_encoded_values():
    assert values("s", "a%2Fb%25", url_encode=True) == ("a/b%",)
    assert values("s", "%C3%A9", url_encode=True) is None
    assert values("s", "50%", url_encode=True) is None


@pytest.mark.parametrize(
    ("keygen", "known"),
    [
        ("SIMPLE", True),
        ("COMPLEX", True),
        ("org.apache.hudi.keygen.ComplexKeyGenerator", True),
        ("org.apache.hudi.keygen.TimestampBasedKeyGenerator", False),
        ("org.apache.hudi.keygen.CustomKeyGenerator", False),
        ("com.example.SimplestKeyGenerator", False),
        ("", False),
    ],
)
def test_only_generators_that_take_values_as_they_are(keygen, known):
    assert (values("s", "x", keygen=keygen) is not None) == known
