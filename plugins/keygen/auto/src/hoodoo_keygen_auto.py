"""Generated record keys of the form instant_inputPartition_row, for rows that have no key."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc
from attrs import frozen
from hoodoo_library_java_time import TimeOptions, timed_partition_paths

from hoodoo.keys import (
    PARTITION_BITS,
    mixed_partition_paths,
    mixed_path_qualifiers,
    partition_paths,
    path_qualifiers,
    positions,
)
from hoodoo.plugin import hookimpl
from hoodoo.record import KeyConfig

__version__ = "0.1.0"

_HUDI = "org.apache.hudi.keygen."


@frozen
class AutoKeyGenerator(TimeOptions):
    """Key generator AutoRecordGenWrapperKeyGenerator of Hudi, for tables without record key columns.

    A key consists of the instant of the write and the position of the row in the input: a task that runs again
    generates the same keys, and a repeated write generates other keys. Partition paths are those of the other key
    generators: of plain values, of kinds (`column:simple`, `column:timestamp`), or, if the time options are set, of
    the times in one column.
    """

    generates_keys = True

    @classmethod
    def stored_class(cls, config: KeyConfig) -> str:
        """Return the name of Hudi's class for the partition columns: Hudi stores no class for generated keys."""
        if not config.partition_by:
            return _HUDI + "NonpartitionedKeyGenerator"
        if any(":" in name for name in config.partition_by):
            return _HUDI + "CustomKeyGenerator"
        return _HUDI + ("SimpleKeyGenerator" if len(config.partition_by) == 1 else "ComplexKeyGenerator")

    def __attrs_post_init__(self) -> None:
        # values that are not supported are refused before any row is read
        if self.has_times:
            self.time_format()

    def record_keys(self, rows: pa.Table, config: KeyConfig) -> pa.Array:
        """Return the instant of the write, the number of the input partition and that of the row, joined by `_`."""
        numbers = positions(rows)
        partition, row = numbers >> PARTITION_BITS, numbers & ((1 << PARTITION_BITS) - 1)
        parts = [pa.array(values).cast(pa.string()) for values in (partition, row)]
        return pc.binary_join_element_wise(config.instant, *parts, "_")

    def partition_paths(self, rows: pa.Table, config: KeyConfig) -> pa.Array:
        """Return the paths of the key generator that fits the partition columns and the time options."""
        if any(":" in name for name in config.partition_by):
            return mixed_partition_paths(rows, config, self._timed)
        return self._timed(rows, config) if self.has_times else partition_paths(rows, config)

    def path_qualifiers(self, rows: pa.Table, config: KeyConfig) -> pa.Array | None:
        """Return one text per row that distinguishes values with the same partition path; None if no row needs it.

        Times need none: several times intentionally share a path.
        """
        if any(":" in name for name in config.partition_by):
            return mixed_path_qualifiers(rows, config)
        return None if self.has_times else path_qualifiers(rows, config)

    def _timed(self, rows: pa.Table, config: KeyConfig) -> pa.Array:
        return timed_partition_paths(rows, config, self.time_format(), "auto")


@hookimpl
def hoodoo_keygen() -> type[AutoKeyGenerator]:
    """Return the class of the key generator."""
    return AutoKeyGenerator
