"""Result of a commit."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from attrs import frozen

from hoodoo.format.file_names import LogFileName
from hoodoo.storage import name_of
from hoodoo.timeline import CommitMetadata, Instant, Timeline, WriteStat
from hoodoo.txn import WRITE_ID_KEY
from hoodoo.writing.file_status import FileStatus

__all__ = ["Commit", "Timing", "commit_from", "commit_of", "metadata_of"]

_IGNORED = "hoodoo.rows.ignored"
_INCOMING = "hoodoo.rows.incoming"
_SECONDS = "hoodoo.seconds"
_INDEX_SECONDS = "hoodoo.seconds.index"
_IS_SECONDS = re.compile(r"\d{1,12}\.\d{3}").fullmatch


@frozen
class Commit:
    """Result of one commit.

    Attributes:
        table: Location of the table.
        instant: Time of the commit, `yyyyMMddHHmmssSSS` in the time zone of the timeline. None if mode `ignore`
            found a table.
        operation: `upsert`, `insert`, ...; `ignore` if mode `ignore` found a table.
        rows_incoming: Incoming rows; None for commits of other writers.
        rows_inserted: Rows whose key was not stored, and all rows of an operation that looks no keys up.
        rows_updated: Stored rows that changed; a log may also count rows with new keys, which a bucket index does not
            look up.
        rows_deleted: Stored rows that were removed; a log may also count deletes of keys that are not stored.
        rows_ignored: Records that changed nothing, for example late records; None for commits of other writers.
        files: Number of base and log files written.
        bytes: Total size of these files in bytes.
        index_seconds: Total seconds of all tasks for the look-up of keys. None for compactions, for commits of other
            writers, and if the look-up was a separate stage (a global index, or another index without buckets if tasks
            share partitions).
        write_seconds: Total seconds of all tasks for merging rows and writing files.
        seconds: Seconds from the beginning of the write to its commit; None for compactions and for commits of other
            writers.
        min_event_time: The smallest event time written, in milliseconds since the epoch; None if event times are not
            tracked, or no written row has one.
        max_event_time: The largest event time written; otherwise like `min_event_time`.
    """

    table: str
    instant: str | None
    operation: str
    rows_incoming: int | None = 0
    rows_inserted: int = 0
    rows_updated: int = 0
    rows_deleted: int = 0
    rows_ignored: int | None = 0
    files: int = 0
    bytes: int = 0
    index_seconds: float | None = None
    write_seconds: float = 0.0
    seconds: float | None = None
    min_event_time: int | None = None
    max_event_time: int | None = None


@frozen
class Timing:
    """Time that a write took.

    Attributes:
        seconds: Seconds from the beginning of the write to its commit; None if they are not recorded.
        index_seconds: Total seconds of all tasks for the look-up of keys; None if they are not recorded.
    """

    seconds: float | None = None
    index_seconds: float | None = None


def metadata_of(
    operation: str,
    statuses: Iterable[FileStatus],
    schema: str,
    replaced: Mapping[str, tuple[str, ...]] | None = None,
    *,
    compacted: bool = False,
    write_id: str | None = None,
    timing: Timing = Timing(),
) -> CommitMetadata:
    """Return the metadata of a commit, as in Hudi.

    Args:
        operation: `upsert`, `insert`, ...
        statuses: The files that tasks wrote.
        schema: The data columns as an Avro schema in JSON, without meta fields.
        replaced: File ids that are removed from the table, by partition; None if the operation replaces none.
        compacted: Whether the commit is a compaction.
        write_id: The id that the writer gave to the write; None without one.
        timing: The time that the write took.
    """
    statuses = list(statuses)
    stats: dict[str, list[WriteStat]] = {}
    for status in sorted(statuses, key=lambda s: s.path):
        if not status.path:
            continue
        milliseconds = round(status.seconds * 1000)
        stats.setdefault(status.partition, []).append(
            WriteStat(
                file_id=status.file_id,
                path=status.path,
                partition_path=status.partition,
                prev_commit=status.previous or "null",
                num_writes=status.rows,
                num_deletes=status.deleted,
                num_update_writes=status.updated,
                num_inserts=status.inserted,
                total_write_bytes=status.size,
                file_size_in_bytes=status.size,
                total_upsert_time=milliseconds if status.previous else 0,
                total_create_time=0 if status.previous else milliseconds,
                base_file=status.base_file,
                log_files=status.log_files,
                min_event_time=None if status.event_times is None else status.event_times[0],
                max_event_time=None if status.event_times is None else status.event_times[1],
                extra=_log_extra(status),
            )
        )
    extra = {
        "schema": schema,
        _INCOMING: str(sum(status.incoming for status in statuses)),
        _IGNORED: str(sum(status.ignored for status in statuses)),
    }
    if timing.seconds is not None:
        extra[_SECONDS] = f"{timing.seconds:.3f}"
    if timing.index_seconds is not None:
        extra[_INDEX_SECONDS] = f"{timing.index_seconds:.3f}"
    if write_id is not None:
        extra[WRITE_ID_KEY] = write_id
    return CommitMetadata(operation.upper(), {p: tuple(s) for p, s in stats.items()}, extra, replaced, compacted)


def _log_extra(status: FileStatus) -> dict[str, Any]:
    name = LogFileName.parse(name_of(status.path))
    return {} if name is None else {"logVersion": name.version, "logOffset": 0, "recordsStats": {}}


def commit_of(table: str, timeline: Timeline, instant: Instant) -> Commit:
    """Return the result of a completed instant of the table at the location `table`.

    Raises:
        CorruptTableError: The metadata of the commit is damaged.
    """
    return commit_from(table, instant.time, timeline.commit_metadata(instant))


def commit_from(table: str, time: str, metadata: CommitMetadata) -> Commit:
    """Return the result of a commit, from its instant time and metadata; `table` is the location of the table."""
    stats = list(metadata.stats())

    def count(name: str) -> int | None:
        text = metadata.extra_metadata.get(name)
        return int(text) if text is not None and text.isdigit() else None

    def seconds(name: str) -> float | None:
        text = metadata.extra_metadata.get(name)
        return float(text) if text is not None and _IS_SECONDS(text) else None

    times = [(s.min_event_time, s.max_event_time) for s in stats]
    return Commit(
        table=table,
        instant=time,
        operation=metadata.operation_type.lower(),
        rows_incoming=count(_INCOMING),
        rows_inserted=sum(stat.num_inserts for stat in stats),
        rows_updated=sum(stat.num_update_writes for stat in stats),
        rows_deleted=sum(stat.num_deletes for stat in stats),
        rows_ignored=count(_IGNORED),
        files=len(stats),
        bytes=sum(stat.file_size_in_bytes for stat in stats),
        index_seconds=seconds(_INDEX_SECONDS),
        write_seconds=sum(stat.total_upsert_time + stat.total_create_time for stat in stats) / 1000,
        seconds=seconds(_SECONDS),
        min_event_time=min((first for first, _ in times if first is not None), default=None),
        max_event_time=max((last for _, last in times if last is not None), default=None),
    )
