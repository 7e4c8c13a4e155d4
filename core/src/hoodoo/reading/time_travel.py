"""Limit of time travel: the earliest instant whose files and commits are retained."""

from __future__ import annotations

from hoodoo.archived_timeline import Archive
from hoodoo.errors import OptionError, TableChanged
from hoodoo.timeline import Timeline
from hoodoo.timeline.codec.avro_file import read_record

__all__ = ["check_retained"]


def check_retained(timeline: Timeline, as_of: str) -> None:
    """Check that a table can still be read as of an instant. A read of an earlier one would omit rows.

    Args:
        timeline: The active timeline.
        as_of: The instant.

    Raises:
        OptionError: Files that the table had then may have been cleaned, or the commits before the instant were
            archived.
    """
    kept = _earliest_kept(timeline)
    if kept is not None and as_of < kept:
        raise OptionError(
            f"the table cannot be read as of {as_of}: a cleaner removed files that only commits before {kept} need; "
            f"read it as of {kept} or later",
            code="cleaned",
        )
    first = timeline.first_time
    if first is not None and as_of < first and Archive(timeline).commits:
        raise OptionError(
            f"the table cannot be read as of {as_of}: commits before {first} were archived, and their files may have "
            f"been cleaned; read it as of {first} or later",
            code="archived",
        )


def _earliest_kept(timeline: Timeline) -> str | None:
    """Return the first commit that the last clean retained; None without a clean or if it retained file versions."""
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
