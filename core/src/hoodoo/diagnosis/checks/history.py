"""Check that every commit of the timeline and of its archive can be read."""

from __future__ import annotations

from collections.abc import Iterator

from hoodoo.archived_timeline.layout1_reader import log_files
from hoodoo.diagnosis.finding import Finding, Place, Status, first_places
from hoodoo.diagnosis.table_state import TableState
from hoodoo.diagnosis.wording import counted
from hoodoo.errors import CorruptTableError
from hoodoo.format.log import CorruptBlock, read_blocks

__all__ = ["check_archive", "check_timeline"]

_LONG_TIMELINE = 200


def check_timeline(state: TableState) -> Iterator[Finding]:
    """Yield findings about the commits of the active timeline, those that cannot be read, and a long timeline."""
    timeline = state.timeline
    commits = timeline.commits
    damaged: list[CorruptTableError] = []
    for instant in commits:
        try:
            timeline.commit_outline(instant)
        except CorruptTableError as error:
            damaged.append(error)
    if damaged:
        yield Finding(
            "timeline",
            Status.PROBLEM,
            f"{counted(len(damaged), 'commit')} of {len(commits)} cannot be read: {damaged[0]}",
            f"restore {'this file' if len(damaged) == 1 else 'these files'}",
            first_places(Place(file=error.file) for error in damaged),
        )
    elif commits:
        found = f"{counted(len(commits), 'completed commit')}, {commits[0].time} to {commits[-1].time}"
        yield Finding("timeline", Status.OK, found)
    else:
        yield Finding("timeline", Status.INFO, "the table has no commit on its active timeline")
    if len(timeline.completed) > _LONG_TIMELINE:
        yield Finding(
            "timeline",
            Status.WARNING,
            f"{len(timeline.completed)} completed instants are on the active timeline, which every reader lists",
            "archive old instants: `hoodoo.Table(path).archive()`, or enable archiving in the write job",
        )


def check_archive(state: TableState) -> Iterator[Finding]:
    """Yield findings about the archived commits. Raise `CorruptTableError` if the archive cannot be read."""
    yield from _skipped(state)
    commits = state.archive.commits
    for instant in commits:
        state.archive.commit_metadata(instant)
    if commits:
        found = f"{counted(len(commits), 'archived commit')}, {commits[0].time} to {commits[-1].time}"
        yield Finding("archive", Status.OK, f"{found}, all readable")
    else:
        yield Finding("archive", Status.OK, "no commit is archived")


def _skipped(state: TableState) -> Iterator[Finding]:
    """Yield a finding about bytes of archive files of layout 1 that belong to no block, which readers skip."""
    if state.timeline.layout != 1:
        return
    files = [info.path for info in log_files(state.storage, state.timeline.archive_folder)]
    corrupt = [block for path in files for block in read_blocks(state.storage, path) if isinstance(block, CorruptBlock)]
    if corrupt:
        number = counted(sum(block.length for block in corrupt), "byte")
        yield Finding(
            "archive",
            Status.WARNING,
            f"the archive has {number} outside of its blocks; readers skip such bytes",
            "if an archiver was interrupted, nothing is lost: its instants are still on the timeline; otherwise "
            "restore the files, because incremental queries lack their commits",
            first_places(Place(file=block.file) for block in corrupt),
        )
