"""One base file while a task writes it: its name, its marker, what it counts, and its status at the end."""

from __future__ import annotations

import secrets
import time
from types import TracebackType
from typing import Protocol

import pyarrow as pa
from attrs import define, field, frozen

from hoodoo.errors import CommitError
from hoodoo.format.bloom import BloomFilter, BloomShape
from hoodoo.format.file_names import BaseFileName
from hoodoo.format.parquet import BaseFileWriter
from hoodoo.format.partition_metadata import ensure_partition_metadata
from hoodoo.record import Records
from hoodoo.schema.columns import one_array
from hoodoo.schema.meta_columns import RECORD_KEY
from hoodoo.storage import Storage
from hoodoo.txn.markers import MarkerKind, check_marker, create_marker
from hoodoo.writing.arrow_memory import give_back
from hoodoo.writing.file_status import FileStatus
from hoodoo.writing.prepare.bloom_choice import filter_to_extend
from hoodoo.writing.routing.task_plan import SliceRef
from hoodoo.writing.tasks.event_time_range import event_times
from hoodoo.writing.tasks.row_assembly import Stamp

__all__ = ["FilePlan", "Numbering", "Output", "WriteToken"]

_TOKEN_BITS = 31
"""Hudi reads each number of a write token as a Java int."""


def _random_part() -> int:
    return secrets.randbits(_TOKEN_BITS)


@frozen
class WriteToken:
    """Part of a data file's name that no other attempt at a write has, in this application or another.

    Hudi's writers put partition, stage and attempt there. Stages and attempts are counted per Spark application, so
    two applications can choose one name. Here the second and third number are random.

    Attributes:
        task: The number of the task, which also numbers the rows that it writes.
    """

    task: int
    _first: int = field(init=False, factory=_random_part)
    _second: int = field(init=False, factory=_random_part)

    def __str__(self) -> str:
        return f"{self.task}-{self._first}-{self._second}"


@define
class Numbering:
    """The sequence numbers of one task: a task may write several files, and no number comes twice."""

    _next: int = field(init=False, default=0)

    def reserve(self, count: int) -> int:
        """Reserve numbers; the first of them."""
        first = self._next
        self._next += count
        return first


class FilePlan(Protocol):
    """What a base file has to know of the write that it belongs to."""

    @property
    def instant(self) -> str:
        """The instant that is being written."""
        ...

    @property
    def schema(self) -> pa.Schema:
        """The table's data columns."""
        ...

    @property
    def avro_schema(self) -> str:
        """The same as Avro JSON."""
        ...

    @property
    def compression(self) -> str:
        """A Parquet codec."""
        ...

    @property
    def bloom(self) -> BloomShape | None:
        """The bloom filter that base files get; None for none."""
        ...

    @property
    def event_time(self) -> str:
        """The column whose smallest and largest values are told; "" for none."""
        ...


@define
class Output:
    """A base file that is being written. Leaving the `with` block by an error removes what was written.

    `carries` says that the rows of the replaced file come along, and that records whose keys are new go to `takes`.
    """

    plan: FilePlan
    storage: Storage
    token: WriteToken
    partition: str
    file_id: str
    replaced: SliceRef | None
    numbering: Numbering
    carries: bool = False
    inserted: int = 0
    updated: int = 0
    deleted: int = 0
    stamp: Stamp = field(init=False)
    path: str = field(init=False)
    _writer: BaseFileWriter = field(init=False)
    _times: tuple[int, int] | None = field(init=False, default=None)
    _bloom: BloomFilter | None = field(init=False, default=None)
    _extends: bool = field(init=False, default=False)
    _started: float = field(init=False, factory=time.perf_counter)

    def __enter__(self) -> Output:
        name = str(BaseFileName(self.file_id, str(self.token), self.plan.instant))
        self.path = f"{self.partition}/{name}" if self.partition else name
        self.stamp = Stamp(self.plan.instant, self.token.task, self.partition, name)
        ensure_partition_metadata(self.storage, self.partition, self.plan.instant)
        create_marker(self.storage, self.plan.instant, self.path, self._kind)
        if self.plan.bloom is not None:
            if self.carries and self.replaced is not None:
                self._bloom = filter_to_extend(self.storage, self.replaced.path, self.plan.bloom)
            self._extends = self._bloom is not None
            self._bloom = self._bloom or BloomFilter.empty(self.plan.bloom)
        self._writer = BaseFileWriter(
            self.storage,
            self.path,
            self.plan.schema,
            self.plan.avro_schema,
            compression=self.plan.compression,
            bloom=self._bloom,
        )
        try:
            check_marker(self.storage, self.plan.instant, self.path, self._kind)
        except CommitError:
            self._writer.abort()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            self._writer.abort()

    @property
    def _kind(self) -> MarkerKind:
        return "CREATE" if self.replaced is None else "MERGE"

    def write(self, rows: pa.Table) -> None:
        """Write rows, meta columns first, as one row group."""
        if rows.num_rows:
            if self._bloom is not None and not self._extends:
                self._bloom.add(one_array(rows.column(RECORD_KEY)))
            self._writer.write(rows)
            give_back()

    def takes(self, records: Records) -> None:
        """Say which records have keys that the replaced file did not have."""
        if self._bloom is not None and self._extends:
            self._bloom.add(records.keys)

    def saw(self, records: Records) -> None:
        """Say which incoming records stand in the file."""
        times = event_times(records, self.plan.event_time)
        if times is not None:
            known = self._times or times
            self._times = min(known[0], times[0]), max(known[1], times[1])

    def close(self, incoming: int, ignored: int, *, keep: bool = False) -> FileStatus:
        """Finish the file; where nothing changed the stored one stays and the new one is dropped, unless kept."""
        changed = keep or self.replaced is None or self.inserted or self.updated or self.deleted
        unchanged = not changed
        if unchanged:
            self._writer.abort()
        else:
            self._writer.close()
        check_marker(self.storage, self.plan.instant, self.path, self._kind)
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
        )
