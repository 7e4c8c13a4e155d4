"""Limit of time travel: the earliest instant whose files and commits are retained."""

from __future__ import annotations

from hoodoo.archived_timeline import Archive
from hoodoo.errors import OptionError, TableChanged
from hoodoo.filegroup.clean_plan import CleanPlan
from hoodoo.timeline import State, Timeline
from hoodoo.timeline.codec.avro_file import read_record

__all__ = ["check_pending_cleans", "check_retained"]


def check_retained(timeline: Timeline, as_of: str) -> None:
    """Check that a table can still be read as of an instant; otherwise a read would omit rows.

    Args:
        timeline: The active timeline.
        as_of: The instant time of the query, with 17 digits.

    Raises:
        OptionError: Files of the table at the instant may have been cleaned, or the instant is before the active
            timeline and commits were archived.
        CorruptTableError: The archive or the last completed clean is damaged.
    """
    kept = _earliest_kept(timeline)
    if kept is not None and as_of < kept:
        raise _cleaned(as_of, kept)
    first = timeline.first_time
    if first is not None and as_of < first and Archive(timeline).commits:
        raise OptionError(
            f"the table cannot be read as of {as_of}: commits before {first} were archived, and their files may have "
            f"been cleaned; read it as of {first} or later",
            code="archived",
        )


def check_pending_cleans(timeline: Timeline, as_of: str) -> None:
    """Raise if a clean that is not complete may have removed files that the table had at an instant.

    A clean that was interrupted may have removed some of the files of its plan. A file that is missing for another
    reason is damage. Call this function if a file is missing.

    Args:
        timeline: The active timeline.
        as_of: The instant time of the query, with 17 digits.

    Raises:
        OptionError: The plan of a pending clean retains only later commits (code `cleaned`).
        CorruptTableError: The plan of a pending clean is damaged.
        TableChanged: The clean was completed and archived since the timeline was loaded.
    """
    for pending in timeline.pending:
        if pending.action == "clean":
            requested = pending.at(State.REQUESTED)
            body = timeline.read(requested)
            # an empty file is that of a writer that died before it wrote the plan
            earliest = CleanPlan.from_avro(body, timeline.path_of(requested)).earliest if body else None
            if earliest is not None and as_of < earliest[0]:
                raise _cleaned(as_of, earliest[0])


def _cleaned(as_of: str, kept: str) -> OptionError:
    return OptionError(
        f"the table cannot be read as of {as_of}: a cleaner removed files that only commits before {kept} need; "
        f"read it as of {kept} or later",
        code="cleaned",
    )


def _earliest_kept(timeline: Timeline) -> str | None:
    """Return the first commit that the last completed clean retained.

    The result is None if there is no clean, or if the clean retained a number of file versions instead of commits.
    """
    for instant in reversed(timeline.completed):
        if instant.action == "clean":
            try:
                body = timeline.read(instant)
            except TableChanged:
                # the clean was archived since the timeline was loaded
                return _earliest_kept(timeline.reloaded())
            kept = read_record(body, timeline.path_of(instant)).get("earliestCommitToRetain")
            return kept if isinstance(kept, str) and kept else None
    return None
