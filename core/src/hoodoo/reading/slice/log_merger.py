"""The records of a slice's logs while its base rows stream by: which rows they replace, and what stands instead."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pyarrow as pa
from attrs import define, field
from numpy.typing import NDArray

from hoodoo.filegroup import FileSlice
from hoodoo.format.log import LogBlock
from hoodoo.format.parquet import read_base_file
from hoodoo.merge import Rule
from hoodoo.merge.match import MatchedRows, MergedBatch, pairs
from hoodoo.reading.slice.log_records import Logged, LogRecords
from hoodoo.reading.slice.merge_columns import Merge
from hoodoo.record import Choice, Records
from hoodoo.schema.columns import one_array
from hoodoo.storage import Storage

__all__ = ["BATCH_ROWS", "Meeting"]

BATCH_ROWS = 128 * 1024
MOST_BATCH_ROWS = 1024 * 1024

Mask = NDArray[np.bool_]
Rows = NDArray[np.int64]


@define
class Meeting:
    """The records of the logs, one per key, and what became of them so far.

    Rows that are put back into their places would be copied twice, and records that are gathered in the order of the
    rows whose places they take once: those that win as they are wait for the end, where they are in one piece already.

    Attributes:
        rule: The table's rule.
        schema: The columns that rows are given in.
        newer: The records.
        keys: Their keys.
        met: Which of them met a base row.
        stands: Which of them stand in the place of a base row as they are.
        others: Whether there were changed rows that are no such record.
    """

    rule: Rule
    schema: pa.Schema
    newer: Records
    keys: pa.Array = field(init=False)
    met: Mask = field(init=False)
    stands: Mask = field(init=False)
    others: bool = field(init=False, default=False)

    def __attrs_post_init__(self) -> None:
        self.keys = self.newer.keys
        self.met, self.stands = np.zeros((2, len(self.newer)), dtype=bool)

    @classmethod
    def of(
        cls,
        storage: Storage,
        merge: Merge,
        rule: Rule,
        blocks: Sequence[LogBlock],
        schema: pa.Schema,
        logged: Logged | None = None,
    ) -> Meeting:
        """Read the records.

        Args:
            storage: The table's files.
            merge: How they are merged.
            rule: The table's rule.
            blocks: The blocks that count, oldest first.
            schema: The columns to read, those among them by which the rule decides.
            logged: Told of the versions of each block before they are folded.
        """
        loose = pa.schema([field.with_nullable(True) for field in schema])
        records = LogRecords(storage, loose, rule, merge.keys, merge.rule.make_judge(), merge.stated, logged)
        return cls(rule, schema, records.fold(blocks))

    def needed(self, merge: Merge) -> pa.Schema:
        """The columns of base rows that `meet` looks at: all where the rule, or a partial record, takes some over."""
        return merge.schema if merge.deciding is None or self.newer.source.present else merge.deciding

    def base_batches(
        self, storage: Storage, file_slice: FileSlice, merge: Merge, schema: pa.Schema
    ) -> Iterator[tuple[pa.Table, pa.Array]]:
        """Base rows in these columns, in their order, and their keys: what `meet` takes."""
        if file_slice.path is None:
            return
        # the keys of the logs are hashed anew for every batch
        batch_rows = min(max(BATCH_ROWS, len(self.newer)), MOST_BATCH_ROWS)
        for stored in read_base_file(storage, file_slice.path, schema, batch_rows=batch_rows):
            yield stored, merge.keys.of(stored, f"base file '{file_slice.path}'", file=file_slice.path)

    def meet(self, stored: pa.Table, stored_keys: pa.Array) -> tuple[Mask, Iterator[pa.Table]]:
        """Which rows of a batch of base rows stay as they are, and the rows that they become that change.

        The latter are made as they are asked for. Not among them are records that stand in the place of a base row as
        they are; see `rest`.
        """
        rows, partners = pairs(stored_keys, self.keys)
        if not len(rows):
            return np.ones(stored.num_rows, dtype=bool), iter(())
        matched = self.newer.take(partners)
        older = self.rule.stored(stored, stored.schema, stored_keys).records(rows)
        met = MatchedRows.of(rows, matched, self.rule.combine(older, matched))
        waits = self._waits(met, partners)
        self.met[partners] = True
        self.stands[partners[waits]] = True
        here = met.changed & ~waits
        self.others |= bool(here.any())
        return met.untouched(stored.num_rows), self._changed(met, partners, here, stored)

    def _waits(self, met: MatchedRows, partners: Rows) -> Mask:
        """The pairs whose record wins as it is: the first of each record, since a key may be stored twice."""
        if self.newer.source.present:
            return np.zeros(len(partners), dtype=bool)
        numbers = np.arange(len(partners))
        first = np.empty(len(self.newer), dtype=np.int64)
        first[partners[::-1]] = numbers[::-1]
        waits: Mask = met.taken & (first[partners] == numbers) & ~self.met[partners]
        return waits

    def _changed(self, met: MatchedRows, partners: Rows, here: Mask, stored: pa.Table) -> Iterator[pa.Table]:
        if not self.newer.source.present:
            # nothing of the base row is in them, which may have been read in part
            yield from self.rows(partners[here & met.taken])
            here = here & ~met.taken
        if here.any():
            after = MergedBatch(met.only(here), stored.num_rows)
            columns = [after.changed(name, one_array(stored.column(name))) for name in self.schema.names]
            yield pa.Table.from_arrays(columns, schema=self.schema)

    def rest(self) -> Iterator[pa.Table]:
        """The records that stand in the place of a base row, and those that met none and that the rule admits."""
        patched, patch = self._admit()
        yield from self.rows(np.flatnonzero(self.stands))
        yield from self.rows(patched, patch)

    def standing(self) -> Mask | None:
        """Which records are rows as they are, once all base rows were met; None where there are other changed rows."""
        patched, _ = self._admit()
        return None if self.others or len(patched) else self.stands

    def _admit(self) -> tuple[Rows, Mapping[str, pa.Array]]:
        """Let the records stand that met no base row and that the rule admits; the rows that it patches, with these."""
        new, none = np.flatnonzero(~self.met), np.empty(0, dtype=np.int64)
        if not len(new):
            return none, {}
        outcome = self.rule.insert(self.newer.take(new))
        admitted = outcome.choice == Choice.TAKE
        if outcome.patch:
            return new[admitted], {name: values.filter(pa.array(admitted)) for name, values in outcome.patch.items()}
        self.stands[new] = admitted
        return none, {}

    def rows(self, rows: Rows, patch: Mapping[str, pa.Array] | None = None) -> Iterator[pa.Table]:
        """Records as rows; `patch` has one value for each of them."""
        patch = patch or {}
        for start in range(0, len(rows), BATCH_ROWS):
            part = self.newer.take(rows[start : start + BATCH_ROWS])
            columns = [
                patch[name].slice(start, len(part)) if name in patch else part.column(name)
                for name in self.schema.names
            ]
            yield pa.Table.from_arrays(columns, schema=self.schema)
