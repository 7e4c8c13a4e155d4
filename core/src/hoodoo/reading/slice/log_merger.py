"""Merge of batches of base rows with the records of a slice's logs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pyarrow as pa
from attrs import define, evolve, field
from numpy.typing import NDArray

from hoodoo.filegroup import FileSlice
from hoodoo.format.base_files import read_base_file
from hoodoo.format.log import LogBlock
from hoodoo.merge import Rule
from hoodoo.merge.match import MatchedRows, MergedBatch, pairs
from hoodoo.reading.schema.stored_names import current_columns, stored_columns
from hoodoo.reading.slice.log_records import BlockObserver, LogRecords
from hoodoo.reading.slice.merge_columns import LogMerge
from hoodoo.record import Choice, Records
from hoodoo.schema.columns import one_array
from hoodoo.storage import Storage

__all__ = ["BATCH_ROWS", "LogMerger"]

BATCH_ROWS = 128 * 1024
MOST_BATCH_ROWS = 1024 * 1024

Mask = NDArray[np.bool_]
Rows = NDArray[np.int64]


@define
class LogMerger:
    """Records of the logs, one per key, and the state of their merge with base rows.

    Surviving records are returned at the end, in their own order, because they are already in one table. Any
    other order would copy them once or twice.

    Attributes:
        rule: The table's merge rule.
        schema: The columns of the merged rows.
        records: The records of the logs, one per key, including deletes.
        keys: The keys of the records.
        matched: A mask of the records whose key occurred in a base row.
        surviving: A mask of the records that are rows of the result without a change.
        has_other_changes: Whether there were changed rows other than surviving records.
        unread: As in `Source`.
    """

    rule: Rule
    schema: pa.Schema
    records: Records
    unread: frozenset[str] = frozenset()
    keys: pa.Array = field(init=False)
    matched: Mask = field(init=False)
    surviving: Mask = field(init=False)
    has_other_changes: bool = field(init=False, default=False)

    def __attrs_post_init__(self) -> None:
        self.keys = self.records.keys
        self.matched, self.surviving = np.zeros((2, len(self.records)), dtype=bool)

    @classmethod
    def of(
        cls,
        storage: Storage,
        merge: LogMerge,
        rule: Rule,
        blocks: Sequence[LogBlock],
        schema: pa.Schema,
        on_block: BlockObserver | None = None,
    ) -> LogMerger:
        """Read the records of the logs and return the merger.

        Args:
            storage: The table's files.
            merge: The parameters of the merge.
            rule: The table's merge rule.
            blocks: The valid blocks, oldest first.
            schema: The columns to read, which include those that the rule needs for its decision.
            on_block: An optional observer of each block's versions.

        Raises:
            CorruptTableError: A block is damaged.
            SchemaError: The values of a column cannot be cast to its type in `schema`.
            UnsupportedTable: A block has a format that hoodoo does not support.
            PluginError: A delete rule is not installed; or a rule failed, or returned a wrong result.
        """
        loose = pa.schema([field.with_nullable(True) for field in schema])
        judge = merge.rule.make_judge()
        records = LogRecords(
            storage, loose, rule, merge.keys, judge, merge.commit_schemas, on_block, merge.unread, merge.names
        )
        return cls(rule, schema, records.fold(blocks), frozenset(merge.unread.names))

    def base_columns(self, merge: LogMerge) -> pa.Schema:
        """Return the columns of base rows that `merge_batch` uses.

        These are all columns if the rule or a partial record takes values from base rows.
        """
        return merge.schema if merge.deciding is None or self.records.source.present else merge.deciding

    def base_batches(
        self, storage: Storage, file_slice: FileSlice, merge: LogMerge, schema: pa.Schema
    ) -> Iterator[tuple[pa.Table, pa.Array]]:
        """Yield batches of base rows with the columns of `schema`, and their record keys; none without a base file."""
        if file_slice.path is None:
            return
        # every batch hashes all keys of the logs again, so that small batches are slow
        batch_rows = min(max(BATCH_ROWS, len(self.records)), MOST_BATCH_ROWS)
        names = merge.names.of_instant(file_slice.base_instant)
        read = read_base_file(storage, file_slice.path, stored_columns(schema, names), batch_rows=batch_rows)
        for stored in current_columns(read, schema, names):
            yield stored, merge.keys.of(stored, f"base file '{file_slice.path}'", file=file_slice.path)

    def merge_batch(self, stored: pa.Table, stored_keys: pa.Array) -> tuple[Mask, Iterator[pa.Table]]:
        """Merge a batch of base rows with the records that have their keys.

        Args:
            stored: The base rows of the batch.
            stored_keys: The keys of the base rows.

        Returns:
            A mask of the base rows that do not change, and an iterator that creates the changed rows. These do not
            contain surviving records, which `remaining_rows` yields.
        """
        rows, partners = pairs(stored_keys, self.keys)
        if not len(rows):
            return np.ones(stored.num_rows, dtype=bool), iter(())
        newer = self.records.take(partners)
        older = evolve(self.rule.stored(stored, stored.schema, stored_keys), unread=self.unread).records(rows)
        matched = MatchedRows.of(rows, newer, self.rule.combine(older, newer))
        survives = self._survives(matched, partners)
        self.matched[partners] = True
        self.surviving[partners[survives]] = True
        here = matched.changed & ~survives
        self.has_other_changes |= bool(here.any())
        return matched.untouched(stored.num_rows), self._changed(matched, partners, here, stored)

    def _survives(self, matched: MatchedRows, partners: Rows) -> Mask:
        """Return a mask of the pairs whose record wins unchanged; if a key is stored twice, of its first pair only.

        If any record lacks columns, no pair is in the mask.
        """
        if self.records.source.present:
            return np.zeros(len(partners), dtype=bool)
        numbers = np.arange(len(partners))
        first = np.empty(len(self.records), dtype=np.int64)
        first[partners[::-1]] = numbers[::-1]
        survives: Mask = matched.taken & (first[partners] == numbers) & ~self.matched[partners]
        return survives

    def _changed(self, matched: MatchedRows, partners: Rows, here: Mask, stored: pa.Table) -> Iterator[pa.Table]:
        if not self.records.source.present:
            # these rows contain no value of the base row, of which perhaps only some columns were read
            yield from self.rows(partners[here & matched.taken])
            here = here & ~matched.taken
        if here.any():
            merged = MergedBatch(matched.only(here), stored.num_rows)
            columns = [merged.changed(name, one_array(stored.column(name))) for name in self.schema.names]
            yield pa.Table.from_arrays(columns, schema=self.schema)

    def remaining_rows(self) -> Iterator[pa.Table]:
        """Yield the surviving records, and new ones that the rule admits or patches; call it after all batches."""
        patched, patch = self._admit()
        yield from self.rows(np.flatnonzero(self.surviving))
        yield from self.rows(patched, patch)

    def surviving_records(self) -> Mask | None:
        """Return a mask of the surviving records after all batches; None if there are other changed rows."""
        patched, _ = self._admit()
        return None if self.has_other_changes or len(patched) else self.surviving

    def _admit(self) -> tuple[Rows, Mapping[str, pa.Array]]:
        """Mark the new records that the rule admits as surviving.

        Returns:
            The numbers of the admitted records and their patch, if the rule patches new records, which are then not
            marked; otherwise no numbers and no patch.
        """
        new, none = np.flatnonzero(~self.matched), np.empty(0, dtype=np.int64)
        if not len(new):
            return none, {}
        outcome = self.rule.insert(self.records.take(new))
        admitted = outcome.choice == Choice.TAKE
        if outcome.patch:
            return new[admitted], {name: values.filter(pa.array(admitted)) for name, values in outcome.patch.items()}
        self.surviving[new] = admitted
        return none, {}

    def rows(self, rows: Rows, patch: Mapping[str, pa.Array] | None = None) -> Iterator[pa.Table]:
        """Yield the records with these numbers as rows. `patch` has one value per column and number."""
        patch = patch or {}
        for start in range(0, len(rows), BATCH_ROWS):
            part = self.records.take(rows[start : start + BATCH_ROWS])
            columns = [
                patch[name].slice(start, len(part)) if name in patch else part.column(name)
                for name in self.schema.names
            ]
            yield pa.Table.from_arrays(columns, schema=self.schema)
