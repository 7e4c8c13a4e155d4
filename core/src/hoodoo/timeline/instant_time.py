"""Instant times: `yyyyMMddHHmmssSSS` in UTC, strictly increasing within a table."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from hoodoo.errors import OptionError

if TYPE_CHECKING:
    from hoodoo.timeline.timeline import Timeline

__all__ = ["following_instant", "format_instant", "next_instant_time", "parse_instant", "utc_now"]

_COMPACT = re.compile(r"^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d{3})?$")
_SPELLED = re.compile(r"^(\d{4})-(\d\d)-(\d\d)(?:[ T](\d\d):(\d\d):(\d\d)(?:\.(\d{1,3}))?)?$")
_MILLISECOND = timedelta(milliseconds=1)


def utc_now() -> datetime:
    """The time of the clock, in UTC."""
    return datetime.now(UTC)


def format_instant(time: datetime) -> str:
    """A time with a zone as 17 digits in UTC, cut to milliseconds. Raises `ValueError` for a time without a zone."""
    if time.tzinfo is None:
        raise ValueError(f"{time!r} has no time zone; instants are UTC")
    utc = time.astimezone(UTC)
    return f"{utc.year:04d}{utc:%m%d%H%M%S}{utc.microsecond // 1000:03d}"


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
    """The time for a new instant: the clock's, but at least one millisecond after every instant of the timeline.

    Args:
        timeline: All instants, pending ones and all actions included.
        now: The clock, with a time zone.
    """
    candidate = format_instant(now)
    last = timeline.last_time
    return candidate if last is None or candidate > last else following_instant(last)


def following_instant(time: str) -> str:
    """One millisecond after an instant, as 17 digits."""
    # instants of the metadata table carry three more digits, those of old tables three less
    stamp = datetime.strptime(time[:14], "%Y%m%d%H%M%S").replace(tzinfo=UTC)
    return format_instant(stamp + timedelta(milliseconds=int(time[14:17] or 0)) + _MILLISECOND)
