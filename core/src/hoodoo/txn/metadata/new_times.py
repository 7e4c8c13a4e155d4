"""Times of new instants of the metadata table, in the time zone of the table."""

from __future__ import annotations

from datetime import datetime

from hoodoo.timeline import Timeline, following_instant, next_instant_time

__all__ = ["new_time"]

_DIGITS = 17


def new_time(table: Timeline, metadata: Timeline, now: datetime) -> str:
    """Return a time after all instants of a table and of its metadata table; the zone is that of the table.

    The properties of the metadata table name no time zone, although its instants have the times of the table's
    instants.

    Args:
        table: The timeline of the table.
        metadata: The timeline of the metadata table.
        now: The current time, with a time zone.
    """
    time = next_instant_time(table, now)
    last = (metadata.last_time or "")[:_DIGITS]
    return time if time > last else following_instant(last)
