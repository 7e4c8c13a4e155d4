"""Rows of a table as a reader returns them, in batches, with the columns that form keys and partition paths."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pyarrow as pa
from attrs import define, field

from hoodoo.diagnosis.table_state import TableState
from hoodoo.errors import PluginError, TableError, UnsupportedTable
from hoodoo.merge.required_columns import roots_of
from hoodoo.reading import Query, Split, plan
from hoodoo.schema.columns import one_array
from hoodoo.schema.meta_columns import PARTITION_PATH, RECORD_KEY
from hoodoo.table_rules.stored_keys import StoredKeys

__all__ = ["KeyBatch", "Progress", "TableRows"]

Progress = Callable[[str, int, int], None]
"""Function that receives the name of a step, the bytes of files that are done, and those of all files."""


@define
class KeyBatch:
    """Batch of rows of one file slice.

    Attributes:
        number: The index of the split in `TableRows.splits`.
        split: The split that has the rows.
        rows: The columns that were read.
        keys: The record key of each row; null if the table has no keys.
    """

    number: int
    split: Split
    rows: pa.Table
    keys: pa.Array


@define
class TableRows:
    """Rows of the current snapshot, or of its base files if the logs cannot be merged.

    Attributes:
        splits: The splits, largest first.
        keys: The columns with the record keys.
        most_rows: The number of rows to read of each split; None for all.
        unmerged: The reason why logs are not read; "" if they are.
        damaged: The splits that the last iteration could not read, with the errors.
        read_rows: The number of rows that were read by the last iteration.
        complete: The number of splits that were read to their end by the last iteration.
    """

    splits: tuple[Split, ...]
    keys: StoredKeys
    most_rows: int | None = None
    unmerged: str = ""
    damaged: list[tuple[Split, TableError]] = field(factory=list)
    read_rows: int = 0
    complete: int = 0

    @classmethod
    def of(cls, state: TableState, sample: int | None) -> TableRows:
        """Return the rows of a table, which `batches` reads.

        Args:
            state: The table.
            sample: The number of rows to read, spread evenly over the file slices; None for all.

        Raises:
            HoodooError: The table cannot be read.
        """
        properties = state.properties
        keys = StoredKeys.of_table(properties, state.catalogue)
        config = set(keys.columns) | {*properties.record_key, *properties.partition_by}
        wanted = roots_of(tuple(config), state.columns)
        meta = [RECORD_KEY, PARTITION_PATH] if properties.populate_meta_fields else []
        columns = [*meta, *(name for name in state.columns.names if name in wanted)]
        unmerged = ""
        try:
            planned = plan(state.storage, properties, state.timeline, Query(columns=columns))
        except (PluginError, UnsupportedTable) as error:
            if not any(s.logs for s in state.slices):
                raise
            unmerged = str(error)
            planned = plan(state.storage, properties, state.timeline, Query("read_optimized", columns))
        most = None if sample is None else max(1, -(-sample // max(1, len(planned.splits))))
        return cls(planned.splits, keys, most, unmerged)

    def batches(self, step: str, progress: Progress, numbers: frozenset[int] | None = None) -> Iterator[KeyBatch]:
        """Yield the rows of the splits, or of some of them.

        The rest of a split that cannot be read is left out, and the split is added to `damaged`.

        Args:
            step: The name of this step for the progress.
            progress: Function that receives the progress.
            numbers: The numbers of the splits to read; None for all.
        """
        self.read_rows = self.complete = 0
        self.damaged.clear()
        chosen = [number for number in range(len(self.splits)) if numbers is None or number in numbers]
        total, done = sum(self.splits[number].size for number in chosen), 0
        for number in chosen:
            progress(step, done, total)
            split = self.splits[number]
            try:
                yield from self._of_split(number, split)
            except TableError as error:
                self.damaged.append((split, error))
            done += split.size
        progress(step, total, total)

    def _of_split(self, number: int, split: Split) -> Iterator[KeyBatch]:
        left = self.most_rows
        where, file = f"file group '{split.file_id}'", split.path or split.file_slice.logs[0].path
        has_keys = bool(self.keys.columns)
        for batch in split.read():
            rows = pa.Table.from_batches([batch] if left is None else [batch.slice(0, left)])
            self.read_rows += rows.num_rows
            keys = self.keys.of(rows, where, file=file) if has_keys else pa.nulls(rows.num_rows, pa.string())
            yield KeyBatch(number, split, rows, one_array(keys))
            if left is not None:
                left -= rows.num_rows
                if left <= 0:
                    return
        self.complete += 1
