"""The rows of a file slice that has logs: base rows stream by and meet the records of the logs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Protocol

import numpy as np
import pyarrow as pa
from attrs import define, field, frozen
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

Mask = NDArray[np.bool_]
Rows = NDArray[np.int64]


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
    loose = pa.schema([field.with_nullable(True) for field in merge.schema])
    logged_by = None if watch is None else watch.logged
    newer = LogRecords(storage, loose, rule, merge.keys, merge.rule.make_judge(), merge.stated, logged_by).fold(blocks)
    logged = _Logged(rule, newer, newer.keys)
    if file_slice.path is not None:
        # the keys of the logs are hashed anew for every batch
        batch_rows = min(max(BATCH_ROWS, len(newer)), MOST_BATCH_ROWS)
        for stored in read_base_file(storage, file_slice.path, merge.schema, batch_rows=batch_rows):
            stored_keys = merge.keys.of(stored, f"base file '{file_slice.path}'", file=file_slice.path)
            if watch is not None:
                watch.stored(stored, stored_keys)
            yield from logged.meet(stored, stored_keys)
    yield from logged.rest(merge.schema)


@define
class _Logged:
    """The records of the logs while the base rows stream by.

    Rows that are put back into their places would be copied twice, and records that are gathered in the order of the
    rows whose places they take once: those that win as they are wait for the end, where they are in one piece already.

    Attributes:
        rule: The table's rule.
        newer: The records, one per key.
        keys: Their keys.
        met: Which of them met a base row.
        stands: Which of them stand in the place of a base row as they are.
    """

    rule: Rule
    newer: Records
    keys: pa.Array
    met: Mask = field(init=False)
    stands: Mask = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.met, self.stands = np.zeros((2, len(self.newer)), dtype=bool)

    def meet(self, stored: pa.Table, stored_keys: pa.Array) -> Iterator[pa.Table]:
        """One batch of base rows after its merge, but for those that a record takes the place of."""
        rows, partners = pairs(stored_keys, self.keys)
        if not len(rows):
            yield stored
            return
        matched = self.newer.take(partners)
        older = self.rule.stored(stored, stored.schema, stored_keys).records(rows)
        met = Met.of(rows, matched, self.rule.combine(older, matched))
        waits = self._waits(met, partners)
        self.met[partners] = True
        self.stands[partners[waits]] = True
        untouched = met.untouched(stored.num_rows)
        if untouched.all():
            yield stored
            return
        columns, kept = [one_array(column) for column in stored.columns], pa.array(untouched)
        # a table is filtered more slowly than its columns are
        yield pa.Table.from_arrays([column.filter(kept) for column in columns], schema=stored.schema)
        here = met.changed & ~waits
        if here.any():
            after = After(met.only(here), stored.num_rows)
            changed = [after.changed(name, column) for name, column in zip(stored.column_names, columns, strict=True)]
            yield pa.Table.from_arrays(changed, schema=stored.schema)

    def _waits(self, met: Met, partners: Rows) -> Mask:
        """The pairs whose record wins as it is: the first of each record, since a key may be stored twice."""
        if self.newer.source.present:
            return np.zeros(len(partners), dtype=bool)
        numbers = np.arange(len(partners))
        first = np.empty(len(self.newer), dtype=np.int64)
        first[partners[::-1]] = numbers[::-1]
        waits: Mask = met.taken & (first[partners] == numbers) & ~self.met[partners]
        return waits

    def rest(self, schema: pa.Schema) -> Iterator[pa.Table]:
        """The records that stand in the place of a base row, and those that met none and that the rule admits."""
        new = np.flatnonzero(~self.met)
        if not len(new):
            yield from _rows(self.newer, np.flatnonzero(self.stands), schema, {})
            return
        outcome = self.rule.insert(self.newer.take(new))
        admitted = outcome.choice == Choice.TAKE
        if outcome.patch:
            yield from _rows(self.newer, np.flatnonzero(self.stands), schema, {})
            patch = {name: values.filter(pa.array(admitted)) for name, values in outcome.patch.items()}
            yield from _rows(self.newer, new[admitted], schema, patch)
            return
        self.stands[new] = admitted
        yield from _rows(self.newer, np.flatnonzero(self.stands), schema, {})


def _rows(newer: Records, rows: Rows, schema: pa.Schema, patch: Mapping[str, pa.Array]) -> Iterator[pa.Table]:
    """Records as rows; `patch` has one value for each of them."""
    for start in range(0, len(rows), BATCH_ROWS):
        part = newer.take(rows[start : start + BATCH_ROWS])
        columns = [patch[name].slice(start, len(part)) if name in patch else part.column(name) for name in schema.names]
        yield pa.Table.from_arrays(columns, schema=schema)
