"""Clean and archive of the metadata table, after its compaction."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from time import monotonic

from hoodoo.archived_timeline import add_to_archive
from hoodoo.filegroup.clean_plan import CleanPlan
from hoodoo.metadata_table import MetadataTable
from hoodoo.metadata_table.maintenance.old_files import old_files
from hoodoo.timeline import Instant, State, Timeline
from hoodoo.timeline.codec.avro_file import is_written_by_hoodoo
from hoodoo.txn.instant_creation import create_early_file, ensure_file
from hoodoo.txn.metadata.new_times import new_time
from hoodoo.txn.metadata.own_timeline import own_timeline

__all__ = ["finish_cleans", "remove_old"]

Clock = Callable[[], datetime]

_SLICES = 3
"""Number of base files that stay in each file group; a reader may have begun before two compactions."""

_COMMITS = 20
"""Number of commits that stay on the timeline, as in Hudi."""

_POLICY = "KEEP_LATEST_FILE_VERSIONS"
_SUFFIX = "002"
"""End of the time of a clean in timeline layout 1, after the time of the latest commit of the metadata table."""

_DIGITS = 17


def remove_old(metadata: MetadataTable, clock: Clock) -> None:
    """Delete the old file slices of a metadata table, and archive the instants before the oldest slice that stays.

    Without old slices nothing is done. The newest `_COMMITS` commits are not archived.

    Args:
        metadata: The metadata table; the caller holds the table lock, and no instant of the metadata table is pending.
        clock: The writer's clock.
    """
    timeline = own_timeline(metadata)
    paths = tuple(path for partition in metadata.partitions for path in old_files(metadata, partition, _SLICES))
    compactions = [commit.time for commit in timeline.commits if commit.action == "commit"]
    if not paths or len(compactions) < _SLICES:
        return
    if timeline.layout == 1:
        time = timeline.commits[-1].time[:_DIGITS] + _SUFFIX
    else:
        time = new_time(metadata.timeline, timeline, clock())
    if any(instant.time == time for instant in timeline.instants):
        return
    clean = Instant(time, "clean", State.REQUESTED)
    plan = CleanPlan(_POLICY, None, timeline.commits[-1].time, paths)
    create_early_file(timeline.storage, timeline.path_of(clean), plan.to_avro(timeline.storage.uri))
    _execute(metadata.timeline, timeline, clean, plan, clock)
    _archive(timeline.reloaded(), compactions[-_SLICES])


def finish_cleans(metadata: MetadataTable, clock: Clock) -> bool:
    """Finish the cleans that a dead writer of hoodoo left; return whether there was one."""
    timeline = own_timeline(metadata)
    done = False
    for instant in timeline.pending:
        if instant.action != "clean":
            continue
        path = timeline.path_of(instant.at(State.REQUESTED))
        body = timeline.storage.read(path)
        if is_written_by_hoodoo(body):
            _execute(metadata.timeline, timeline, instant, CleanPlan.from_avro(body, path), clock)
            done = True
    return done


def _execute(table: Timeline, timeline: Timeline, clean: Instant, plan: CleanPlan, clock: Clock) -> None:
    started = monotonic()
    storage = timeline.storage
    ensure_file(storage, timeline.path_of(clean.at(State.INFLIGHT)), plan.to_avro(storage.uri))
    for path in plan.paths:
        storage.delete(path)
    time = None if timeline.layout == 1 else new_time(table, timeline.reloaded(), clock())
    done = Instant(clean.time, clean.action, completion_time=time)
    body = plan.to_metadata(clean, round((monotonic() - started) * 1000))
    create_early_file(storage, timeline.path_of(done), body)


def _archive(timeline: Timeline, oldest: str) -> None:
    """Archive the instants before the oldest slice that stays, except for the newest commits."""
    if len(timeline.commits) <= _COMMITS:
        return
    bounds = [oldest, timeline.commits[-_COMMITS].time, *(instant.time for instant in timeline.pending)]
    # a commit that was completed later belongs to a slice that stays
    late = (i.time for i in timeline.completed if i.time < oldest <= (i.completed_at or i.time))
    cut = min([*bounds, *late])
    instants = tuple(instant for instant in timeline.completed if instant.time < cut)
    if instants:
        for state in add_to_archive(timeline, instants):
            timeline.storage.delete(timeline.path_of(state))
