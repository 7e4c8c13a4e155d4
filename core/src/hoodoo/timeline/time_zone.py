"""Time zone of a timeline whose writers use their own time zone (`hoodie.table.timeline.timezone=LOCAL`).

Hudi's writers use the time zone of their JVM, which the table does not record. The files show the zone: a writer
creates the requested file of an instant within seconds of the instant's time, and the store records the creation time
in UTC. The difference is the writer's offset from UTC. A writer in another zone would create instants hours earlier or
later than those of the table, and commits of one of the two would hide those of the other.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta, timezone, tzinfo

from hoodoo.timeline.instant_time import instant_datetime

__all__ = ["writers_offsets", "writers_zone"]

_NEWEST = 3
"""Number of instants to use; older ones may precede a change to or from daylight saving time."""

_STEP = timedelta(minutes=15)
"""Granularity of time zone offsets."""

_EARLIEST, _LATEST = timedelta(hours=-12), timedelta(hours=14)

_EARLY, _LATE = timedelta(seconds=-2), timedelta(seconds=15)
"""Range of a requested file's creation time minus its instant's time: clocks differ, and stores truncate seconds."""


def writers_zone(requested: Iterable[tuple[str, datetime]]) -> tzinfo | None:
    """Return the time zone of the newest instants of a table.

    Args:
        requested: Instant times with the creation times of their requested files.

    Returns:
        A fixed offset from UTC. None is the zone of this machine: the newest instant was written in it, the files
        show different offsets, or they give no evidence, for example because they are copies.
    """
    newest = _newest(requested)
    offsets = writers_offsets(newest)
    if not offsets or offsets[0] == newest[0][1].astimezone().utcoffset() or len({*offsets}) > 1:
        return None
    return timezone(offsets[0])


def writers_offsets(requested: Iterable[tuple[str, datetime]]) -> list[timedelta]:
    """Return the offsets from UTC of the newest instants of a table, newest first; arguments as in `writers_zone`.

    The list is empty if the files give no evidence. Different offsets are those of writers in different zones, or of a
    change to or from daylight saving time.
    """
    return [offset for time, created in _newest(requested) if (offset := _offset(time, created)) is not None]


def _newest(requested: Iterable[tuple[str, datetime]]) -> list[tuple[str, datetime]]:
    return sorted(requested, reverse=True)[:_NEWEST]


def _offset(time: str, created: datetime) -> timedelta | None:
    """Return the UTC offset between an instant's time and the creation of its requested file; None if implausible."""
    try:
        ahead = instant_datetime(time) - created
    except ValueError:
        return None
    offset = round(ahead / _STEP) * _STEP
    fits = _EARLY <= offset - ahead <= _LATE and _EARLIEST <= offset <= _LATEST
    return offset if fits else None
