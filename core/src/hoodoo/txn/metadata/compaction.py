"""Compaction of the metadata table: the records of each shard are written to a new base file, to limit the logs.

Like hoodoo's compaction of a table, it is one commit without a plan: a writer that finds it pending rolls it back.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from hoodoo.metadata_table import MetadataTable
from hoodoo.metadata_table.maintenance.compacted_shard import compacted_shards
from hoodoo.metadata_table.maintenance.record_schema import commit_schema, record_schema
from hoodoo.properties import METADATA_TABLE_FOLDER
from hoodoo.storage import join
from hoodoo.timeline import CommitMetadata, Instant, State, Timeline, WriteStat, following_instant
from hoodoo.txn.instant_creation import create_early_file
from hoodoo.txn.metadata.new_times import new_time
from hoodoo.txn.metadata.upkeep import remove_old

__all__ = ["compact_if_due", "latest_compaction"]

Clock = Callable[[], datetime]

_OPERATION = "COMPACT"
_SUFFIX = "001"
"""End of the time of a compaction in timeline layout 1, after the time of the latest delta commit."""

_DIGITS = 17

_MOST_DELAY = 2
"""Multiple of the due number of delta commits, from which on a compaction no longer waits for other writers."""


def latest_compaction(metadata: Timeline) -> str | None:
    """Return the time of the latest compaction of a metadata table, 17 digits; None without one."""
    return max((commit.time[:_DIGITS] for commit in metadata.commits if commit.action == "commit"), default=None)


def compact_if_due(metadata: MetadataTable, own: str, clock: Clock, after: int) -> MetadataTable:
    """Compact a metadata table that has enough delta commits, unless an instant of it or of the table is pending.

    A base file must have the changes of all instants before it, and none of an instant that may be rolled back. `own`
    and cleans of the metadata table do not count. A compaction also waits if it would not be before `own`; in timeline
    layout 2, only until there are `_MOST_DELAY` times as many delta commits. The compaction is followed by a clean and
    an archive, see `remove_old`.

    Args:
        metadata: The metadata table; the caller holds the table lock.
        own: The pending instant of the caller, which has no delta commit yet.
        clock: The writer's clock.
        after: Number of delta commits since the last compaction after which the next compaction is due.

    Returns:
        The metadata table afterwards.

    Raises:
        CorruptTableError: A file of the metadata table is damaged.
    """
    timeline = metadata.metadata
    pending = any(instant.action != "clean" for instant in timeline.pending)
    if pending or any(instant.time != own for instant in metadata.timeline.pending):
        return metadata
    last = max((i.completed_at or "" for i in timeline.commits if i.action == "commit"), default="")
    deltas = [i for i in timeline.commits if i.action == "deltacommit" and (i.completed_at or "") > last]
    if len(deltas) < after:
        return metadata
    if timeline.layout == 1:
        newest = max(instant.time for instant in timeline.commits)[:_DIGITS]
        time = newest + _SUFFIX
        # a compaction must be later than the instants that it contains, and earlier than the instant of the caller
        # a partition that was created since the newest instant of the table has a later time than the compaction
        if own <= newest or any(instant.time >= time for instant in timeline.instants):
            return metadata
    else:
        # Hudi 1.0.2 cannot roll back an instant before a compaction, such as the instant of a writer that dies now
        time = following_instant(_newest(metadata, own))
        if following_instant(time) >= own:
            # other writers committed since the caller began; if they always do, the logs must not grow without limit
            if len(deltas) < _MOST_DELAY * after:
                return metadata
            time = new_time(metadata.timeline, timeline, clock())
    _compact(metadata, Instant(time, "commit"))
    metadata = _reloaded(metadata)
    if timeline.pending:
        # a clean by Hudi
        return metadata
    remove_old(metadata, clock)
    return _reloaded(metadata)


def _newest(metadata: MetadataTable, own: str) -> str:
    """Return the latest start or completion time, 17 digits, of the instants of both timelines, except `own`."""
    instants = {*metadata.timeline.instants, *metadata.metadata.instants}
    times = {time for each in instants if each.time != own for time in (each.time, each.completed_at or "")}
    return max(times)[:_DIGITS]


def _reloaded(metadata: MetadataTable) -> MetadataTable:
    return MetadataTable(
        metadata.storage, metadata.table, metadata.timeline, metadata.metadata.reloaded(metadata.storage)
    )


def _compact(metadata: MetadataTable, compaction: Instant) -> None:
    timeline, storage = metadata.metadata, metadata.storage
    create_early_file(storage, timeline.path_of(compaction.at(State.REQUESTED)), b"")
    inflight = CommitMetadata(_OPERATION, compacted=True).to_bytes(timeline.layout)
    create_early_file(storage, timeline.path_of(compaction.at(State.INFLIGHT)), inflight)
    schema = record_schema(metadata)
    stats: dict[str, tuple[WriteStat, ...]] = {}
    for partition in metadata.partitions:
        written = []
        for shard in compacted_shards(metadata, partition, schema, compaction.time):
            storage.create(join(METADATA_TABLE_FOLDER, shard.path), shard.body)
            written.append(shard.stat)
        if written:
            stats[partition] = tuple(written)
    body = CommitMetadata(_OPERATION, stats, {"schema": commit_schema(metadata)}, compacted=True)
    if timeline.layout > 1:
        compaction = Instant(compaction.time, compaction.action, completion_time=following_instant(compaction.time))
    create_early_file(storage, timeline.path_of(compaction), body.to_bytes(timeline.layout))
