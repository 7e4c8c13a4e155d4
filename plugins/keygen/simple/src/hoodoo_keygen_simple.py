"""The value of one column as the record key, and the value of another one as the folder."""

from __future__ import annotations

import pyarrow as pa
from attrs import frozen

from hoodoo.keys import key_qualifiers, path_qualifiers, plain_keys, single_partition_paths
from hoodoo.plugin import LoneKey, hookimpl
from hoodoo.record import KeyConfig

__version__ = "0.1.0"


@frozen
class SimpleKeyGenerator:
    """Key generator SimpleKeyGenerator of Hudi.

    A null or empty key is refused; rows with a null or empty partition value have a separate folder.
    """

    hudi_class = "org.apache.hudi.keygen.SimpleKeyGenerator"
    lone_key = LoneKey.VALUE
    path_per_value = True

    def record_keys(self, rows: pa.Table, config: KeyConfig) -> pa.Array:
        """Return the text of the record key column."""
        return plain_keys(rows, config, "simple")

    def partition_paths(self, rows: pa.Table, config: KeyConfig) -> pa.Array:
        """Return the text of the partition column, in the style of `config`."""
        return single_partition_paths(rows, config, "simple")

    def key_qualifiers(self, rows: pa.Table, config: KeyConfig) -> pa.Array | None:
        """Return one text per row that distinguishes values with the same record key; None if no row needs it."""
        return key_qualifiers(rows, config)

    def path_qualifiers(self, rows: pa.Table, config: KeyConfig) -> pa.Array | None:
        """Return one text per row that distinguishes values with the same partition path; None if no row needs it."""
        return path_qualifiers(rows, config)


@hookimpl
def hoodoo_keygen() -> type[SimpleKeyGenerator]:
    """Return the class of the plugin."""
    return SimpleKeyGenerator
