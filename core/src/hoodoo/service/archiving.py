"""Archiving: move the oldest instants to the archive, so that the active timeline stays short."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from hoodoo.archived_timeline import add_to_archive, load_timeline
from hoodoo.filegroup import all_groups
from hoodoo.format.file_names import LogFileName
from hoodoo.options import ArchiveOptions, CleanOptions
from hoodoo.properties import TableProperties, load_properties
from hoodoo.service.clean import prepare_service
from hoodoo.service.retention import earliest_to_retain
from hoodoo.storage import Storage, name_of
from hoodoo.timeline import Instant, Timeline, run_with_reloads
from hoodoo.txn import Coordination, TableLock, has_metadata_table, rollback_pending, table_lock

__all__ = ["archive", "is_archiving_due"]


def archive(
    storage: Storage,
    options: ArchiveOptions,
    cleaning: CleanOptions,
    *,
    known: Timeline | None = None,
    coordination: Coordination = Coordination(),  # noqa: B008 - a frozen value
) -> tuple[Instant, ...]:
    """Move the oldest instants to the archive, if the timeline has more commits than the options allow.

    Interrupted writes are rolled back first.

    Args:
        storage: The table's files.
        options: The limits of the number of commits that stay.
        cleaning: The options of the cleaner; the commits that it retains stay on the timeline.
        known: A timeline that was loaded before, whose commits need not be read again; None without one.
        coordination: The clock and the locks of this writer.

    Returns:
        The archived instants of all actions, in the order of their times; () if there were none.

    Raises:
        UnsupportedTable: The table's metadata table cannot be updated, or the table's base files are not Parquet.
        LockTimeout: The lock of the table was not acquired in time.
        CommitError: An interrupted rollback cannot be finished, see `rollback_pending`.
        CorruptTableError: An instant, the archive or a data file is damaged.
        StorageError: The store failed; the next run continues.
    """
    properties = load_properties(storage)
    timeline = load_timeline(storage, properties, known)
    if not is_archiving_due(timeline, options):
        return ()
    prepare_service(storage, properties, timeline, coordination)
    limit = _metadata_limit(storage, properties, timeline)
    if timeline.pending:
        rollback_pending(storage, timeline, coordination=coordination)
    with table_lock(storage, coordination) as lock:

        def work(now: Timeline) -> tuple[Instant, ...]:
            instants = _archivable(storage, now, options, cleaning, coordination.clock())
            return _archive(storage, now, tuple(i for i in instants if limit is None or i.time < limit), lock)

        return run_with_reloads(timeline.reloaded(), work)


def _archive(
    storage: Storage, timeline: Timeline, instants: tuple[Instant, ...], lock: TableLock
) -> tuple[Instant, ...]:
    if instants:
        lock.verify()
        # an instant without its completed file would look pending, and later instants uncommitted
        for state in add_to_archive(timeline, instants):
            storage.delete(timeline.path_of(state))
    return instants


def _metadata_limit(storage: Storage, properties: TableProperties, timeline: Timeline) -> str | None:
    """Return the time before which instants may be archived: that of the metadata table's latest compaction.

    Returns:
        The time; "" without a compaction, because Hudi then archives nothing; None without a metadata table.
    """
    if not has_metadata_table(properties):
        return None
    # a table without a metadata table does not import its modules
    from hoodoo.txn.metadata.compaction import latest_compaction
    from hoodoo.txn.metadata.delta_commit import opened

    return latest_compaction(opened(storage, properties, timeline).metadata) or ""


def is_archiving_due(timeline: Timeline, options: ArchiveOptions) -> bool:
    """Return whether the timeline has more commits than `keep_max_commits`."""
    return len(timeline.commits) > options.keep_max_commits


def _archivable(
    storage: Storage, timeline: Timeline, options: ArchiveOptions, cleaning: CleanOptions, now: datetime
) -> tuple[Instant, ...]:
    """Return the completed instants before the first one that must stay."""
    if not is_archiving_due(timeline, options):
        return ()
    cut = min([timeline.commits[-options.keep_min_commits].time, *_bounds(timeline, cleaning, now)])
    instants = [instant for instant in timeline.completed if instant.time < cut]
    late = _completed_late(timeline, instants)
    unclean = _first_uncleaned(storage, timeline, instants)
    cut = min([cut, *late, *unclean])
    return tuple(instant for instant in instants if instant.time < cut)


def _bounds(timeline: Timeline, cleaning: CleanOptions, now: datetime) -> Iterator[str]:
    yield from (instant.time for instant in timeline.pending)
    yield from (instant.time for instant in timeline.completed if instant.action == "savepoint")
    yield from _late_compactions(timeline)
    # the instant that was completed last stays, so that new instants are later than all archived ones
    yield from (instant.time for instant in timeline.completed if instant.completed_at == timeline.last_time)
    retained = earliest_to_retain(timeline, cleaning, now)
    if retained is not None:
        yield retained.time


def _late_compactions(timeline: Timeline) -> Iterator[str]:
    """Yield the earlier time of each pair of a compaction and a delta commit that overlapped in the same file group.

    Writers search the logs of such a delta commit for keys that the base file lacks, see `hoodoo.index.log_keys`. Both
    instants stay until later base files have the rows.
    """
    deltas = [commit for commit in timeline.commits if commit.action == "deltacommit"]
    for commit in timeline.commits if deltas else ():
        if commit.action != "commit":
            continue
        for delta in deltas:
            # in layout 1 a log belongs to the slice of its writer's plan; an older log conflicts with the compaction
            is_behind = (delta.completion_time or delta.time) > commit.time
            if is_behind and timeline.is_completed_after(commit, delta) and _has_late_logs(timeline, commit, delta):
                yield min(commit.time, delta.time)


def _has_late_logs(timeline: Timeline, compaction: Instant, delta: Instant) -> bool:
    """Return whether a delta commit wrote logs for base files of a compaction that are still the newest ones."""
    stats = timeline.commit_metadata(delta).stats()
    logs = {(stat.partition_path or "", stat.file_id) for stat in stats if LogFileName.parse(name_of(stat.path or ""))}
    logs &= set(timeline.commit_metadata(compaction).touched())
    for commit in timeline.commits if logs else ():
        later = commit.action != "deltacommit" and commit.time > compaction.time
        if later and not timeline.is_completed_after(delta, commit):
            logs -= set(timeline.commit_metadata(commit).touched())
    return bool(logs)


def _completed_late(timeline: Timeline, instants: list[Instant]) -> Iterator[str]:
    """Yield the times of instants completed after a pending one began, whose writer checks them for conflicts."""
    for instant in instants:
        if any(timeline.is_completed_after(instant, pending) for pending in timeline.pending):
            yield instant.time


def _first_uncleaned(storage: Storage, timeline: Timeline, instants: list[Instant]) -> Iterator[str]:
    """Yield the times of replace commits whose replaced files still exist, because some readers ignore the archive."""
    if any(instant.action == "replacecommit" for instant in instants):
        yield from (group.replaced_at for group in all_groups(storage, timeline)[1])
