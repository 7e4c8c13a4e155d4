"""Time zone of a timeline whose table leaves the zone to its writers (`hoodie.table.timeline.timezone=LOCAL`).

Hudi's writers take the zone of their JVM, which the table does not record. The files do: a writer creates the requested
file of an instant within seconds of the instant's time, and the store keeps the time of creation in UTC. The difference
is the writer's offset from UTC. A writer of another zone would give instants that are hours earlier or later than those
of the table, and the commits of one of the two would hide those of the other.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta, timezone, tzinfo

from hoodoo.timeline.instant_time import instant_datetime

__all__ = ["writers_zone"]

_NEWEST = 3
"""Instants that count; older ones may be from before a change to or from daylight saving time."""

_STEP = timedelta(minutes=15)
"""Offsets of time zones are multiples of it."""

_EARLIEST, _LATEST = timedelta(hours=-12), timedelta(hours=14)

_EARLY, _LATE = timedelta(seconds=-2), timedelta(seconds=15)
"""How long before and after its instant's time a requested file is created: clocks differ, and stores cut seconds."""


def writers_zone(requested: Iterable[tuple[str, datetime]]) -> tzinfo | None:
    """Return the zone in which the newest instants of a table were written.

    Args:
        requested: Instant times with the times at which their requested files were created.

    Returns:
        A fixed offset from UTC. None stands for the zone of this machine: the newest instant was written in it, or the
        files give no evidence, for example because they are copies.
    """
    newest = sorted(requested, reverse=True)[:_NEWEST]
    offsets = [offset for time, created in newest if (offset := _offset(time, created)) is not None]
    if not offsets or offsets[0] == newest[0][1].astimezone().utcoffset() or len({*offsets}) > 1:
        return None
    return timezone(offsets[0])


def _offset(time: str, created: datetime) -> timedelta | None:
    """Return the offset from UTC by which an instant's time fits the creation of its requested file, None for none."""
    try:
        ahead = instant_datetime(time) - created
    except ValueError:
        return None
    offset = round(ahead / _STEP) * _STEP
    fits = _EARLY <= offset - ahead <= _LATE and _EARLIEST <= offset <= _LATEST
    return offset if fits else None
