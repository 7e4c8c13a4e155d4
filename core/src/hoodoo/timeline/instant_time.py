"""Instant times: `yyyyMMddHHmmssSSS` in the time zone of a timeline, strictly increasing within a table."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, tzinfo
from typing import TYPE_CHECKING

from hoodoo.errors import OptionError

if TYPE_CHECKING:
    from hoodoo.timeline.timeline import Timeline

__all__ = [
    "following_instant",
    "format_instant",
    "instant_datetime",
    "next_instant_time",
    "parse_instant",
    "utc_now",
]

_COMPACT = re.compile(r"^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d{3})?$")
_SPELLED = re.compile(r"^(\d{4})-(\d\d)-(\d\d)(?:[ T](\d\d):(\d\d):(\d\d)(?:\.(\d{1,3}))?)?$")
_MILLISECOND = timedelta(milliseconds=1)


def utc_now() -> datetime:
    """Return the current time, in UTC."""
    return datetime.now(UTC)


def format_instant(time: datetime, zone: tzinfo | None = UTC) -> str:
    """Write a point in time as the 17 digits of an instant, cut to milliseconds.

    Args:
        time: With a time zone.
        zone: The zone of the digits: that of the timeline. None for the zone of this machine.

    Raises:
        ValueError: `time` has no zone.
    """
    if time.tzinfo is None:
        raise ValueError(f"{time!r} has no time zone")
    there = time.astimezone(zone)
    return f"{there.year:04d}{there:%m%d%H%M%S}{there.microsecond // 1000:03d}"


def instant_datetime(text: str, zone: tzinfo | None = UTC) -> datetime:
    """Return the point in time, in UTC, of the digits (14, 17 or 20) of an instant.

    Args:
        text: The digits.
        zone: Their zone. None for the zone of this machine.

    Raises:
        ValueError: The digits are not a date and a time.
    """
    # Python reads a time without a zone as one of this machine
    stamp = datetime.strptime(text[:14], "%Y%m%d%H%M%S").replace(tzinfo=zone)
    return stamp.astimezone(UTC) + timedelta(milliseconds=int(text[14:17] or 0))


def parse_instant(text: str) -> str:
    """The 17 digits of a point in time that a user wrote.

    Taken are `yyyyMMddHHmmss`, `yyyyMMddHHmmssSSS`, `yyyy-MM-dd`, `yyyy-MM-dd HH:mm:ss` and
    `yyyy-MM-dd HH:mm:ss.SSS`, the last two with `T` as well. What is not written counts as zero; but a spelled second
    is meant to its end, as in Hudi. The time zone is the timeline's. Raises `OptionError` for anything else.
    """
    stripped = text.strip()
    match = _COMPACT.match(stripped) or _SPELLED.match(stripped)
    if match is None:
        raise OptionError(
            f"{text!r} is no instant; write yyyyMMddHHmmss, yyyyMMddHHmmssSSS, yyyy-MM-dd, "
            "yyyy-MM-dd HH:mm:ss or yyyy-MM-dd HH:mm:ss.SSS",
            code="instant",
        )
    year, month, day, hour, minute, second = (int(part or 0) for part in match.groups()[:6])
    whole_second = match.re is _SPELLED and match.group(6) is not None and match.group(7) is None
    millis = 999 if whole_second else int((match.group(7) or "").ljust(3, "0"))
    try:
        return format_instant(datetime(year, month, day, hour, minute, second, millis * 1000, UTC))
    except ValueError as error:
        raise OptionError(f"{text!r} is no instant: {error}", code="instant") from error


def next_instant_time(timeline: Timeline, now: datetime) -> str:
    """Return the time of a new instant: the clock's, but at least one millisecond after every instant of the timeline.

    Args:
        timeline: All instants: requested, inflight and completed, of every action.
        now: The clock, with a time zone.
    """
    candidate = format_instant(now, timeline.zone)
    last = timeline.last_time
    return candidate if last is None or candidate > last else following_instant(last)


def following_instant(time: str) -> str:
    """Return the instant one millisecond after another, as 17 digits."""
    # instants of the metadata table have three more digits, those of old tables three fewer
    return format_instant(instant_datetime(time) + _MILLISECOND)
