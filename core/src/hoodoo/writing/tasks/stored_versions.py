"""Merge of incoming records with the stored rows of their keys in one file slice, including its logs."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from attrs import frozen
from numpy.typing import NDArray

from hoodoo.errors import DataError
from hoodoo.merge import Rule
from hoodoo.merge.match import MatchedRows, MergedBatch, pairs
from hoodoo.record import Operation, Ordering, Records, Source
from hoodoo.schema.columns import examples_of, null_array
from hoodoo.schema.meta_columns import RECORD_KEY
from hoodoo.storage import Storage
from hoodoo.writing.routing.task_plan import SliceRef, TaskPlan
from hoodoo.writing.tasks.key_collisions import Collisions
from hoodoo.writing.tasks.stored_rows import Splits, rows_under

__all__ = ["MatchedKeys", "StoredVersions"]

Mask = NDArray[np.bool_]


@frozen(eq=False)
class MatchedKeys:
    """n incoming records with the stored rows of their keys in one slice. A slice may have several rows of a key.

    Attributes:
        alive: Whether there is a row.
        changed: Whether the record changes all rows of its key and removes none.
        follows: Whether the record replaces all rows of its key, and is not changed by the merge.
        row: The position in `merged` of one of the key's rows; -1 without one.
        merged: The rows after the merge, the record key first; None if nothing was merged.
        stored: The rows before the merge.
    """

    alive: Mask
    changed: Mask
    follows: Mask
    row: NDArray[np.int64]
    merged: pa.Table | None
    stored: pa.Table


@frozen
class StoredVersions:
    """Reader of the current rows of slices, which merges them with incoming records.

    Attributes:
        plan: The plan of the write.
        rule: The merge rule.
        storage: The table's files.
        collisions: Comparison of records with the rows that are read.
        splits: Splits for reading slices with logs.
    """

    plan: TaskPlan
    rule: Rule
    storage: Storage
    collisions: Collisions
    splits: Splits

    def match(self, partition: str, ref: SliceRef, newer: Records, keys: pa.Array) -> MatchedKeys:
        """Match records with the rows of a slice, and merge them if rows may move.

        Args:
            partition: The slice's partition path.
            ref: The slice.
            newer: One record per key.
            keys: The keys of the records, in the same order.

        Raises:
            DataError: A stored row has the key of a record and other values in the key columns.
        """
        schema = self.plan.table.schema
        stored = rows_under(self.plan, self.storage, partition, ref, keys, schema.names, self.splits)
        stored_keys = stored.column(RECORD_KEY).combine_chunks()
        rows, partners = pairs(stored_keys, keys)
        self.collisions.check_matched(partition, stored, rows, newer, partners)
        length = len(keys)
        count = np.bincount(partners, minlength=length)
        nothing = np.zeros(length, dtype=bool)
        row = np.full(length, -1, dtype=np.int64)
        if not self.plan.index.moves_rows or not len(rows):
            return MatchedKeys(count > 0, nothing, nothing, row, None, stored)
        records = newer.take(partners)
        older = self.rule.stored(stored, schema, stored_keys).records(rows)
        matched = MatchedRows.of(rows, records, self.rule.combine(older, records))
        batch = MergedBatch(matched, stored.num_rows)
        columns = {
            name: batch.column(name, stored.column(name).combine_chunks()) for name in self.plan.table.schema.names
        }
        merged = pa.table({RECORD_KEY: stored_keys.take(pa.array(batch.keep)), **columns})
        place = np.full(stored.num_rows, -1, dtype=np.int64)
        place[batch.keep] = np.arange(len(batch.keep))
        row[partners[::-1]] = place[rows[::-1]]
        changed = (count > 0) & (np.bincount(partners, matched.changed, length) == count)
        follows = changed & (np.bincount(partners, matched.taken, length) == count)
        return MatchedKeys(count > 0, changed, follows, row, merged, stored)

    def check_removable(self, stored: pa.Table, keys: pa.Array) -> None:
        """Raise if the rule keeps a row after an unconditional delete.

        Args:
            stored: Stored rows, the record key first.
            keys: The keys of the rows to remove.

        Raises:
            DataError: The rule keeps such rows, so that their keys would be stored twice.
        """
        schema = self.plan.table.schema
        rows = stored.filter(pc.is_in(stored.column(RECORD_KEY), value_set=keys)).combine_chunks()
        names = rows.column(RECORD_KEY).combine_chunks()
        fields, count = self.rule.payload_ordering, len(names)
        ordering = Ordering.of(fields, [null_array(schema, name, count) for name in fields], count)
        operation = np.full(count, Operation.DELETE, dtype=np.int8)
        nothing = pa.table({RECORD_KEY: names})
        deletes = Source(nothing, schema, names, ordering, operation, np.zeros(count, dtype=bool)).records()
        older = self.rule.stored(rows, schema, names).records()
        kept = ~MatchedRows.of(deletes.rows, deletes, self.rule.combine(older, deletes)).removed
        if kept.any():
            examples = examples_of(names.filter(pa.array(kept)))
            raise DataError(
                f"rows of keys such as {examples} are to move to another partition, and the table's rule keeps the old "
                "ones when a log deletes them, so that the keys would be stored twice; write with "
                "'update_partition' = 'false', or to a copy-on-write table",
                code="moved_row_kept",
            )
