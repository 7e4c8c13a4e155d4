"""Data files that do not exist any more when a query comes to read them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from hoodoo.archive import Archive, load_timeline
from hoodoo.errors import CorruptTableError, TableChanged
from hoodoo.filegroup import file_slices
from hoodoo.filegroup.clean_plan import CleanPlan
from hoodoo.format.damage import GONE
from hoodoo.properties import load_properties
from hoodoo.storage import Storage
from hoodoo.timeline import Instant, State, Timeline, with_reloads

__all__ = ["is_uncommitted", "removals_named"]


@contextmanager
def removals_named(storage: Storage) -> Iterator[None]:
    """Raise `TableChanged` in place of `CorruptTableError` for a gone file that the table as it is now does without."""
    try:
        yield
    except CorruptTableError as error:
        if error.code != GONE:
            raise
        timeline = load_timeline(storage, load_properties(storage))
        try:
            with_reloads(timeline, lambda now: file_slices(storage, now))
        except (CorruptTableError, TableChanged):
            # files of the table as it is now are gone as well
            raise error from None
        clean = _cleaned_by(timeline, error.file)
        by = "" if clean is None else f" by clean {clean.time}"
        raise TableChanged(
            f"'{error.file}' was removed{by} while the table was read, and the table does not need it any more; "
            "read the table again"
        ) from error


def is_uncommitted(storage: Storage, path: str) -> bool:
    """Whether no commit ever named a log file: its writer is still at work, or failed, and no reader needs it.

    In timeline layout 1 the name of a log does not show whether the log is committed.

    Args:
        storage: The table's files.
        path: Table-relative path of the log.

    Raises:
        CorruptTableError: A commit or the archive is damaged.
    """
    timeline = load_timeline(storage, load_properties(storage))
    archive = Archive(timeline)
    commits = [timeline.commit_metadata(instant) for instant in timeline.commits]
    commits += [archive.commit_metadata(instant) for instant in archive.commits]
    named = any(stat.path == path for commit in commits for stat in commit.stats())
    return not named and _cleaned_by(timeline, path) is None


def _cleaned_by(timeline: Timeline, path: str) -> Instant | None:
    """Return the clean on the timeline that removed a file, or is about to; None for none."""
    for instant in reversed(timeline.instants):
        if instant.action != "clean":
            continue
        requested = instant.at(State.REQUESTED)
        try:
            body = timeline.read(requested)
        except TableChanged:
            continue
        if body and path in CleanPlan.from_avro(body, timeline.path_of(requested)).paths:
            return instant
    return None
