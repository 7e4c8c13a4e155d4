"""The key generator `complex`: any number of key and partition columns."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa
import pytest
from hoodoo_keygen_complex import ComplexKeyGenerator

from hoodoo.record import KeyConfig
from hoodoo.testing import KeyGeneratorSuite


class TestComplex(KeyGeneratorSuite):
    plugin = "complex"
    config = KeyConfig(("id", "sub"), ("part", "place"))


class TestOneColumnEach(KeyGeneratorSuite):
    plugin = "complex"
    config = KeyConfig(("id",), ("part",), hive_style=True, slash_date=True, complex_encoding="value")


@pytest.mark.parametrize(
    ("table", "config"),
    [
        (
            "sample_table_cow__v6_complexkeygen_hivestyle",
            KeyConfig(("id", "name"), ("byteField", "shortField"), hive_style=True),
        ),
        (
            "sample_table_cow__v9_txns_complex_nometa",
            KeyConfig(("txn_id", "account_id"), ("region",), hive_style=True),
        ),
        ("mor6-complex-key-by-0.15.0", KeyConfig(("id", "s"), ("part", "v"))),
        ("mor9-complex-key", KeyConfig(("id", "s"), ("part", "v"))),
    ],
)
def test_keys_and_paths_of_real_tables(table: str, config: KeyConfig, real_rows: Callable[[str], pa.Table]) -> None:
    """The keys and paths made from the data columns are those that Hudi wrote into the meta columns."""
    rows = real_rows(table)
    generator = ComplexKeyGenerator()

    assert generator.record_keys(rows, config).to_pylist() == rows["_hoodie_record_key"].to_pylist()
    assert generator.partition_paths(rows, config).to_pylist() == rows["_hoodie_partition_path"].to_pylist()


@pytest.mark.parametrize(("encoding", "key"), [("field", "id:1"), ("value", "1")])
def test_a_single_field_has_two_encodings(encoding: str, key: str) -> None:
    config = KeyConfig(("id",), complex_encoding=encoding)

    assert ComplexKeyGenerator().record_keys(pa.table({"id": [1]}), config).to_pylist() == [key]


def test_parts_without_a_value() -> None:
    rows = pa.table({"a": ["x", "", None], "b": pa.array([None, 2, 3])})
    config = KeyConfig(("a", "b"), ("b", "a"))

    assert ComplexKeyGenerator().record_keys(rows, config).to_pylist() == [
        "a:x,b:__null__",
        "a:__empty__,b:2",
        "a:__null__,b:3",
    ]
    default = "__HIVE_DEFAULT_PARTITION__"
    assert ComplexKeyGenerator().partition_paths(rows, config).to_pylist() == [
        f"{default}/x",
        f"2/{default}",
        f"3/{default}",
    ]
