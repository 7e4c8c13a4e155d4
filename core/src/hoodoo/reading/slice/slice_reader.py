"""Reading of a file slice with logs: base rows are merged with the records of the logs, batch by batch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from hoodoo.filegroup import FileSlice
from hoodoo.format.base_files import read_base_file
from hoodoo.format.log import LogBlock
from hoodoo.merge import Rule
from hoodoo.reading.schema.stored_names import current_columns, stored_columns
from hoodoo.reading.slice.constant_columns import ConstantColumns
from hoodoo.reading.slice.log_merger import BATCH_ROWS, LogMerger
from hoodoo.reading.slice.merge_columns import LogMerge
from hoodoo.record import Source
from hoodoo.storage import Storage

__all__ = ["Watch", "merged_rows"]


class Watch(Protocol):
    """Observer of the merge of a slice. It must not change the result."""

    def rule(self, rule: Rule) -> Rule:
        """Return the rule to merge with: the given rule, or one that records its calls."""
        ...

    def logged(self, block: LogBlock, versions: Source, rows: NDArray[np.int64]) -> None:
        """Receive versions of a block before they are folded, in order of arrival, and their row numbers in it."""
        ...

    def stored(self, rows: pa.Table, keys: pa.Array) -> None:
        """Receive a batch of base rows, and their keys, before it is merged with the logs."""
        ...


def merged_rows(
    storage: Storage, file_slice: FileSlice, merge: LogMerge, watch: Watch | None = None
) -> Iterator[pa.Table]:
    """Yield the rows of a slice in batches, in the columns that the merge reads.

    For each batch of base rows, unchanged rows come first, in their order, then rows that a rule changed in part, or
    all changed rows if a log record lacks columns. At the end come the other log records that replace a base row or are
    new, in their own order.

    The records of the logs, one per key, and one batch of base rows are in memory at a time.

    Args:
        storage: The table's files.
        file_slice: The slice.
        merge: The parameters for merging its logs.
        watch: An optional observer.

    Raises:
        CorruptTableError: A file is damaged or missing.
        UnsupportedTable: A file or a log block needs a feature that hoodoo does not support.
        SchemaError: The values of a column in a file cannot be cast to its type in the table.
        PluginError: The merge rule or a delete rule is not installed, failed, or returned a wrong result.
    """
    blocks, logs = merge.blocks(storage, file_slice.logs)
    if not blocks:
        if file_slice.path is not None:
            names = merge.names.of_instant(file_slice.base_instant)
            columns = stored_columns(merge.schema, names)
            read = read_base_file(storage, file_slice.path, columns, batch_rows=BATCH_ROWS)
            for stored in current_columns(read, merge.schema, names):
                if watch is not None:
                    watch.stored(stored, merge.keys.of(stored, f"base file '{file_slice.path}'", file=file_slice.path))
                yield stored
        return
    rule = merge.rule.make_rule() if watch is None else watch.rule(merge.rule.make_rule())
    merger = LogMerger.of(logs, merge, rule, blocks, merge.schema, None if watch is None else watch.logged)
    constant = ConstantColumns.unless_used(merge.schema, merger.base_columns(merge) if watch is None else merge.schema)
    for stored, stored_keys in merger.base_batches(storage, file_slice, merge, constant.read_schema):
        if watch is not None:
            watch.stored(stored, stored_keys)
        unchanged, changed = merger.merge_batch(stored, stored_keys)
        yield constant.filter(stored, unchanged)
        yield from changed
    yield from merger.remaining_rows()
