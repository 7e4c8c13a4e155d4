"""Record keys of the form column:value, for deletes with a global index, which need no partition columns."""

from __future__ import annotations

import pyarrow as pa
from attrs import evolve, frozen

from hoodoo.keys import composite_keys, key_qualifiers, partition_paths
from hoodoo.plugin import LoneKey, hookimpl
from hoodoo.record import KeyConfig

__version__ = "0.1.0"


@frozen
class GlobalDeleteKeyGenerator:
    """Key generator GlobalDeleteKeyGenerator of Hudi. A key always contains column names: `id:1`, never `1`."""

    hudi_class = "org.apache.hudi.keygen.GlobalDeleteKeyGenerator"
    makes_partitions = False
    lone_key = LoneKey.NAMED

    def record_keys(self, rows: pa.Table, config: KeyConfig) -> pa.Array:
        """Return the named values of the record key columns."""
        return composite_keys(rows, evolve(config, complex_encoding="field"))

    def partition_paths(self, rows: pa.Table, config: KeyConfig) -> pa.Array:
        """Return "", the root folder of the table, for each row."""
        return partition_paths(rows, evolve(config, partition_by=()))

    def key_qualifiers(self, rows: pa.Table, config: KeyConfig) -> pa.Array | None:
        """Return one text per row that distinguishes values with the same record key; None if no row needs it."""
        return key_qualifiers(rows, config)


@hookimpl
def hoodoo_keygen() -> type[GlobalDeleteKeyGenerator]:
    """Return the class of the plugin."""
    return GlobalDeleteKeyGenerator
