"""Merge of the rows of one task into stored file slices."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import pyarrow as pa
from attrs import define, evolve, field
from numpy.typing import NDArray

from hoodoo.errors import DataError
from hoodoo.merge import Rule
from hoodoo.record import Records
from hoodoo.schema.columns import examples_of
from hoodoo.writing.data_files.task_attempt import TaskAttempt
from hoodoo.writing.file_status import FileStatus
from hoodoo.writing.routing.partition_moves import Moves
from hoodoo.writing.routing.task_plan import SliceRef, TaskPlan
from hoodoo.writing.tasks.file_group_writer import GroupWriter
from hoodoo.writing.tasks.incoming_rows import Incoming
from hoodoo.writing.tasks.repeated_keys import check_no_repeats
from hoodoo.writing.tasks.stored_rows import Splits

__all__ = ["GroupMerge", "take_rows"]


@define
class GroupMerge:
    """Merge of incoming rows into file slices, for the tasks of every index.

    Attributes:
        plan: The plan of the write.
        attempt: The attempt at the task.
        splits: Splits for reading the slices with logs to which a statement appends.
        rule: The merge rule.
        incoming: Conversion of incoming rows to versions.
        writer: Writer of file groups.
    """

    plan: TaskPlan
    attempt: TaskAttempt
    splits: Splits = field(factory=dict)
    rule: Rule = field(init=False)
    incoming: Incoming = field(init=False)
    writer: GroupWriter = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.rule = self.plan.rule.make_rule()
        self.incoming = Incoming(self.plan, self.rule)
        self.writer = GroupWriter(self.plan, self.rule, self.attempt, self.splits)

    def records(self, rows: pa.Table, keys: pa.Array, *, compares: bool = True) -> Records:
        """Return one record per key if the operation merges or combines rows; otherwise all rows in order of arrival.

        Args:
            rows: Rows of one partition, or of one file group.
            keys: Their record keys.
            compares: Whether rows of equal keys are compared for key collisions.

        Raises:
            SchemaError: A value does not fit the table's type.
            DataError: A value is not allowed in its column, keys collide or occur twice, or a statement cannot write a
                row.
        """
        rows, source = self.incoming.versions(rows, keys)
        if compares:
            self.writer.collisions.check_batch(rows, source.keys)
        arrival = self.incoming.arrival(rows)
        statement = self.writer.statement
        if statement is not None:
            statement.check(rows, source)
        if self.plan.operation.merges or self.plan.operation.combines:
            records = self.rule.fold(source, arrival)
            if statement is not None:
                statement.admit(rows, records)
            if self.plan.operation.refuses_repeats:
                check_no_repeats(source.keys, len(records))
            return records
        return source.records(np.argsort(arrival, kind="stable"))

    def slice_of(self, partition: str, slot: int) -> SliceRef | None:
        """Return the stored slice of a file group; None for a new one."""
        return self.plan.slices.get(partition, {}).get(slot)

    def write_slice(
        self,
        partition: str,
        ref: SliceRef,
        records: Records,
        incoming: int,
        *,
        fills: bool = False,
        moved: Moves | None = None,
    ) -> FileStatus:
        """Write records to one stored slice; an insert that looks keys up leaves out those that are in the slice.

        Args:
            partition: The partition path.
            ref: The slice.
            records: One record per key, or one per row if the operation does not merge rows.
            incoming: The number of rows from which the records were made.
            fills: Whether the records contain new keys that fill up a small file.
            moved: Moves out of and into the file group.
        """
        before = len(records)
        records, seconds = self.without_stored(partition, [ref], records)
        status = self.change_slice(partition, ref, records, incoming, fills=fills, moved=moved)
        return evolve(status, ignored=status.ignored + before - len(records), index_seconds=seconds)

    def change_slice(
        self,
        partition: str,
        ref: SliceRef,
        records: Records,
        incoming: int,
        *,
        fills: bool,
        moved: Moves | None = None,
    ) -> FileStatus:
        """Write records to the base file of a stored slice, or to a log of a merge-on-read table; see `write_slice`.

        Rows that are only inserted are never merged, so they go to the base file. A slice with logs cannot get another
        base file without a compaction; inserted rows go to a log, and readers merge them by key.
        """
        plan = self.plan
        if plan.table.appends and (not fills if plan.operation.merges else ref.logs or not ref.path):
            return self.writer.append(partition, ref, records, incoming, moved)
        return self.writer.rewrite(partition, ref, records, incoming, moved)

    def without_stored(self, partition: str, slices: Collection[SliceRef], records: Records) -> tuple[Records, float]:
        """Return the records of an insert whose keys are not in the slices, and the seconds of the search.

        For an operation that merges, or that looks no keys up, these are all records, and 0.0 seconds.

        Raises:
            DataError: A key is stored, and the policy is `fail`; or the stored row of a key has other values in the key
                columns.
        """
        if self.plan.operation.merges or not self.plan.operation.looks_up:
            return records, 0.0
        search = self.writer.search(records.keys)
        found = [search.locate(ref.path, ref.late) for ref in slices]
        for ref, positions in zip(slices, found, strict=True):
            self.writer.collisions.check_unread(self.attempt.storage, partition, ref, records.take(positions))
        return self._new(records, np.unique(np.concatenate([np.empty(0, np.int64), *found]))), search.seconds

    def _new(self, records: Records, found: NDArray[np.int64]) -> Records:
        if not len(found):
            return records
        if self.plan.operation.dup_policy == "fail":
            examples = examples_of(records.take(found).keys)
            raise DataError(
                f"{len(found)} {'row has a key that is' if len(found) == 1 else 'rows have keys that are'} stored "
                f"already (such as {examples}), and 'dup_policy' is fail; use operation upsert, or set 'dup_policy' to "
                "drop",
                code="duplicate_key",
            )
        return records.take(np.setdiff1d(np.arange(len(records)), found))


def take_rows(rows: pa.Table, keys: pa.Array, positions: NDArray[np.int64]) -> tuple[pa.Table, pa.Array]:
    """Return the rows at the given positions with their keys; if all rows are chosen, return them without a copy."""
    if len(positions) == rows.num_rows:
        return rows, keys
    return rows.take(pa.array(positions)), keys.take(pa.array(positions))
