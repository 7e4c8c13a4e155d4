"""Procedures about the instants of a table and the files of these instants, with the same rows as in Hudi.

The argument `limit` is the maximum number of rows; `file_sizes` adds one row.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from fnmatch import fnmatchcase
from typing import Any

from hoodoo.archived_timeline.archived_timeline import Archive
from hoodoo.errors import StatementError
from hoodoo.filegroup import file_groups
from hoodoo.spark.sql.tables.named_table import NamedTable
from hoodoo.storage import FileInfo, name_of
from hoodoo.timeline import CommitMetadata, Instant, State, Timeline, compaction_plan
from hoodoo.timeline.codec.avro_file import read_record

__all__ = [
    "clean_plans",
    "cleans",
    "commits_metadata",
    "compactions",
    "file_sizes",
    "files_of",
    "rollbacks",
    "savepoints",
    "timeline",
]

Rows = list[list[Any]]

_COMPACTION_COUNTS = (
    "totalLogBlocks",
    "totalCorruptLogBlock",
    "totalRollbackBlocks",
    "totalLogRecords",
    "totalUpdatedRecordsCompacted",
)


def timeline(spark: Any, target: NamedTable, given: Mapping[str, Any]) -> Rows:
    """Return the instants, the newest first, with the times of their files.

    If `showArchived` is true, the archived instants follow; their times are null.
    """
    table = target.table(spark).timeline
    times = {
        (instant.time, instant.completed_action, instant.state): _shown(file) for instant, file in _instant_files(table)
    }
    found = [
        [
            instant.time,
            instant.completed_action,
            instant.state.name,
            *(times.get((instant.time, instant.completed_action, state)) for state in State),
            "ACTIVE",
            None,
        ]
        for instant in reversed(table.instants)
    ]
    if given["showarchived"]:
        archived = reversed(Archive(table).instants)
        found += [
            [each.time, each.completed_action, each.state.name, *[None] * 3, "ARCHIVED", None] for each in archived
        ]
    return found[: given["limit"]]


def _instant_files(table: Timeline) -> Iterator[tuple[Instant, FileInfo]]:
    """Yield the files of the active timeline, each as a pair of the instant, in the state of the file, and the file."""
    for file in table.storage.list(table.folder):
        instant = Instant.parse(name_of(file.path), table.layout)
        if instant is not None:
            yield instant, file


def _shown(file: FileInfo) -> str:
    """Return the modification time in the time zone of this machine, as Hudi does."""
    return f"{datetime.fromtimestamp(file.modified / 1000).astimezone():%m-%d %H:%M:%S}"


def commits_metadata(spark: Any, target: NamedTable, given: Mapping[str, Any]) -> Rows:
    """Return the files that each commit wrote, the newest commit first."""
    table = target.table(spark).timeline
    rows = (row for instant in reversed(table.commits) for row in files_of(instant, table.commit_metadata(instant)))
    return _first(rows, given)


def files_of(instant: Instant, metadata: CommitMetadata) -> Iterator[list[Any]]:
    """Yield one row for each file that a commit wrote."""
    for stat in metadata.stats():
        yield [
            instant.time,
            instant.completed_at,
            instant.completed_action,
            stat.partition_path,
            stat.file_id,
            stat.prev_commit,
            stat.num_writes,
            stat.num_inserts,
            stat.num_deletes,
            stat.num_update_writes,
            stat.total_write_errors,
            *(int(stat.extra.get(name) or 0) for name in _COMPACTION_COUNTS),
            stat.total_write_bytes,
        ]


def savepoints(spark: Any, target: NamedTable, given: Mapping[str, Any]) -> Rows:
    """Return the instants of the savepoints, the newest first."""
    return [[instant.time] for instant in _completed(target.table(spark).timeline, "savepoint")]


def rollbacks(spark: Any, target: NamedTable, given: Mapping[str, Any]) -> Rows:
    """Return the instants that were rolled back, the newest rollback first."""
    table = target.table(spark).timeline
    bodies = (_record(table, instant) for instant in _completed(table, "rollback"))
    rows = (
        [
            body["startRollbackTime"],
            time,
            body["totalFilesDeleted"],
            body["timeTakenInMillis"],
            len(body["partitionMetadata"]),
        ]
        for body in bodies
        for time in body["commitsRollback"]
    )
    return _first(rows, given)


def cleans(spark: Any, target: NamedTable, given: Mapping[str, Any]) -> Rows:
    """Return the completed cleans, the newest first."""
    table = target.table(spark).timeline
    bodies = ((instant, _record(table, instant)) for instant in _completed(table, "clean"))
    rows = (
        [
            instant.time,
            instant.completed_at,
            instant.action,
            body["startCleanTime"],
            body["timeTakenInMillis"],
            body["totalFilesDeleted"],
            body["earliestCommitToRetain"],
            body.get("lastCompletedCommitTimestamp"),
            body.get("version"),
        ]
        for instant, body in bodies
    )
    return _first(rows, given)


def clean_plans(spark: Any, target: NamedTable, given: Mapping[str, Any]) -> Rows:
    """Return the plans of the cleans, including pending ones, the newest first.

    Raises:
        StatementError: Plans of archived cleans are requested.
    """
    if given["showarchived"]:
        raise StatementError(
            "show_clean_plans has showArchived => true, but plans of archived cleans are not read; leave the argument "
            "out"
        )
    table = target.table(spark).timeline
    cleans = (instant for instant in reversed(table.instants) if instant.action == "clean")
    return _first((_clean_plan(table, instant) for instant in cleans), given)


def _clean_plan(table: Timeline, instant: Instant) -> list[Any]:
    plan = _record(table, Instant(instant.time, "clean", State.REQUESTED))
    earliest, extra = plan.get("earliestInstantToRetain"), plan.get("extraMetadata")
    return [
        instant.time,
        instant.state.name,
        instant.action,
        None if earliest is None else earliest["timestamp"],
        plan.get("lastCompletedCommitTimestamp"),
        plan.get("policy"),
        plan.get("version"),
        len(plan.get("filePathsToBeDeletedPerPartition") or {}),
        len(plan.get("partitionsToBeDeleted") or ()),
        ", ".join(f"{key}={value}" for key, value in extra.items()) if extra else None,
    ]


def compactions(spark: Any, target: NamedTable, given: Mapping[str, Any]) -> Rows:
    """Return the compactions, including pending ones, with the numbers of their file slices, the newest first.

    Raises:
        StatementError: The table is not merge-on-read.
    """
    table = target.table(spark)
    if table.properties.table_type != "MERGE_ON_READ":
        raise StatementError(
            f"table '{target}' is copy-on-write, and only merge-on-read tables have compactions; use CALL show_commits"
        )
    planned = {
        instant.time
        for instant, _ in _instant_files(table.timeline)
        if instant.action == "compaction" and instant.state is State.REQUESTED
    }
    rows = (
        [instant.time, _slices(table.timeline, instant, is_planned=instant.time in planned), instant.state.name]
        for instant in reversed(table.timeline.instants)
        if instant.time in planned or (instant.completed_action == "commit" and instant.is_completed)
    )
    return _first((row for row in rows if row[1] is not None), given)


def _slices(table: Timeline, instant: Instant, *, is_planned: bool) -> int | None:
    """Return the number of file slices of a compaction; None for a commit of another operation.

    A compaction by hoodoo has no plan: the files that its commit wrote are counted.
    """
    if is_planned:
        return len(compaction_plan(table, Instant(instant.time, "compaction", State.REQUESTED)).operations)
    metadata = table.commit_metadata(instant)
    return sum(1 for _ in metadata.stats()) if metadata.operation_type == "COMPACT" else None


def file_sizes(spark: Any, target: NamedTable, given: Mapping[str, Any]) -> Rows:
    """Return statistics of the sizes in bytes of stored files, by the instant in their names, and then of all files.

    The newest instant is first. The argument `partition_path` is a pattern that selects partitions. Without files there
    are no rows.
    """
    pattern = str(given["partition_path"] or "*")
    sizes: dict[str, list[int]] = {}
    for group in file_groups(target.storage(spark), target.table(spark).timeline):
        for each in group.slices:
            if not fnmatchcase(each.partition, pattern):
                continue
            if each.path:
                sizes.setdefault(each.base_instant, []).append(each.size)
            for log in each.logs:
                sizes.setdefault(log.instant, []).append(log.size)
    rows = [_statistics(time, sizes[time]) for time in sorted(sizes, reverse=True)][: given["limit"]]
    everything = [size for each in sizes.values() for size in each]
    return [*rows, _statistics("ALL", everything)] if everything else []


def _statistics(time: str, sizes: list[int]) -> list[Any]:
    sizes = sorted(sizes)
    shares = [_quantile(sizes, share) for share in (0.1, 0.5, 0.95)]
    deviation = statistics.stdev(sizes) if len(sizes) > 1 else 0.0
    return [time, sizes[0], *shares[:2], statistics.fmean(sizes), shares[2], sizes[-1], len(sizes), deviation]


def _quantile(values: list[int], share: float) -> float:
    """Return a quantile of sorted values, interpolated as in the library that Hudi uses."""
    place = share * (len(values) + 1)
    if place < 1 or place >= len(values):
        return float(values[0 if place < 1 else -1])
    below, above = values[int(place) - 1], values[int(place)]
    return below + (place - int(place)) * (above - below)


def _completed(table: Timeline, action: str) -> list[Instant]:
    return [instant for instant in reversed(table.completed) if instant.action == action]


def _record(table: Timeline, instant: Instant) -> dict[str, Any]:
    return read_record(table.read(instant), table.path_of(instant))


def _first(rows: Iterable[list[Any]], given: Mapping[str, Any]) -> Rows:
    return [row for _, row in zip(range(given["limit"]), rows, strict=False)]
