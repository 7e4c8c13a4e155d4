"""One record key column as it is, and folders made of a time by a date pattern, such as yyyy/MM/dd."""

from __future__ import annotations

import pyarrow as pa
from attrs import frozen

from hoodoo.keys import TimeOptions, key_qualifiers, plain_keys, timed_partition_paths
from hoodoo.plugin import LoneKey, hookimpl
from hoodoo.record import KeyConfig

__version__ = "0.1.0"


@frozen
class TimestampKeyGenerator(TimeOptions):
    """Hudi's TimestampBasedKeyGenerator.

    Patterns are Joda's: `hh` is the 12-hour clock. A null is one unit after the epoch, so it lies in 1970.
    """

    hudi_class = "org.apache.hudi.keygen.TimestampBasedKeyGenerator"
    lone_key = LoneKey.VALUE

    def __attrs_post_init__(self) -> None:
        # options that cannot be honoured are refused before any row is looked at
        self.time_format()

    def record_keys(self, rows: pa.Table, config: KeyConfig) -> pa.Array:
        """The text of the record key column."""
        return plain_keys(rows, config, "timestamp")

    def partition_paths(self, rows: pa.Table, config: KeyConfig) -> pa.Array:
        """The time in the partition column, written by the output format."""
        return timed_partition_paths(rows, config, self.time_format(), "timestamp")

    def key_qualifiers(self, rows: pa.Table, config: KeyConfig) -> pa.Array | None:
        """Return the qualifiers of record keys."""
        return key_qualifiers(rows, config)


@hookimpl
def hoodoo_keygen() -> type[TimestampKeyGenerator]:
    """The class behind the name."""
    return TimestampKeyGenerator
