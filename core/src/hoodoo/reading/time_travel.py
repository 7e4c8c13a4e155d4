"""How far back a table can still be read as it was."""

from __future__ import annotations

from hoodoo.archived_timeline import Archive
from hoodoo.errors import OptionError, TableChanged
from hoodoo.timeline import Timeline
from hoodoo.timeline.codec.avro_file import read_record

__all__ = ["check_retained"]


def check_retained(timeline: Timeline, as_of: str) -> None:
    """Refuse a time from before what cleaner and archive have kept: fewer rows than there were would come back.

    Raises:
        OptionError: files that counted then were cleaned, or the commits of then were archived.
    """
    kept = _earliest_kept(timeline)
    if kept is not None and as_of < kept:
        raise OptionError(
            f"the table cannot be read as of {as_of}: a cleaner has kept what commits from {kept} on need; "
            f"read it as of {kept} or later",
            code="cleaned",
        )
    first = timeline.first_time
    if first is not None and as_of < first and Archive(timeline).commits:
        raise OptionError(
            f"the table cannot be read as of {as_of}: commits before {first} were archived, and what they wrote may "
            f"have been cleaned; read it as of {first} or later",
            code="archived",
        )


def _earliest_kept(timeline: Timeline) -> str | None:
    """Return the first commit that the last clean kept; None without a clean, or where it kept file versions."""
    for instant in reversed(timeline.completed):
        if instant.action == "clean":
            try:
                body = timeline.read(instant)
            except TableChanged:
                # it was archived, so a later one is on the timeline now, if any counts
                return _earliest_kept(timeline.reloaded())
            kept = read_record(body, timeline.path_of(instant)).get("earliestCommitToRetain")
            return kept if isinstance(kept, str) and kept else None
    return None
