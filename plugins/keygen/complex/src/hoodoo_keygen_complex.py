"""Record keys of the form column:value,column:value, and one folder level per partition column."""

from __future__ import annotations

import pyarrow as pa
from attrs import frozen

from hoodoo.keys import composite_keys, key_qualifiers, partition_paths, path_qualifiers
from hoodoo.plugin import LoneKey, hookimpl
from hoodoo.record import KeyConfig

__version__ = "0.1.0"


@frozen
class ComplexKeyGenerator:
    """Key generator ComplexKeyGenerator of Hudi.

    Null parts are `__null__`, empty ones `__empty__`; a key without other parts is refused. A key of a single column is
    written as `id:1` or `1`, depending on `complex_encoding`, because Hudi releases differ.
    """

    hudi_class = "org.apache.hudi.keygen.ComplexKeyGenerator"
    lone_key = LoneKey.BY_RELEASE
    path_per_value = True

    def record_keys(self, rows: pa.Table, config: KeyConfig) -> pa.Array:
        """Return the named values of the record key columns; a lone value is bare if `complex_encoding` is `value`."""
        return composite_keys(rows, config)

    def partition_paths(self, rows: pa.Table, config: KeyConfig) -> pa.Array:
        """Return the texts of the partition columns joined by `/`, in the style of `config`."""
        return partition_paths(rows, config)

    def key_qualifiers(self, rows: pa.Table, config: KeyConfig) -> pa.Array | None:
        """Return one text per row that distinguishes values with the same record key; None if no row needs it."""
        return key_qualifiers(rows, config)

    def path_qualifiers(self, rows: pa.Table, config: KeyConfig) -> pa.Array | None:
        """Return one text per row that distinguishes values with the same partition path; None if no row needs it."""
        return path_qualifiers(rows, config)


@hookimpl
def hoodoo_keygen() -> type[ComplexKeyGenerator]:
    """Return the class of the plugin."""
    return ComplexKeyGenerator
