"""The key generator `simple`: one key column, one partition column."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa
import pytest
from hoodoo_keygen_simple import SimpleKeyGenerator

from hoodoo.errors import DataError, OptionError
from hoodoo.record import KeyConfig
from hoodoo.testing import KeyGeneratorSuite


class TestSimple(KeyGeneratorSuite):
    plugin = "simple"


class TestStyled(KeyGeneratorSuite):
    plugin = "simple"
    config = KeyConfig(("id",), ("part",), hive_style=True, url_encode=True)


@pytest.mark.parametrize(
    ("table", "config"),
    [
        ("sample_table_cow__v6_simplekeygen_nonhivestyle_overwritetable", KeyConfig(("id",), ("byteField",))),
        ("sample_table_cow__v9_txns_simple_meta", KeyConfig(("txn_id",), ("region",), hive_style=True)),
        ("quickstart_trips_table_mor_avro__v6_trips_8i1u", KeyConfig(("uuid",), ("city",), hive_style=True)),
        ("mor6-by-0.15.0", KeyConfig(("id",), ("part",), hive_style=True)),
        ("mor9-parquet", KeyConfig(("id",), ("part",), hive_style=True)),
    ],
)
def test_keys_and_paths_of_real_tables(table: str, config: KeyConfig, real_rows: Callable[[str], pa.Table]) -> None:
    """The keys and paths made from the data columns are those that Hudi wrote into the meta columns."""
    rows = real_rows(table)
    generator = SimpleKeyGenerator()

    assert generator.record_keys(rows, config).to_pylist() == rows["_hoodie_record_key"].to_pylist()
    assert generator.partition_paths(rows, config).to_pylist() == rows["_hoodie_partition_path"].to_pylist()


def test_exactly_one_column_each() -> None:
    rows = pa.table({"a": [1], "b": [2]})
    generator = SimpleKeyGenerator()

    with pytest.raises(OptionError, match="use key generator 'complex'"):
        generator.record_keys(rows, KeyConfig(("a", "b"), ("b",)))
    with pytest.raises(OptionError, match="use key generator 'complex'"):
        generator.partition_paths(rows, KeyConfig(("a",), ("a", "b")))
    with pytest.raises(OptionError, match="use key generator 'non-partitioned'"):
        generator.partition_paths(rows, KeyConfig(("a",)))


def test_null_key_is_refused_and_null_partition_is_not() -> None:
    rows = pa.table({"a": pa.array([1, None]), "b": pa.array(["x", None])})
    config = KeyConfig(("a",), ("b",))

    with pytest.raises(DataError, match="record key column 'a' is null or empty"):
        SimpleKeyGenerator().record_keys(rows, config)
    assert SimpleKeyGenerator().partition_paths(rows, config).to_pylist() == ["x", "__HIVE_DEFAULT_PARTITION__"]


def test_a_partition_outside_the_table_is_refused() -> None:
    rows = pa.table({"a": [1], "b": ["../other"]})

    with pytest.raises(DataError, match=r"partition values of 'b' are not all folders inside the table \('../other'\)"):
        SimpleKeyGenerator().partition_paths(rows, KeyConfig(("a",), ("b",)))
