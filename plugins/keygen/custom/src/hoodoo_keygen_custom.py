"""Partition columns with kinds: `column:simple` uses the value as the folder, `column:timestamp` a formatted time."""

from __future__ import annotations

import pyarrow as pa
from attrs import frozen
from hoodoo_library_java_time import TimeOptions, timed_partition_paths

from hoodoo.keys import composite_keys, key_qualifiers, mixed_partition_paths, mixed_path_qualifiers, plain_keys
from hoodoo.plugin import hookimpl
from hoodoo.record import KeyConfig

__version__ = "0.1.0"


@frozen
class CustomKeyGenerator(TimeOptions):
    """Key generator CustomKeyGenerator of Hudi. The time options define the folders of columns of kind `timestamp`."""

    hudi_class = "org.apache.hudi.keygen.CustomKeyGenerator"
    takes_kinds = True

    def __attrs_post_init__(self) -> None:
        # values that are not supported are refused before any row is read
        if self.has_times:
            self.time_format()

    def record_keys(self, rows: pa.Table, config: KeyConfig) -> pa.Array:
        """Return the bare text of a single record key column, or the named values of several."""
        several = len(config.record_key) > 1
        return composite_keys(rows, config) if several else plain_keys(rows, config, "custom")

    def partition_paths(self, rows: pa.Table, config: KeyConfig) -> pa.Array:
        """Return paths with one part per partition column: its value (`simple`) or a formatted time (`timestamp`)."""
        return mixed_partition_paths(rows, config, self._timed)

    def key_qualifiers(self, rows: pa.Table, config: KeyConfig) -> pa.Array | None:
        """Return one text per row that distinguishes values with the same record key; None if no row needs it."""
        return key_qualifiers(rows, config)

    def path_qualifiers(self, rows: pa.Table, config: KeyConfig) -> pa.Array | None:
        """Return one text per row that distinguishes values with the same partition path; None if no row needs it.

        Times need none: several times intentionally share a path.
        """
        return mixed_path_qualifiers(rows, config)

    def _timed(self, rows: pa.Table, config: KeyConfig) -> pa.Array:
        return timed_partition_paths(rows, config, self.time_format(), "custom")


@hookimpl
def hoodoo_keygen() -> type[CustomKeyGenerator]:
    """Return the class of the key generator."""
    return CustomKeyGenerator
