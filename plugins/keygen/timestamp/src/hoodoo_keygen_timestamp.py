"""The value of one column as the record key, and folders made from a time by a date pattern, such as yyyy/MM/dd."""

from __future__ import annotations

import pyarrow as pa
from attrs import frozen
from hoodoo_library_java_time import TimeOptions, timed_partition_paths

from hoodoo.keys import key_qualifiers, plain_keys
from hoodoo.plugin import LoneKey, hookimpl
from hoodoo.record import KeyConfig

__version__ = "0.1.0"


@frozen
class TimestampKeyGenerator(TimeOptions):
    """Key generator TimestampBasedKeyGenerator of Hudi.

    Patterns are Joda's: `hh` is the 12-hour clock. Null is treated as one unit after the epoch, or as one millisecond
    after it in a column of texts. A row with null is therefore usually in a folder of 1970, or of 1969 in a time zone
    west of UTC.
    """

    hudi_class = "org.apache.hudi.keygen.TimestampBasedKeyGenerator"
    lone_key = LoneKey.VALUE

    def __attrs_post_init__(self) -> None:
        # values that are not supported are refused before any row is read
        self.time_format()

    def record_keys(self, rows: pa.Table, config: KeyConfig) -> pa.Array:
        """Return the text of the record key column."""
        return plain_keys(rows, config, "timestamp")

    def partition_paths(self, rows: pa.Table, config: KeyConfig) -> pa.Array:
        """Return the time in the partition column, written by the output format, in the style of `config`."""
        return timed_partition_paths(rows, config, self.time_format(), "timestamp")

    def key_qualifiers(self, rows: pa.Table, config: KeyConfig) -> pa.Array | None:
        """Return one text per row that distinguishes values with the same record key; None if no row needs it."""
        return key_qualifiers(rows, config)


@hookimpl
def hoodoo_keygen() -> type[TimestampKeyGenerator]:
    """Return the class of the key generator."""
    return TimestampKeyGenerator
