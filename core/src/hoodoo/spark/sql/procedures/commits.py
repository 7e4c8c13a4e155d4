"""Procedures about commits, with the same rows as in Hudi. The argument `limit` is the maximum number of rows."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from datetime import timedelta
from decimal import ROUND_HALF_EVEN, Decimal
from itertools import islice
from typing import Any

import numpy as np

from hoodoo.archived_timeline.archived_timeline import Archive
from hoodoo.errors import StatementError
from hoodoo.spark.sql.procedures.instants import files_of
from hoodoo.spark.sql.tables.named_table import NamedTable
from hoodoo.timeline import CommitMetadata, Instant, utc_now
from hoodoo.timeline.instant_time import format_instant
from hoodoo.timeline.write_stat import NO_PREVIOUS_COMMIT, WriteStat

__all__ = [
    "archived_commits",
    "archived_commits_metadata",
    "commit_extra_metadata",
    "commit_files",
    "commit_partitions",
    "commit_write_stats",
    "commits",
    "write_amplification",
]

Rows = list[list[Any]]


def commits(spark: Any, target: NamedTable, given: Mapping[str, Any]) -> Rows:
    """Return the commits, the newest first, with their numbers of bytes, files, partitions, rows and errors."""
    timeline = target.table(spark).timeline
    instants = list(reversed(timeline.commits))[: given["limit"]]
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


def archived_commits(spark: Any, target: NamedTable, given: Mapping[str, Any]) -> Rows:
    """Return the archived commits of a range of time, the newest first, with the same numbers as `commits`."""
    rows = (_commit(instant, metadata) for instant, metadata in _archived(spark, target, given))
    return [[time, completed, *numbers] for time, completed, _, *numbers in islice(rows, given["limit"])]


def archived_commits_metadata(spark: Any, target: NamedTable, given: Mapping[str, Any]) -> Rows:
    """Return the files that each archived commit of a range of time wrote, the newest commit first."""
    rows = (row for instant, metadata in _archived(spark, target, given) for row in files_of(instant, metadata))
    return list(islice(rows, given["limit"]))


def _archived(spark: Any, target: NamedTable, given: Mapping[str, Any]) -> Iterator[tuple[Instant, CommitMetadata]]:
    """Yield the archived commits of a range of time, the newest first.

    By default they are between ten days and one day old, as in Hudi.
    """
    timeline = target.table(spark).timeline
    days = {"start_ts": 10, "end_ts": 1}
    start, end = (
        str(given[name] or "") or format_instant(utc_now() - timedelta(days=ago), timeline.zone)
        for name, ago in days.items()
    )
    archive = Archive(timeline)
    for instant in reversed(archive.commits):
        if start < instant.time <= end:
            yield instant, archive.commit_metadata(instant)


def write_amplification(spark: Any, target: NamedTable, given: Mapping[str, Any]) -> Rows:
    """Return the numbers of updated and written rows, and the quotient written / updated: by commit, and in total.

    The oldest commit is first, the total is the last row. Delta commits are left out, as in Hudi.
    """
    timeline = target.table(spark).timeline
    rows: Rows = []
    for instant in (each for each in timeline.commits if each.action != "deltacommit"):
        stats = list(timeline.commit_metadata(instant).stats())
        updated, written = sum(stat.num_update_writes for stat in stats), sum(stat.num_writes for stat in stats)
        rows.append([instant.time, updated, written, _factor(written, updated)])
    updated, written = sum(row[1] for row in rows), sum(row[2] for row in rows)
    return [*rows, ["Total", updated, written, _factor(written, updated)]][: given["limit"]]


def _factor(written: int, updated: int) -> str:
    """Return a quotient as Hudi shows it: with two decimals, without a leading zero; "0" if no row was updated."""
    if not updated:
        return "0"
    quotient = float(np.float32(written) / np.float32(updated))
    return str(Decimal(quotient).quantize(Decimal("0.01"), ROUND_HALF_EVEN)).removeprefix("0")


def _added(stats: list[WriteStat]) -> int:
    return sum(stat.prev_commit == NO_PREVIOUS_COMMIT for stat in stats)


def _named(spark: Any, target: NamedTable, time: Any) -> tuple[Instant, CommitMetadata]:
    """Return the commit of an instant time, or the newest commit for None, and its metadata.

    Raise `StatementError` if there is no such commit.
    """
    timeline = target.table(spark).timeline
    found = [each for each in timeline.commits if time is None or each.time == str(time)]
    if not found:
        named = "no commits" if time is None else f"no commit {str(time)!r}"
        raise StatementError(
            f"table '{target}' has {named} on its active timeline; CALL show_commits and show_archived_commits list "
            "the commits"
        )
    return found[-1], timeline.commit_metadata(found[-1])


def commit_files(spark: Any, target: NamedTable, given: Mapping[str, Any]) -> Rows:
    """Return the files that a commit wrote. Raise `StatementError` if the active timeline lacks the commit."""
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
    return rows[: given["limit"]]


def commit_partitions(spark: Any, target: NamedTable, given: Mapping[str, Any]) -> Rows:
    """Return the numbers of files, rows, bytes and errors of a commit by partition.

    Raise `StatementError` if the active timeline lacks the commit.
    """
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
    return rows[: given["limit"]]


def commit_write_stats(spark: Any, target: NamedTable, given: Mapping[str, Any]) -> Rows:
    """Return the bytes and rows that a commit wrote, and the bytes per row, rounded up: null if there are no rows.

    Raise `StatementError` if the active timeline lacks the commit.
    """
    instant, metadata = _named(spark, target, given["instant_time"])
    stats = list(metadata.stats())
    size, records = sum(stat.total_write_bytes for stat in stats), sum(stat.num_writes for stat in stats)
    return [[instant.completed_action, size, records, math.ceil(size / records) if records else None]]


def commit_extra_metadata(spark: Any, target: NamedTable, given: Mapping[str, Any]) -> Rows:
    """Return the extra metadata of a commit, by default of the newest one: all entries, or that of `metadata_key`.

    Raise `StatementError` if the active timeline lacks the commit.
    """
    instant, metadata = _named(spark, target, given["instant_time"])
    wanted = given["metadata_key"]
    rows = [
        [instant.time, instant.completed_action, key, value]
        for key, value in metadata.extra_metadata.items()
        if wanted is None or key == str(wanted).strip()
    ]
    return rows[: given["limit"]]
