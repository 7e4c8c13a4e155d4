"""The rows of a file slice that has logs: base rows stream by and meet the records of the logs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import pyarrow as pa

from hoodoo.filegroup import FileSlice
from hoodoo.format.log import LogBlock
from hoodoo.format.parquet import read_base_file
from hoodoo.merge import Rule
from hoodoo.reading.slice.constant_columns import Repeated
from hoodoo.reading.slice.log_blocks import counted_blocks
from hoodoo.reading.slice.log_merger import BATCH_ROWS, Meeting
from hoodoo.reading.slice.merge_columns import Merge
from hoodoo.record import Source
from hoodoo.storage import Storage

__all__ = ["Watch", "merged_rows"]


class Watch(Protocol):
    """Looks on while the versions of a slice are merged, and changes nothing."""

    def rule(self, rule: Rule) -> Rule:
        """The rule to merge by: the same one, perhaps with a recorder around its parts."""
        ...

    def logged(self, block: LogBlock, versions: Source) -> None:
        """Versions of a block that are about to be folded, in order of their arrival."""
        ...

    def stored(self, rows: pa.Table, keys: pa.Array) -> None:
        """A batch of base rows, and their keys, before it meets the logs."""
        ...


def merged_rows(
    storage: Storage, file_slice: FileSlice, merge: Merge, watch: Watch | None = None
) -> Iterator[pa.Table]:
    """The rows of a slice in the columns that the merge reads, batch by batch.

    Of each batch of base rows come those that stay as they are, in their order, then those that a rule changed in part;
    at the end the records of the logs that take a base row's place, or are new, in their own order.

    Held in memory are the records of the logs, one version per key, and one batch of base rows.

    Args:
        storage: The table's files.
        file_slice: The slice.
        merge: How its logs are merged.
        watch: Somebody who looks on.

    Raises:
        CorruptTableError: a file is damaged or gone.
        UnsupportedTable: a log block that cannot be understood.
        UnknownPlugin: the rule is not installed here.
    """
    blocks = counted_blocks(storage, file_slice.logs, merge.committed, skip_corrupt=merge.skip_corrupt)
    if not blocks:
        if file_slice.path is not None:
            for stored in read_base_file(storage, file_slice.path, merge.schema, batch_rows=BATCH_ROWS):
                if watch is not None:
                    watch.stored(stored, merge.keys.of(stored, f"base file '{file_slice.path}'", file=file_slice.path))
                yield stored
        return
    rule = merge.rule.make_rule() if watch is None else watch.rule(merge.rule.make_rule())
    meeting = Meeting.of(storage, merge, rule, blocks, merge.schema, None if watch is None else watch.logged)
    repeated = Repeated.beside(merge.schema, meeting.needed(merge) if watch is None else merge.schema)
    for stored, stored_keys in meeting.base_batches(storage, file_slice, merge, repeated.read_schema):
        if watch is not None:
            watch.stored(stored, stored_keys)
        untouched, changed = meeting.meet(stored, stored_keys)
        yield repeated.kept(stored, untouched)
        yield from changed
    yield from meeting.rest()
