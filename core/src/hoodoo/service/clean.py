"""Cleaning: delete the files that no retained commit needs.

A clean is planned first. Any writer can execute an existing plan, because deleting a file twice is harmless.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from time import monotonic

from attrs import evolve, frozen

from hoodoo.archived_timeline import load_timeline
from hoodoo.errors import TableChanged
from hoodoo.filegroup import file_groups
from hoodoo.filegroup.clean_plan import CleanPlan
from hoodoo.options import CleanOptions
from hoodoo.properties import TableProperties, load_properties
from hoodoo.service.retention import earliest_to_retain
from hoodoo.service.unneeded_files import unneeded_files
from hoodoo.storage import Storage
from hoodoo.timeline import Instant, State, Timeline, run_with_reloads
from hoodoo.txn import (
    Coordination,
    complete,
    has_metadata_table,
    inflight,
    is_interrupted,
    rollback_pending,
    schedule,
    table_lock,
)
from hoodoo.writing.prepare.requested_properties import check_parquet

__all__ = ["Clean", "clean", "is_clean_due", "prepare_service"]

_AT_ONCE = 8
_BY_VERSIONS = "KEEP_LATEST_FILE_VERSIONS"


@frozen
class Clean:
    """Result of a clean.

    Attributes:
        instant: The instant time; that of the last clean if an interrupted clean was finished first.
        earliest_retained: Time of the first commit as of which the table can be read; None if the policy retains file
            versions.
        files: The table-relative paths of the deleted files.
    """

    instant: str
    earliest_retained: str | None
    files: tuple[str, ...]


def clean(
    storage: Storage,
    options: CleanOptions,
    *,
    known: Timeline | None = None,
    coordination: Coordination = Coordination(),  # noqa: B008 - a frozen value
) -> Clean | None:
    """Roll back interrupted writes, finish an interrupted clean, and delete the files that the policy does not retain.

    Args:
        storage: The table's files.
        options: The policy.
        known: A timeline that was loaded before, whose commits need not be read again; None without one.
        coordination: The clock and the locks of this writer.

    Returns:
        The result; None if no clean was executed.

    Raises:
        UnsupportedTable: The table's metadata table cannot be updated, or the table's base files are not Parquet.
        LockTimeout: The lock of the table was not acquired in time.
        CommitError: An interrupted rollback cannot be finished, see `rollback_pending`.
        CommitStateUnknown: The store does not confirm whether the clean is completed.
        CommitConflict: Another writer created a partition of the metadata table that hoodoo cannot update.
        CorruptTableError: A completed commit, a plan, a savepoint or the metadata table is damaged.
        StorageError: The store failed; the next clean continues.
    """
    properties = load_properties(storage)
    timeline = load_timeline(storage, properties, known)
    prepare_service(storage, properties, timeline, coordination)
    if timeline.pending:
        rollback_pending(storage, timeline, coordination=coordination)
        timeline = timeline.reloaded()
    done = [
        _execute(storage, timeline, instant, plan, coordination)
        for instant in timeline.pending
        if instant.action == "clean"
        and is_interrupted(storage, timeline, instant, coordination)
        and (plan := _interrupted_plan(storage, timeline, instant, coordination)) is not None
    ]
    planned = run_with_reloads(timeline, lambda now: _plan(storage, now, options, coordination.clock()))
    if planned is not None:
        body = planned.to_avro(storage.uri)
        # another writer may have scheduled a clean of the same files in between
        instant = schedule(
            storage, timeline, "clean", lambda now, _: None if _pending_cleans(now) else body, coordination
        )
        if instant is not None:
            done.append(_execute(storage, timeline, instant, planned, coordination))
    if not done:
        return None
    return evolve(done[-1], files=tuple(path for one in done for path in one.files))


def is_clean_due(timeline: Timeline, options: CleanOptions, now: datetime) -> bool:
    """Return whether a clean is pending, or enough commits were made since the last clean.

    Without a pending clean, no clean is due while the policy retains all commits of the timeline.

    Args:
        timeline: The timeline after a commit.
        options: The policy.
        now: The current time, with a zone.
    """
    if _pending_cleans(timeline):
        return True
    if options.clean_policy != _BY_VERSIONS and earliest_to_retain(timeline, options, now) is None:
        return False
    last = max((instant.time for instant in timeline.completed if instant.action == "clean"), default="")
    since = sum(instant.time > last for instant in timeline.commits)
    return since >= options.clean_after_commits


def prepare_service(
    storage: Storage, properties: TableProperties, timeline: Timeline, coordination: Coordination
) -> None:
    """Check the format of base files, and prepare the metadata table, if there is one, for a service.

    Call this function before a service changes files or instants.

    Raises:
        CorruptTableError: The metadata table is damaged.
        UnsupportedTable: The metadata table cannot be updated, or the base files are not in Parquet format.
        LockTimeout: The lock of the table was not acquired in time.
    """
    check_parquet(properties, storage.uri)
    if has_metadata_table(properties):
        # a table without a metadata table does not import its modules
        from hoodoo.txn.metadata.preparation import prepare_metadata_table

        prepare_metadata_table(storage, timeline, coordination)


def _plan(storage: Storage, timeline: Timeline, options: CleanOptions, now: datetime) -> CleanPlan | None:
    earliest = earliest_to_retain(timeline, options, now)
    by_time = options.clean_policy != _BY_VERSIONS
    if timeline.latest_commit is None or (by_time and earliest is None):
        return None
    paths = unneeded_files(storage, timeline, options, earliest)
    if not paths:
        return None
    kept = None if earliest is None else (earliest.time, earliest.completed_action)
    return CleanPlan(options.clean_policy, kept, timeline.latest_commit.time, paths)


def _execute(
    storage: Storage, timeline: Timeline, instant: Instant, plan: CleanPlan, coordination: Coordination
) -> Clean:
    started = monotonic()
    inflight(storage, timeline, instant, plan.to_avro(storage.uri))
    _delete(storage, plan.paths)
    milliseconds = round((monotonic() - started) * 1000)
    body = plan.to_metadata(instant, milliseconds)
    complete(storage, timeline, instant, body, coordination, removed=plan.paths)
    return Clean(instant.time, plan.earliest[0] if plan.earliest else None, plan.paths)


def _delete(storage: Storage, paths: Sequence[str]) -> None:
    if len(paths) <= _AT_ONCE:
        for path in paths:
            storage.delete(path)
        return
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        for _ in pool.map(storage.delete, paths):
            pass


def _interrupted_plan(
    storage: Storage, timeline: Timeline, instant: Instant, coordination: Coordination
) -> CleanPlan | None:
    """Return the plan of an interrupted clean, without the files that the table needs again.

    If the plan was never written, remove the clean and return None.
    """
    requested = instant.at(State.REQUESTED)
    try:
        body = timeline.read(requested)
    except TableChanged:
        # another cleaner completed it and it was archived; or its writer died between two files of an earlier step
        body = b""
    if not body:
        with table_lock(storage, coordination):
            if instant in timeline.reloaded().pending:
                storage.delete(timeline.path_of(instant.at(State.INFLIGHT)))
                storage.delete(timeline.path_of(requested))
        return None
    plan = CleanPlan.from_avro(body, timeline.path_of(requested))
    # a table that was restored after the plan may need some of its files again
    needed = {path for group in file_groups(storage, timeline) for path in group.latest.paths}
    return evolve(plan, paths=tuple(path for path in plan.paths if path not in needed))


def _pending_cleans(timeline: Timeline) -> list[Instant]:
    return [instant for instant in timeline.pending if instant.action == "clean"]
