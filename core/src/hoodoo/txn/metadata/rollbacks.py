"""Rollbacks of delta commits of the metadata table: those of failed instants of the table and of dead writers."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from attrs import evolve

from hoodoo.errors import CorruptTableError
from hoodoo.metadata_table import MetadataTable
from hoodoo.properties import METADATA_TABLE_FOLDER
from hoodoo.storage import HOODIE_FOLDER, Missing, join
from hoodoo.timeline import Instant, State, Timeline
from hoodoo.timeline.codec.avro_file import read_record, write_record
from hoodoo.timeline.codec.service_schemas import ROLLBACK_METADATA, ROLLBACK_PLAN
from hoodoo.txn.instant_creation import create_early_file, ensure_file
from hoodoo.txn.metadata.new_times import new_time
from hoodoo.txn.metadata.own_timeline import own_timeline
from hoodoo.txn.metadata.upkeep import finish_cleans
from hoodoo.txn.rollback.execution import undo
from hoodoo.txn.rollback.orphaned_files import find_orphaned_files
from hoodoo.txn.rollback.rollback_plan import RollbackPlan

__all__ = ["repaired", "roll_back_delta"]

Clock = Callable[[], datetime]

_SUFFIX = 6
"""Last three digits of the time of a rollback in timeline layout 1, after the time of the table's instant."""

_DIGITS = 17
_FIRST_BUILD = "0" * 13
_WRITES = frozenset({"commit", "deltacommit"})


def repaired(metadata: MetadataTable, own: str, clock: Clock) -> MetadataTable:
    """Roll back the pending instants of dead writers, and the delta commit of an earlier attempt of the caller.

    An instant belongs to a live writer if the table has a pending instant of the same time, because those of dead
    writers were rolled back before. Cleans of hoodoo are finished. Services that Hudi planned stay, until the next
    writer of Hudi finishes them. Temporary files of dead processes are removed.

    Args:
        metadata: The metadata table; the caller holds the table lock.
        own: The instant that the caller is about to commit or to roll back; "" without one.
        clock: The writer's clock.

    Returns:
        The metadata table afterwards.

    Raises:
        CorruptTableError: A compaction of the metadata table contains a delta commit to roll back, or the plan of a
            clean or rollback is damaged.
    """
    live = {instant.time for instant in metadata.timeline.pending} - {own}
    for instant in metadata.metadata.pending:
        if instant.action == "rollback" and instant.time[:_DIGITS] not in live:
            _finish(metadata, instant, clock)
            metadata = _reloaded(metadata)
    if any(instant.action == "clean" for instant in metadata.metadata.pending) and finish_cleans(metadata, clock):
        metadata = _reloaded(metadata)
    for instant in metadata.metadata.instants:
        is_dead = instant.time[:_DIGITS] not in live and not instant.time.startswith(_FIRST_BUILD)
        if instant.time.startswith(_FIRST_BUILD) and not instant.is_completed:
            # its partition is not in use, and the next creation removes the files
            _remove(own_timeline(metadata), instant)
            metadata = _reloaded(metadata)
        elif instant.action in _WRITES and (instant.time == own or (is_dead and not instant.is_completed)):
            roll_back_delta(metadata, instant, None, clock, is_repeated=instant.time == own)
            metadata = _reloaded(metadata)
    _sweep(metadata)
    return metadata


def _sweep(metadata: MetadataTable) -> None:
    """Remove temporary files of dead processes from the folders in which writers create files."""
    timeline = metadata.metadata
    partitions = {join(METADATA_TABLE_FOLDER, partition) for partition in metadata.partitions}
    for folder in {timeline.folder, timeline.archive_folder, join(METADATA_TABLE_FOLDER, HOODIE_FOLDER), *partitions}:
        metadata.storage.sweep(folder)


def roll_back_delta(
    metadata: MetadataTable, failed: Instant, cause: str | None, clock: Clock, *, is_repeated: bool = False
) -> None:
    """Roll back a completed or pending delta commit, or a pending compaction.

    Args:
        metadata: The metadata table; the caller holds the table lock.
        failed: The instant of the metadata table to roll back.
        cause: The time of the table's rollback that requires this one; None without one.
        clock: The writer's clock.
        is_repeated: Whether a delta commit of the same time follows. The logs of `failed` are then deleted in layout 1,
            too: a command block would make readers of Hudi ignore all blocks of the instant, earlier and later ones.

    Raises:
        CorruptTableError: A compaction of the metadata table contains the delta commit.
    """
    timeline = own_timeline(metadata)
    if cause is not None and _is_done(timeline, failed, cause):
        # an interrupted attempt completed the rollback and left the files of the instant
        _remove(timeline, failed)
        return
    if failed.is_completed:
        _check_not_compacted(timeline, failed)
        ensure_file(timeline.storage, timeline.path_of(failed.at(State.INFLIGHT)), b"")
        # without its completed file, the instant is like that of a dead writer, even if this rollback is interrupted
        timeline.storage.delete(timeline.path_of(failed))
        timeline = timeline.reloaded()
    if timeline.layout == 1:
        time = _free_time(timeline, (cause or failed.time)[:_DIGITS])
    else:
        time = cause or new_time(metadata.timeline, timeline, clock())
    left = find_orphaned_files(timeline, failed.at(State.INFLIGHT))
    plan = RollbackPlan(failed.time, failed.action, left.files, left.logs)
    if is_repeated:
        plan = evolve(plan, files=(*left.files, *left.logs), logs={})
    requested = Instant(time, "rollback", State.REQUESTED)
    body = write_record(ROLLBACK_PLAN, plan.to_record(timeline.storage.uri))
    create_early_file(timeline.storage, timeline.path_of(requested), body)
    _execute(metadata.timeline, timeline, requested, plan, clock)


def _is_done(timeline: Timeline, failed: Instant, cause: str) -> bool:
    """Return whether the metadata table has a completed rollback of `failed` whose time begins with `cause`."""
    for instant in timeline.completed:
        if instant.action == "rollback" and instant.time[:_DIGITS] == cause:
            plan = _plan_of(timeline, instant)
            if plan is not None and plan.time == failed.time:
                return True
    return False


def _plan_of(timeline: Timeline, rollback: Instant) -> RollbackPlan | None:
    """Return the plan of a rollback; None if its file is missing or incomplete."""
    path = timeline.path_of(rollback.at(State.REQUESTED))
    try:
        return RollbackPlan.from_record(read_record(timeline.storage.read(path), path), path)
    except (Missing, CorruptTableError):
        return None


def _finish(metadata: MetadataTable, pending: Instant, clock: Clock) -> None:
    """Execute the plan of an interrupted rollback; without a complete plan, remove the rollback."""
    timeline = own_timeline(metadata)
    plan = _plan_of(timeline, pending)
    if plan is None:
        _remove(timeline, pending)
        return
    for instant in timeline.completed:
        if instant.time == plan.time and instant.action in _WRITES:
            # Hudi's plan for a completed delta commit
            ensure_file(timeline.storage, timeline.path_of(instant.at(State.INFLIGHT)), b"")
            timeline.storage.delete(timeline.path_of(instant))
            timeline = timeline.reloaded()
    _execute(metadata.timeline, timeline, pending, plan, clock)


def _execute(table: Timeline, timeline: Timeline, pending: Instant, plan: RollbackPlan, clock: Clock) -> None:
    storage = timeline.storage
    ensure_file(storage, timeline.path_of(pending.at(State.INFLIGHT)), b"")
    record = undo(timeline, plan, pending.time)
    time = None if timeline.layout == 1 else new_time(table, timeline.reloaded(), clock())
    completed = Instant(pending.time, "rollback", completion_time=time)
    create_early_file(storage, timeline.path_of(completed), write_record(ROLLBACK_METADATA, record))
    _remove(timeline, plan.failed)


def _remove(timeline: Timeline, failed: Instant) -> None:
    for state in (State.INFLIGHT, State.REQUESTED):
        timeline.storage.delete(timeline.path_of(failed.at(state)))


def _free_time(timeline: Timeline, time: str) -> str:
    """Return the time of the table's instant with the suffix of a rollback, or with the next free suffix."""
    taken = {instant.time for instant in timeline.instants}
    number = _SUFFIX
    while f"{time}{number:03}" in taken:
        number += 1
    return f"{time}{number:03}"


def _check_not_compacted(timeline: Timeline, failed: Instant) -> None:
    for commit in timeline.commits:
        later = commit.action == "commit" and commit.time[:_DIGITS] >= (failed.completed_at or failed.time)
        if later:
            raise CorruptTableError(
                f"instant {failed.time} failed, and compaction {commit.time} of the metadata table contains it; give "
                "'hoodie.metadata.enable' = 'false' to the next write, which removes the metadata table",
                file=f"{METADATA_TABLE_FOLDER}/{timeline.path_of(commit)}",
            )


def _reloaded(metadata: MetadataTable) -> MetadataTable:
    return MetadataTable(
        metadata.storage, metadata.table, metadata.timeline, metadata.metadata.reloaded(metadata.storage)
    )
