"""Writer of file groups: it merges stored rows with incoming records, batch by batch, into new files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from attrs import evolve, field, frozen
from numpy.typing import NDArray

from hoodoo.errors import CorruptTableError
from hoodoo.format.base_files import read_base_file
from hoodoo.format.file_names import new_file_id
from hoodoo.format.parquet import read_encoded
from hoodoo.index.bucket_index import bucket_file_id
from hoodoo.index.kept_keys import KeptKeys
from hoodoo.index.key_lookup import IncomingKeySearch
from hoodoo.merge import Rule
from hoodoo.merge.match import MatchedRows, pairs
from hoodoo.reading.path_columns import filled
from hoodoo.reading.schema.stored_names import current_columns, stored_columns
from hoodoo.record import Choice, Records
from hoodoo.schema.columns import one_array
from hoodoo.schema.meta_columns import COMMIT_SEQNO, COMMIT_TIME, RECORD_KEY, REPEATED_TYPE
from hoodoo.writing.data_files.base_file import Output
from hoodoo.writing.data_files.log_file import write_log
from hoodoo.writing.data_files.row_assembly import inserted_rows, merged_rows, unchanged_rows
from hoodoo.writing.data_files.task_attempt import TaskAttempt
from hoodoo.writing.file_status import FileStatus
from hoodoo.writing.routing.partition_moves import Moves
from hoodoo.writing.routing.small_files import record_size
from hoodoo.writing.routing.task_plan import SliceRef, TaskPlan
from hoodoo.writing.tasks.key_collisions import Collisions
from hoodoo.writing.tasks.statement_rows import Lost, StatementRows
from hoodoo.writing.tasks.stored_rows import Splits, rows_under

__all__ = ["GroupWriter"]

ROW_GROUP_ROWS = 128 * 1024

_Pairs: TypeAlias = tuple[NDArray[np.int64], NDArray[np.int64]]
"""Positions of stored rows, and for each the position of the record with its key."""


@frozen
class GroupWriter:
    """Writer of the file groups of one task, one at a time; stored rows are read in batches.

    There is one incoming record per key if the operation merges, otherwise one per row. `incoming` is the number of
    rows from which the records were made. `moved` are the moves of rows out of and into the file group; None for none.

    Attributes:
        plan: The plan of the write.
        rule: The merge rule.
        attempt: The attempt at the task.
        collisions: Comparison of records with stored rows of the same key.
        splits: Splits for reading the slices with logs to which a statement appends.
        kept: Keys of base files that the last search has read, until these files are rewritten.
        statement: The checks and counts of the rows of a statement; None for rows of a user.
    """

    plan: TaskPlan
    rule: Rule
    attempt: TaskAttempt
    splits: Splits = field(factory=dict)
    collisions: Collisions = field(init=False)
    kept: KeptKeys = field(init=False, factory=KeptKeys)
    statement: StatementRows | None = field(init=False)

    @collisions.default
    def _compared(self) -> Collisions:
        return Collisions(self.plan)

    @statement.default
    def _of_statement(self) -> StatementRows | None:
        return None if self.plan.operation.statement is None else StatementRows(self.plan, self.rule)

    def rewrite(
        self, partition: str, ref: SliceRef, newer: Records, incoming: int, moved: Moves | None = None
    ) -> FileStatus:
        """Write a new base file of a stored slice, with records merged, or appended if the operation never merges.

        If nothing changes, the new file is removed, and the `path` of the status is "".

        Raises:
            CorruptTableError: The stored base file is damaged or missing, or lacks values of the meta columns.
            DataError: A stored row has the key of a record and other values in the key columns, or a statement inserts
                a stored key.
            CommitError: The commit or a rollback discarded the file.
        """
        with Output(self.plan, self.attempt, partition, ref.file_id, ref, carries=True) as output:
            new, idle = np.ones(len(newer), dtype=bool), np.ones(len(newer), dtype=bool)
            keys = newer.keys
            previous: pa.Table | None = None
            left = 0
            for rows, found in self._stored(partition, ref, keys if moved is None else None):
                stored = rows if moved is None else self._without(output, rows, moved.leaving)
                left += rows.num_rows - stored.num_rows
                del rows
                if previous is not None:
                    output.write(previous)
                    previous = None  # frees the memory before the next batch is merged
                previous = self._merge_batch(output, partition, stored, newer, found or keys, new, idle)
                del stored
            admitted = self._admitted(newer.take(np.flatnonzero(new)))
            self._append(output, [admitted, *([] if moved is None else [moved.arriving])], previous)
            lost = self._left_out(int(idle.sum()) - len(admitted))
            status = evolve(output.close(incoming, lost.count), refused=lost.examples)
            # a statement counts a moved row once, as updated in the new partition
            return status if self.statement is None else evolve(status, deleted=status.deleted - left)

    def append(
        self, partition: str, ref: SliceRef, newer: Records, incoming: int, moved: Moves | None = None
    ) -> FileStatus:
        """Write records to a new log of a slice and return its status; without a record to write, no log is written.

        An operation that only inserts leaves out deletes, as in a base file.
        """
        self.collisions.check_unread(self.attempt.storage, partition, ref, newer)
        logged = self._chosen(partition, ref, newer) if self.plan.operation.merges else self._admitted(newer)
        # rows of a statement without a clause are not counted
        ignored = 0 if self.statement is not None else len(newer) - len(logged)
        leaving = None if moved is None else moved.leaving
        if not len(logged) and not leaving:
            return FileStatus.nothing_written(partition, incoming, ignored)
        status = write_log(self.plan, self.attempt, partition, ref, logged, incoming, leaving)
        if self.statement is not None:
            return self.statement.counted(status, logged, 0 if leaving is None else len(leaving))
        return evolve(status, ignored=ignored)

    def _chosen(self, partition: str, ref: SliceRef, newer: Records) -> Records:
        """Return the records to log. If the rows have two clause numbers, compare the records with stored rows."""
        statement = self.plan.operation.statement
        if self.statement is None or statement is None or statement.compared is None:
            return newer
        names, storage = statement.compared, self.attempt.storage
        stored = rows_under(self.plan, storage, partition, ref, newer.keys, names, self.splits)
        return self.statement.against(stored, newer)

    def create(self, partition: str, newer: Records, incoming: int, moved: Moves | None = None) -> list[FileStatus]:
        """Write records into new file groups, whose base files have an expected size of at most `max_file_size`."""
        admitted = self._admitted(newer)
        per_file = max(1, self.plan.files.options.max_file_size // record_size(self.plan, newer.source.table))
        parts = [admitted, *([] if moved is None else [moved.arriving])]
        statuses = [
            self._create(partition, new_file_id(), _cut(parts, start, start + per_file))
            for start in range(0, sum(map(len, parts)), per_file)
        ]
        return self._counted(statuses, partition, incoming, self._left_out(len(newer) - len(admitted)))

    def create_bucket(self, partition: str, bucket: int, newer: Records, incoming: int) -> list[FileStatus]:
        """Write records into a new file group of a bucket, which begins with a log if merged records go to logs."""
        if self.plan.table.appends and self.plan.operation.merges:
            ref = SliceRef(bucket_file_id(bucket), self.plan.instant, "", 0)
            return [self.append(partition, ref, newer, incoming)]
        admitted = self._admitted(newer)
        statuses = [self._create(partition, bucket_file_id(bucket), [admitted])] if len(admitted) else []
        return self._counted(statuses, partition, incoming, self._left_out(len(newer) - len(admitted)))

    def search(self, keys: pa.Array) -> IncomingKeySearch:
        """Return a search for incoming keys in file slices; it keeps keys of base files for `rewrite`."""
        self.kept.clear()
        kept = None if self.plan.table.appends else self.kept
        return IncomingKeySearch(self.attempt.storage, keys, self.plan.index, self.plan.stored_keys, kept)

    def _merge_batch(
        self,
        output: Output,
        partition: str,
        stored: pa.Table,
        newer: Records,
        keys: pa.Array | _Pairs,
        new: NDArray[np.bool_],
        idle: NDArray[np.bool_],
    ) -> pa.Table:
        """Merge one batch of stored rows with the incoming records of their keys, and return it.

        Records whose key is stored are removed from `new`, those that changed a row from `idle`. `keys` are the keys of
        the records, or the pairs of stored rows and records.
        """
        stored_keys = one_array(stored.column(RECORD_KEY))
        _check_filled(output, stored, RECORD_KEY)
        if not self.plan.operation.merges:
            return unchanged_rows(stored, self.plan.table.file_schema, output.stamp)
        rows, partners = keys if isinstance(keys, tuple) else pairs(stored_keys, keys)
        if not len(rows):
            return unchanged_rows(stored, self.plan.table.file_schema, output.stamp)
        self.collisions.check_matched(partition, stored, rows, newer, partners)
        new[partners] = False
        if self.statement is None:
            records = newer.take(partners)
        else:
            rows, partners, records = self.statement.matched(rows, partners, newer)
            self.statement.check_new(records.keys)
            if not len(rows):
                return unchanged_rows(stored, self.plan.table.file_schema, output.stamp)
        older = self.rule.stored(stored, self.plan.table.schema, stored_keys).records(rows)
        matched = MatchedRows.of(rows, records, self.rule.combine(older, records))
        changed = int(matched.changed.sum())
        if self.statement is not None:
            self.statement.count_lost(records.keys.filter(pa.array(~(matched.changed | matched.removed))))
        if self.plan.files.event_time:
            output.track_event_time(records.take(np.flatnonzero(matched.changed)))
        output.updated += changed
        output.deleted += int(matched.removed.sum())
        idle[partners[matched.changed | matched.removed]] = False
        if output.stamp.fills_meta:
            _check_filled(output, stored, COMMIT_TIME)
        return merged_rows(
            stored, self.plan.table.file_schema, matched, output.stamp, self.attempt.numbering.reserve(changed)
        )

    def _without(self, output: Output, stored: pa.Table, leaving: pa.Array) -> pa.Table:
        """Return stored rows without those of keys that move out."""
        stays = pc.invert(pc.is_in(stored.column(RECORD_KEY), value_set=leaving))
        kept = stored.filter(stays)
        output.deleted += stored.num_rows - kept.num_rows
        return kept if kept.num_rows < stored.num_rows else stored

    def _append(self, output: Output, parts: list[Records], previous: pa.Table | None) -> None:
        """Write new rows after the last batch of stored ones, in one row group with that batch if they fit.

        The first part has rows of new keys, and the others have rows that move in. In a statement, these are updates.
        """
        for place, newer in enumerate(parts):
            if place and self.statement is not None:
                output.updated += len(newer)
            else:
                output.inserted += len(newer)
            output.add_new_keys(newer)
            output.track_event_time(newer)
        pieces = (
            newer.take(np.arange(start, min(start + ROW_GROUP_ROWS, len(newer))))
            for newer in parts
            for start in range(0, len(newer), ROW_GROUP_ROWS)
        )
        for rows in pieces:
            table = inserted_rows(
                rows, self.plan.table.file_schema, output.stamp, self.attempt.numbering.reserve(len(rows))
            )
            if previous is not None and previous.num_rows + table.num_rows <= 2 * ROW_GROUP_ROWS:
                previous = _joined(previous, table)
                continue
            if previous is not None:
                output.write(previous)
            previous = table
        if previous is not None:
            output.write(previous)

    def _create(self, partition: str, file_id: str, parts: list[Records]) -> FileStatus:
        with Output(self.plan, self.attempt, partition, file_id, None) as output:
            self._append(output, parts, None)
            return output.close(0, 0)

    def _admitted(self, newer: Records) -> Records:
        """Return the records to write as new rows, without deletes and records that the rule ignores."""
        if not self.plan.operation.merges:
            return newer.take(np.flatnonzero(~newer.is_delete)) if newer.is_delete.any() else newer
        if self.statement is not None:
            newer = self.statement.new(newer)
            self.statement.check_whole(newer)
        if not len(newer):
            return newer
        outcome = self.rule.insert(newer)
        admitted = np.flatnonzero(outcome.choice == Choice.TAKE)
        if self.statement is not None:
            self.statement.count_lost(newer.keys.filter(pa.array((outcome.choice != Choice.TAKE) & ~newer.is_delete)))
        taken = newer if len(admitted) == len(newer) else newer.take(admitted)
        if outcome.patch:
            patch = {name: values.take(pa.array(admitted)) for name, values in outcome.patch.items()}
            taken = Records(taken.source, taken.rows, {**taken.patches, **patch})
        return taken

    def _left_out(self, ignored: int) -> Lost:
        """Return the records to count as ignored; for a statement, only those that the rule rejected."""
        return Lost(ignored) if self.statement is None else self.statement.take_lost()

    def _counted(self, statuses: list[FileStatus], partition: str, incoming: int, left_out: Lost) -> list[FileStatus]:
        first = statuses[0] if statuses else FileStatus.nothing_written(partition, incoming)
        counted = evolve(first, incoming=incoming, ignored=left_out.count, refused=left_out.examples)
        return [counted, *statuses[1:]]

    def _stored(self, partition: str, ref: SliceRef, keys: pa.Array | None) -> Iterator[tuple[pa.Table, _Pairs | None]]:
        """Yield batches of stored rows, each with the pairs of its rows and `keys`.

        The pairs are None if `keys` is None, or if the last search kept no keys of the file.
        """
        known, source = self.kept.take(ref.path), self.plan.stored_keys
        meta = [pa.field(COMMIT_TIME, REPEATED_TYPE), pa.field(COMMIT_SEQNO, pa.string())]
        key = pa.field(RECORD_KEY, pa.string())
        schema = pa.schema([*meta, *([] if known else [key]), *self.plan.table.schema])
        values = self.plan.table.path_columns.values(partition)
        partners = None if known is None or keys is None else known.partners(keys)
        # key generators make keys of plain columns
        read = read_encoded if source.make is None else read_base_file
        at = 0
        names = self.plan.table.names.of_instant(ref.instant)
        stored = read(self.attempt.storage, ref.path, stored_columns(schema, names), batch_rows=ROW_GROUP_ROWS)
        for rows in current_columns(stored, schema, names):
            end = at + rows.num_rows
            if known is None:
                rows = source.filled(rows, ref.path)
            else:
                rows = rows.add_column(len(meta), key, one_array(known.keys.slice(at, rows.num_rows)))
            found = None
            if partners is not None:
                here = partners[at:end]
                places = np.flatnonzero(here >= 0)
                found = places, here[places]
            at = end
            yield filled(rows, values), found


def _check_filled(output: Output, stored: pa.Table, name: str) -> None:
    """Raise `CorruptTableError` if a stored row has null in a meta column that the table fills."""
    if stored.column(name).null_count:
        file = output.path if output.replaced is None else output.replaced.path
        raise CorruptTableError(f"'{file}' has rows without {name}; restore the file", file=file)


def _cut(parts: list[Records], start: int, end: int) -> list[Records]:
    """Return the records from `start` to `end` of several parts, numbered consecutively; a part may become empty."""
    cut, before = [], 0
    for records in parts:
        first, last = max(0, start - before), min(len(records), end - before)
        cut.append(records.take(np.arange(first, max(first, last))))
        before += len(records)
    return cut


def _joined(first: pa.Table, second: pa.Table) -> pa.Table:
    """Return both tables as one, with unified dictionaries, so that they can be in one row group."""
    for number, (one, other) in enumerate(zip(first.schema, second.schema, strict=True)):
        if pa.types.is_dictionary(one.type) and not pa.types.is_dictionary(other.type):
            second = second.set_column(number, one, second.column(number).dictionary_encode().cast(one.type))
    return pa.concat_tables([first, second]).unify_dictionaries()
