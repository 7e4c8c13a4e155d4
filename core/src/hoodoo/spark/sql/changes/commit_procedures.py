"""Procedures about commits, with the rows that they have in Hudi."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from hoodoo.errors import StatementError
from hoodoo.spark.sql.tables.named_table import NamedTable
from hoodoo.timeline import CommitMetadata, Instant
from hoodoo.timeline.write_stat import NO_PREVIOUS_COMMIT, WriteStat

__all__ = ["commit_extra_metadata", "commit_files", "commit_partitions", "commit_write_stats", "commits"]

Rows = list[list[Any]]


def commits(spark: Any, target: NamedTable, given: Mapping[str, Any]) -> Rows:
    """Return the commits, the newest first, with their numbers."""
    timeline = target.table(spark).timeline
    instants = list(reversed(timeline.commits))[: int(given["limit"])]
    return [_commit(instant, timeline.commit_metadata(instant)) for instant in instants]


def _commit(instant: Instant, metadata: CommitMetadata) -> list[Any]:
    stats = list(metadata.stats())
    added = _added(stats)
    return [
        instant.time,
        instant.completed_at,
        instant.completed_action,
        sum(stat.total_write_bytes for stat in stats),
        added,
        len(stats) - added,
        len({stat.partition_path for stat in stats}),
        sum(stat.num_writes for stat in stats),
        sum(stat.num_update_writes for stat in stats),
        sum(stat.total_write_errors for stat in stats),
    ]


def _added(stats: list[WriteStat]) -> int:
    return sum(stat.prev_commit == NO_PREVIOUS_COMMIT for stat in stats)


def _named(spark: Any, target: NamedTable, time: Any) -> tuple[Instant, CommitMetadata]:
    """Return a commit; the newest one for None. Raises `StatementError` if the timeline does not have it."""
    timeline = target.table(spark).timeline
    found = [each for each in timeline.commits if time is None or each.time == str(time)]
    if not found:
        named = "no commits" if time is None else f"no commit {str(time)!r}"
        raise StatementError(f"table '{target}' has {named}; CALL show_commits lists those that are not archived")
    return found[-1], timeline.commit_metadata(found[-1])


def commit_files(spark: Any, target: NamedTable, given: Mapping[str, Any]) -> Rows:
    """Return the files that a commit wrote."""
    instant, metadata = _named(spark, target, given["instant_time"])
    rows = [
        [
            instant.completed_action,
            stat.partition_path,
            stat.file_id,
            stat.prev_commit,
            stat.num_update_writes,
            stat.num_writes,
            stat.total_write_bytes,
            stat.total_write_errors,
            stat.file_size_in_bytes,
        ]
        for stat in metadata.stats()
    ]
    return rows[: int(given["limit"])]


def commit_partitions(spark: Any, target: NamedTable, given: Mapping[str, Any]) -> Rows:
    """Return the numbers of a commit by partition."""
    instant, metadata = _named(spark, target, given["instant_time"])
    by_partition: dict[str, list[WriteStat]] = {}
    for stat in metadata.stats():
        by_partition.setdefault(stat.partition_path or "", []).append(stat)
    rows = [
        [
            instant.completed_action,
            partition,
            _added(stats),
            len(stats) - _added(stats),
            sum(stat.num_inserts for stat in stats),
            sum(stat.num_update_writes for stat in stats if stat.prev_commit != NO_PREVIOUS_COMMIT),
            sum(stat.total_write_bytes for stat in stats),
            sum(stat.total_write_errors for stat in stats),
        ]
        for partition, stats in sorted(by_partition.items())
    ]
    return rows[: int(given["limit"])]


def commit_write_stats(spark: Any, target: NamedTable, given: Mapping[str, Any]) -> Rows:
    """Return the numbers of a commit; the average size of a record is null without records."""
    instant, metadata = _named(spark, target, given["instant_time"])
    stats = list(metadata.stats())
    size, records = sum(stat.total_write_bytes for stat in stats), sum(stat.num_writes for stat in stats)
    return [[instant.completed_action, size, records, math.ceil(size / records) if records else None]]


def commit_extra_metadata(spark: Any, target: NamedTable, given: Mapping[str, Any]) -> Rows:
    """Return the extra metadata of a commit, by default of the newest one."""
    instant, metadata = _named(spark, target, given["instant_time"])
    wanted = given["metadata_key"]
    rows = [
        [instant.time, instant.completed_action, key, value]
        for key, value in metadata.extra_metadata.items()
        if wanted is None or key == str(wanted).strip()
    ]
    return rows[: int(given["limit"])]
