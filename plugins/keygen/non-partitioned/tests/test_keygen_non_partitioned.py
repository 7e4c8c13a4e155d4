"""The key generator `non-partitioned`: no partitions."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa
import pytest
from hoodoo_keygen_non_partitioned import NonPartitionedKeyGenerator

from hoodoo.errors import OptionError
from hoodoo.record import KeyConfig
from hoodoo.testing import KeyGeneratorSuite


class TestNonPartitioned(KeyGeneratorSuite):
    plugin = "non-partitioned"


class TestSeveralColumns(KeyGeneratorSuite):
    plugin = "non-partitioned"
    config = KeyConfig(("id", "sub"))


@pytest.mark.parametrize(
    ("table", "config"),
    [
        ("sample_table_cow__v6_nonpartitioned", KeyConfig(("id",))),
        ("sample_table_mor_avro__v9_nonpartitioned_rollback", KeyConfig(("txn_id",))),
        ("cow6-bloom-by-0.15.0", KeyConfig(("id",))),
        ("cow8-by-1.0.2", KeyConfig(("id",))),
        ("mor9-avro", KeyConfig(("id",))),
    ],
)
def test_keys_and_paths_of_real_tables(table: str, config: KeyConfig, real_rows: Callable[[str], pa.Table]) -> None:
    """The keys and paths made from the data columns are those that Hudi wrote into the meta columns."""
    rows = real_rows(table)
    generator = NonPartitionedKeyGenerator()

    assert generator.record_keys(rows, config).to_pylist() == rows["_hoodie_record_key"].to_pylist()
    assert generator.partition_paths(rows, config).to_pylist() == rows["_hoodie_partition_path"].to_pylist()


def test_several_columns_are_named_and_a_partition_column_is_ignored() -> None:
    rows = pa.table({"a": [1, 2], "b": ["x", None]})
    config = KeyConfig(("a", "b"), ("b",))

    assert NonPartitionedKeyGenerator().record_keys(rows, config).to_pylist() == ["a:1,b:x", "a:2,b:__null__"]
    assert NonPartitionedKeyGenerator().partition_paths(rows, config).to_pylist() == ["", ""]


def test_no_key_column() -> None:
    with pytest.raises(OptionError, match="no record key column is configured"):
        NonPartitionedKeyGenerator().record_keys(pa.table({"a": [1]}), KeyConfig())
