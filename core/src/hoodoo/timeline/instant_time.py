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
_BEFORE_ALL = re.compile(r"0{13}[0-9]")
"""Instants of Hudi that are not times: those of an initialization (0) and of a bootstrap (1 and 2)."""


def utc_now() -> datetime:
    """Return the current time, in UTC."""
    return datetime.now(UTC)


def format_instant(time: datetime, zone: tzinfo | None = UTC) -> str:
    """Return the 17 digits of a point in time, truncated to milliseconds.

    Args:
        time: A point in time with a time zone.
        zone: The time zone of the timeline; None for the zone of this machine.

    Raises:
        ValueError: `time` has no time zone.
    """
    if time.tzinfo is None:
        raise ValueError(f"the datetime '{time}' has no time zone; give it a tzinfo")
    there = time.astimezone(zone)
    return f"{there.year:04d}{there:%m%d%H%M%S}{there.microsecond // 1000:03d}"


def instant_datetime(text: str, zone: tzinfo | None = UTC) -> datetime:
    """Return the point in time, in UTC, of an instant with 14, 17 or 20 digits.

    The instants of a bootstrap by Hudi (`00000000000002`) are in the first milliseconds of 1970, as in Hudi.

    Args:
        text: The 14, 17 or 20 digits.
        zone: The time zone of the digits; None for the zone of this machine.

    Raises:
        ValueError: The digits are not a date and a time.
    """
    if _BEFORE_ALL.fullmatch(text[:14]):
        return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=int(text[:14]))
    # Python interprets a time without a zone in the zone of this machine
    stamp = datetime.strptime(text[:14], "%Y%m%d%H%M%S").replace(tzinfo=zone)
    return stamp.astimezone(UTC) + timedelta(milliseconds=int(text[14:17] or 0))


def parse_instant(text: str, option: str) -> str:
    """Return the 17 digits of an instant that a user gave.

    The forms are `yyyyMMddHHmmss`, `yyyyMMddHHmmssSSS`, `yyyy-MM-dd`, `yyyy-MM-dd HH:mm:ss` and `yyyy-MM-dd
    HH:mm:ss.SSS`, the last two also with `T`. Missing parts are zero, except the milliseconds of `yyyy-MM-dd HH:mm:ss`,
    which are 999, as in Hudi. The time zone is that of the timeline.

    Args:
        text: One of these forms; blanks around it are ignored.
        option: The name of the option or argument, for the error.

    Raises:
        OptionError: The text has none of these forms, or is not a date and a time.
    """
    stripped = text.strip()
    match = _COMPACT.match(stripped) or _SPELLED.match(stripped)
    if match is None:
        raise OptionError(
            f"'{option}' is {text!r}, which is not an instant; write yyyyMMddHHmmss, yyyyMMddHHmmssSSS, yyyy-MM-dd, "
            "yyyy-MM-dd HH:mm:ss or yyyy-MM-dd HH:mm:ss.SSS",
            code="instant",
        )
    year, month, day, hour, minute, second = (int(part or 0) for part in match.groups()[:6])
    whole_second = match.re is _SPELLED and match.group(6) is not None and match.group(7) is None
    millis = 999 if whole_second else int((match.group(7) or "").ljust(3, "0"))
    try:
        return format_instant(datetime(year, month, day, hour, minute, second, millis * 1000, UTC))
    except ValueError as error:
        raise OptionError(
            f"'{option}' is {text!r}, which is not an instant: {error}; write an existing date and time as "
            "yyyyMMddHHmmss, yyyyMMddHHmmssSSS, yyyy-MM-dd, yyyy-MM-dd HH:mm:ss or yyyy-MM-dd HH:mm:ss.SSS",
            code="instant",
        ) from error


def next_instant_time(timeline: Timeline, now: datetime) -> str:
    """Return the time of a new instant: now, but at least one millisecond after every instant of the timeline.

    Args:
        timeline: All instants: requested, inflight and completed, of every action.
        now: The current time, with a time zone.
    """
    candidate = format_instant(now, timeline.zone)
    last = timeline.last_time
    return candidate if last is None or candidate > last else following_instant(last)


def following_instant(time: str) -> str:
    """Return the time one millisecond after an instant of 14, 17 or 20 digits, as 17 digits.

    Raises:
        ValueError: The digits are not a date and a time.
    """
    # instants of the metadata table have 20 digits, those of old tables 14
    return format_instant(instant_datetime(time) + _MILLISECOND)
