"""Record keys of one or several columns for a table without partitions."""

from __future__ import annotations

import pyarrow as pa
from attrs import evolve, frozen

from hoodoo.keys import composite_keys, key_qualifiers, partition_paths, plain_keys
from hoodoo.plugin import LoneKey, hookimpl
from hoodoo.record import KeyConfig

__version__ = "0.1.0"


@frozen
class NonPartitionedKeyGenerator:
    """Key generator NonpartitionedKeyGenerator of Hudi."""

    hudi_class = "org.apache.hudi.keygen.NonpartitionedKeyGenerator"
    makes_partitions = False
    lone_key = LoneKey.VALUE
    path_per_value = True

    def record_keys(self, rows: pa.Table, config: KeyConfig) -> pa.Array:
        """Return the text of a single record key column, or the named values of several."""
        several = len(config.record_key) > 1
        return composite_keys(rows, config) if several else plain_keys(rows, config, "non-partitioned")

    def partition_paths(self, rows: pa.Table, config: KeyConfig) -> pa.Array:
        """Return "", the root folder of the table, for each row."""
        return partition_paths(rows, evolve(config, partition_by=()))

    def key_qualifiers(self, rows: pa.Table, config: KeyConfig) -> pa.Array | None:
        """Return one text per row that distinguishes values with the same record key; None if no row needs it."""
        return key_qualifiers(rows, config)


@hookimpl
def hoodoo_keygen() -> type[NonPartitionedKeyGenerator]:
    """Return the class of the plugin."""
    return NonPartitionedKeyGenerator
