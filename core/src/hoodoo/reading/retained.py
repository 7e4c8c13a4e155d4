"""How far back a table can still be read as it was."""

from __future__ import annotations

from hoodoo.archive import Archive
from hoodoo.errors import OptionError
from hoodoo.timeline import Timeline
from hoodoo.timeline.avro_file import read_record

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
    """What the last clean says it kept; None where no clean is on the timeline, or it kept file versions."""
    for instant in reversed(timeline.completed):
        if instant.action == "clean":
            kept = read_record(timeline.read(instant), timeline.path_of(instant)).get("earliestCommitToRetain")
            return kept if isinstance(kept, str) and kept else None
    return None
