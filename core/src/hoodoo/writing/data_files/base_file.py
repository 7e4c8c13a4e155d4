"""Base file that a task writes, with its name, marker, counts and status."""

from __future__ import annotations

import time
from types import TracebackType
from typing import Protocol

import pyarrow as pa
from attrs import define, field

from hoodoo.errors import CommitError
from hoodoo.format.bloom import BloomFilter
from hoodoo.format.file_names import BaseFileName
from hoodoo.format.parquet import BaseFileWriter
from hoodoo.record import Records
from hoodoo.schema.columns import one_array
from hoodoo.schema.meta_columns import RECORD_KEY
from hoodoo.writing.arrow_memory import release_unused
from hoodoo.writing.data_files.data_file import DataFile
from hoodoo.writing.data_files.event_time_range import event_times
from hoodoo.writing.data_files.row_assembly import Stamp
from hoodoo.writing.data_files.task_attempt import TaskAttempt
from hoodoo.writing.file_status import FileStatus
from hoodoo.writing.prepare.bloom_choice import filter_to_extend
from hoodoo.writing.routing.task_plan import SliceRef
from hoodoo.writing.write_spec import FileSpec, TableSpec

__all__ = ["FilePlan", "Output"]


class FilePlan(Protocol):
    """Settings of a write or a compaction for its base files."""

    @property
    def instant(self) -> str:
        """Return the instant that is being written."""
        ...

    @property
    def table(self) -> TableSpec:
        """Return the table."""
        ...

    @property
    def files(self) -> FileSpec:
        """Return the encoding, the bloom filter and the event time column of files."""
        ...


@define
class Output:
    """Base file that is being written. An error in the `with` block removes the file.

    Attributes:
        plan: The write or compaction.
        attempt: The attempt at the task.
        partition: Partition path.
        file_id: The id of the file group.
        replaced: The stored slice that the file replaces; None for a new file group.
        carries: Whether the rows of the replaced file are copied; `add_new_keys` is then called with the other records.
        inserted: Number of rows whose key was not stored.
        updated: Number of stored rows that changed.
        deleted: Number of stored rows that were removed.
        stamp: The values of the meta columns in the file; set in the `with` block.
        path: Table-relative path of the file; set in the `with` block.
    """

    plan: FilePlan
    attempt: TaskAttempt
    partition: str
    file_id: str
    replaced: SliceRef | None
    carries: bool = False
    inserted: int = 0
    updated: int = 0
    deleted: int = 0
    stamp: Stamp = field(init=False)
    path: str = field(init=False)
    _file: DataFile = field(init=False)
    _writer: BaseFileWriter = field(init=False)
    _times: tuple[int, int] | None = field(init=False, default=None)
    _bloom: BloomFilter | None = field(init=False, default=None)
    _extends: bool = field(init=False, default=False)
    _started: float = field(init=False, factory=time.perf_counter)

    def __enter__(self) -> Output:
        name = str(BaseFileName(self.file_id, str(self.attempt.token), self.plan.instant))
        self.path = f"{self.partition}/{name}" if self.partition else name
        self.stamp = Stamp(self.plan.instant, self.attempt.token.task, self.partition, name, self.plan.table.fills_meta)
        self._file = (
            DataFile(self.plan.instant, self.path, "CREATE", self.partition)
            if self.replaced is None
            else DataFile(self.plan.instant, self.path, "MERGE")
        )
        self.attempt.files.begin(self._file)
        if self.plan.files.bloom is not None:
            if self.carries and self.replaced is not None:
                self._bloom = filter_to_extend(self.attempt.storage, self.replaced.path, self.plan.files.bloom)
            self._extends = self._bloom is not None
            self._bloom = self._bloom or BloomFilter.empty(self.plan.files.bloom)
        self._writer = BaseFileWriter(
            self.attempt.files,
            self.path,
            self.plan.table.file_schema,
            self.plan.table.avro_schema,
            compression=self.plan.files.options.compression,
            bloom=self._bloom,
        )
        if not self.attempt.files.is_announced(self._file):
            self._writer.abort()
            raise CommitError(
                f"commit {self.plan.instant} was rolled back before '{self.path}' was written; repeat the operation"
            )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            self._writer.abort()

    def write(self, rows: pa.Table) -> None:
        """Write rows, whose meta columns come first, as one row group; do nothing if there are no rows."""
        if rows.num_rows:
            if self._bloom is not None and not self._extends:
                self._bloom.add(one_array(rows.column(RECORD_KEY)))
            self._writer.write(rows)
            release_unused()

    def add_new_keys(self, records: Records) -> None:
        """Add the keys of records that the replaced file did not have to the bloom filter.

        Unless the filter extends that of the replaced file, do nothing, because `write` adds all keys.
        """
        if self._bloom is not None and self._extends:
            self._bloom.add(records.keys)

    def track_event_time(self, records: Records) -> None:
        """Extend the file's range of event times by those of incoming records that the file contains."""
        times = event_times(records, self.plan.files.event_time)
        if times is not None:
            known = self._times or times
            self._times = min(known[0], times[0]), max(known[1], times[1])

    def close(self, incoming: int, ignored: int, *, keep: bool = False) -> FileStatus:
        """Finish the file and return its status.

        Args:
            incoming: Number of incoming rows.
            ignored: Number of incoming records that changed nothing.
            keep: Whether to keep the file if nothing changed; otherwise the file is removed and the stored one remains.

        Raises:
            CommitError: The commit or a rollback discarded the file.
        """
        changed = keep or self.replaced is None or self.inserted or self.updated or self.deleted
        unchanged = not changed
        if unchanged:
            self._writer.abort()
        else:
            self._writer.close()
        returned = self.attempt.files.finish(self._file)
        return FileStatus(
            partition=self.partition,
            file_id=self.file_id,
            path="" if unchanged else self.path,
            previous=self.replaced.instant if self.replaced else "",
            rows=0 if unchanged else self._writer.rows,
            inserted=self.inserted,
            updated=self.updated,
            deleted=self.deleted,
            ignored=ignored,
            incoming=incoming,
            size=0 if unchanged else self._writer.size,
            seconds=time.perf_counter() - self._started,
            event_times=self._times,
            returned=returned,
        )
