"""Comparison of decoded nulls with the null counts in the footer.

The header of a page has no checksum. A damaged one can make values null, record keys among them.
"""

from __future__ import annotations

from collections.abc import Collection

import pyarrow as pa
import pyarrow.parquet as pq
from attrs import define, field

__all__ = ["NullCounts"]


@define(eq=False)
class NullCounts:
    """Nulls of the flat columns of a file: those that the footer states, less those that were decoded.

    Attributes:
        left: Nulls that have not been decoded yet, by column; only columns whose chunks all have the statistic.
    """

    left: dict[str, int] = field(factory=dict)

    @classmethod
    def stated(cls, file: pq.ParquetFile, columns: Collection[str]) -> NullCounts:
        """Read the statistics of a file that `open_parquet` opened with these columns."""
        names, left = frozenset(columns), dict[str, int]()
        groups = list(map(file.metadata.row_group, range(file.metadata.num_row_groups)))
        for number, path in enumerate(file.reader.column_paths):
            if len(path) != 1 or path[0] not in names:
                continue
            counts = [_stated(group.column(number)) for group in groups]
            known = [count for count in counts if count is not None]
            if len(known) == len(counts):
                left[path[0]] = sum(known)
        return cls(left)

    def count(self, batch: pa.RecordBatch) -> None:
        """Count the nulls of a batch."""
        for name in self.left:
            self.left[name] -= batch.column(name).null_count

    def check(self) -> None:
        """Raise `pyarrow.ArrowInvalid` where a column has not had the nulls that the footer states."""
        for name, left in self.left.items():
            if left:
                more = f"{left} fewer" if left > 0 else f"{-left} more"
                raise pa.ArrowInvalid(f"column '{name}' has {more} nulls than its footer states")


def _stated(chunk: pq.ColumnChunkMetaData) -> int | None:
    statistics = chunk.statistics
    if statistics is None or not statistics.has_null_count:
        return None
    count: int = statistics.null_count
    return count
