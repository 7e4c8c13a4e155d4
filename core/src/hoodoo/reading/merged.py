"""The rows of a file slice that has logs: base rows stream by and meet the records of the logs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Protocol

import numpy as np
import pyarrow as pa
from attrs import field, frozen
from numpy.typing import NDArray

from hoodoo.filegroup import FileSlice
from hoodoo.format.log import LogBlock
from hoodoo.format.parquet import read_base_file
from hoodoo.merge import Rule
from hoodoo.merge.meet import After, Met, pairs
from hoodoo.merge.spec import RuleSpec
from hoodoo.reading.log_records import LogRecords
from hoodoo.reading.log_scan import Committed, counted_blocks
from hoodoo.reading.stored_keys import StoredKeys
from hoodoo.record import Choice, Records, Source
from hoodoo.schema.columns import one_array
from hoodoo.storage import Storage

__all__ = ["Merge", "Watch", "merged_rows"]

BATCH_ROWS = 128 * 1024
MOST_BATCH_ROWS = 1024 * 1024


@frozen
class Merge:
    """How the logs of a slice are merged.

    Attributes:
        rule: The table's rule.
        keys: Where record keys are.
        schema: The columns that are read for it.
        committed: What the timeline says of the logs' blocks.
        skip_corrupt: Whether damaged bytes of completed commits are left out rather than refused.
        stated: The schemas that the commits of its logs state, by instant.
    """

    rule: RuleSpec
    keys: StoredKeys
    schema: pa.Schema
    committed: Committed
    skip_corrupt: bool = False
    stated: Mapping[str, str] = field(factory=dict)


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
    """The rows of a slice in the columns that the merge reads, batch by batch: base rows, then new ones.

    Of a batch of base rows come those that stay as they are, in their order, then those that changed.

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
    loose = pa.schema([field.with_nullable(True) for field in merge.schema])
    logged = None if watch is None else watch.logged
    newer = LogRecords(storage, loose, rule, merge.keys, merge.rule.make_judge(), merge.stated, logged).fold(blocks)
    keys, new = newer.keys, np.ones(len(newer), dtype=bool)
    if file_slice.path is not None:
        # the keys of the logs are hashed anew for every batch
        batch_rows = min(max(BATCH_ROWS, len(newer)), MOST_BATCH_ROWS)
        for stored in read_base_file(storage, file_slice.path, merge.schema, batch_rows=batch_rows):
            stored_keys = merge.keys.of(stored, f"base file '{file_slice.path}'", file=file_slice.path)
            if watch is not None:
                watch.stored(stored, stored_keys)
            yield from _meet(rule, stored, stored_keys, newer, keys, new)
    yield from _inserted(rule, newer.take(np.flatnonzero(new)), merge.schema)


def _meet(
    rule: Rule, stored: pa.Table, stored_keys: pa.Array, newer: Records, keys: pa.Array, new: NDArray[np.bool_]
) -> Iterator[pa.Table]:
    """One batch of base rows after its merge: those that stay as they are, then those that changed.

    Records that met one are taken out of `new`.
    """
    rows, partners = pairs(stored_keys, keys)
    if not len(rows):
        yield stored
        return
    new[partners] = False
    matched = newer.take(partners)
    older = rule.stored(stored, stored.schema, stored_keys).records(rows)
    after = After(Met.of(rows, matched, rule.combine(older, matched)), stored.num_rows)
    if after.is_unchanged:
        yield stored
        return
    # rows put back in their places would be copied twice; a table is filtered more slowly than its columns are
    columns, untouched = [one_array(column) for column in stored.columns], pa.array(after.untouched)
    yield pa.Table.from_arrays([column.filter(untouched) for column in columns], schema=stored.schema)
    if len(after.pairs):
        changed = [after.changed(name, column) for name, column in zip(stored.column_names, columns, strict=True)]
        yield pa.Table.from_arrays(changed, schema=stored.schema)


def _inserted(rule: Rule, newer: Records, schema: pa.Schema) -> Iterator[pa.Table]:
    """The records that met no base row: those that the rule admits, without deletes."""
    if not len(newer):
        return
    outcome = rule.insert(newer)
    admitted = np.flatnonzero(outcome.choice == Choice.TAKE)
    for start in range(0, len(admitted), BATCH_ROWS):
        rows = admitted[start : start + BATCH_ROWS]
        part, places = newer.take(rows), pa.array(rows)
        columns = [
            outcome.patch[name].take(places) if name in outcome.patch else part.column(name) for name in schema.names
        ]
        yield pa.Table.from_arrays(columns, schema=schema)
