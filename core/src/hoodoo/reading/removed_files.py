"""Data files that were removed between the plan of a query and the read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import chain

from hoodoo.archived_timeline import Archive, load_timeline
from hoodoo.errors import CorruptTableError, TableChanged
from hoodoo.filegroup import all_groups, file_slices
from hoodoo.filegroup.clean_plan import CleanPlan
from hoodoo.filegroup.committed_files import CommittedFiles
from hoodoo.format.corruption import GONE
from hoodoo.format.file_names import BaseFileName, LogFileName
from hoodoo.properties import load_properties
from hoodoo.reading.indexed.indexed_storage import missing_file
from hoodoo.storage import Storage, name_of, parent_of
from hoodoo.timeline import Instant, State, Timeline, run_with_reloads

__all__ = ["check_not_cleaned", "is_uncommitted", "reported_removals"]


@contextmanager
def reported_removals(storage: Storage, *, by_metadata: bool = False) -> Iterator[None]:
    """Replace the `CorruptTableError` of a missing file by `TableChanged` if the table no longer needs the file.

    Args:
        storage: The table's files.
        by_metadata: Whether the metadata table named the files.

    Raises:
        TableChanged: A file is missing that no current file slice contains.
        CorruptTableError: The current table also lacks files that it needs; or the metadata table named the missing
            file, and no clean removed it.
    """
    try:
        yield
    except CorruptTableError as error:
        if error.code != GONE:
            raise
        timeline = load_timeline(storage, load_properties(storage))
        if by_metadata and _cleaned_by(timeline, error.file) is None:
            raise missing_file(error.file) from error
        try:
            run_with_reloads(timeline, lambda now: file_slices(storage, now))
        except (CorruptTableError, TableChanged):
            # the current table lacks files too
            raise error from None
        clean = _cleaned_by(timeline, error.file)
        by = "" if clean is None else f" by clean {clean.time}"
        raise TableChanged(
            f"'{error.file}' was removed{by} during the read, and the table no longer needs it; read the table again"
        ) from error


def check_not_cleaned(storage: Storage, timeline: Timeline) -> None:
    """Check that no clean removed files of the newest slices of a timeline after the timeline was loaded.

    Listing files detects a missing file only if a commit of the timeline names it. Without this check, a file group
    whose files come from archived commits would have no slice, and its rows would be missing from the result.

    Args:
        storage: The table's files.
        timeline: The timeline, which was loaded earlier.

    Raises:
        TableChanged: A clean removed such a file, or was archived before its plan was read.
        CorruptTableError: A commit, the archive or the plan of a clean is damaged.
    """
    known = {instant.time for instant in timeline.completed if instant.action == "clean"}
    now = timeline.reloaded(storage)
    since = [clean for clean in _cleans(now) if clean.time not in known and clean.state is not State.REQUESTED]
    if not since:
        return
    groups, replaced = all_groups(storage, timeline)
    newest = {(group.partition, group.file_id): group.slices[0].base_instant for group in groups}
    gone = {(group.partition, group.file_id) for group in replaced}
    gone |= {*CommittedFiles(timeline).replaced, *Archive(timeline).replaced}
    for clean in since:
        for path in _paths(now, clean):
            name = BaseFileName.parse(name_of(path)) or LogFileName.parse(name_of(path))
            if name is None or not timeline.is_visible(name.instant):
                continue
            group = parent_of(path), name.file_id
            if group not in gone and newest.get(group, "") <= name.instant:
                raise TableChanged(
                    f"'{path}' was removed by clean {clean.time} after the table was opened; read the table again"
                )


def is_uncommitted(storage: Storage, path: str) -> bool:
    """Return whether a log file is uncommitted, so that no reader needs it: its writer is running or failed.

    No active or archived commit names such a log, and neither does the plan of a clean on the active timeline.
    In timeline layout 1 the name of a log does not show whether the log is committed.

    Args:
        storage: The table's files.
        path: Table-relative path of the log.

    Raises:
        CorruptTableError: A commit, the archive or the plan of a clean is damaged.
    """
    timeline = load_timeline(storage, load_properties(storage))
    archive = Archive(timeline)
    active = (timeline.commit_metadata(instant) for instant in timeline.commits)
    archived = (archive.commit_metadata(instant) for instant in archive.commits)
    named = any(stat.path == path for commit in chain(active, archived) for stat in commit.stats())
    return not named and _cleaned_by(timeline, path) is None


def _cleaned_by(timeline: Timeline, path: str) -> Instant | None:
    """Return the last clean on the timeline whose plan contains a file; None without one."""
    for clean in reversed(_cleans(timeline)):
        with suppress(TableChanged):
            if path in _paths(timeline, clean):
                return clean
    return None


def _cleans(timeline: Timeline) -> list[Instant]:
    return [instant for instant in timeline.instants if instant.action == "clean"]


def _paths(timeline: Timeline, clean: Instant) -> tuple[str, ...]:
    """Return the paths of the files that a clean removes; () if its plan is an empty file.

    Raises:
        TableChanged: The clean was archived.
        CorruptTableError: The plan is damaged.
    """
    requested = clean.at(State.REQUESTED)
    body = timeline.read(requested)
    return CleanPlan.from_avro(body, timeline.path_of(requested)).paths if body else ()
