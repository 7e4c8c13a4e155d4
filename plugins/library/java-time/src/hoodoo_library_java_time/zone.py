"""Time zones by their names in Java and Joda, with their offsets for whole arrays."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo, available_timezones

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from hoodoo.errors import OptionError
from hoodoo_library_java_time.calendar import DAY, HOUR, MINUTE, SECOND, year_month_day

__all__ = ["UTC_ZONE", "Zone", "fixed_zone", "offset_text", "zone_of"]

_THREE_LETTERS = {
    "ACT": "Australia/Darwin",
    "AET": "Australia/Sydney",
    "AGT": "America/Argentina/Buenos_Aires",
    "ART": "Africa/Cairo",
    "AST": "America/Anchorage",
    "BET": "America/Sao_Paulo",
    "BST": "Asia/Dhaka",
    "CAT": "Africa/Harare",
    "CNT": "America/St_Johns",
    "CST": "America/Chicago",
    "CTT": "Asia/Shanghai",
    "EAT": "Africa/Addis_Ababa",
    "ECT": "CET",
    "EST": "America/New_York",
    "HST": "Pacific/Honolulu",
    "IET": "America/Indiana/Indianapolis",
    "IST": "Asia/Kolkata",
    "JST": "Asia/Tokyo",
    "MET": "CET",
    "MIT": "Pacific/Apia",
    "MST": "America/Denver",
    "NET": "Asia/Yerevan",
    "NST": "Pacific/Auckland",
    "PLT": "Asia/Karachi",
    "PNT": "America/Phoenix",
    "PRT": "America/Puerto_Rico",
    "PST": "America/Los_Angeles",
    "SST": "Pacific/Guadalcanal",
    "VST": "Asia/Ho_Chi_Minh",
}
_UTC_NAMES = {"gmt", "utc", "z"}
_OFFSET = re.compile(r"GMT([+-])(\d{1,2})(?::?(\d{2}))?")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_CYCLE = 146_097 * DAY


@frozen
class Zone:
    """Time zone with the rules of a region, or with the constant offset `fixed` if `rules` is None.

    Times are milliseconds since the epoch, offsets milliseconds east of UTC.
    """

    name: str
    rules: ZoneInfo | None = field(default=None, repr=False)
    fixed: int = 0

    def offset(self, millis: int) -> int:
        """Return the offset at an instant."""
        if self.rules is None:
            return self.fixed
        return _millis(self._at(millis).utcoffset())

    def offsets(self, millis: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the offset at each of n instants."""
        if self.rules is None:
            return np.full(len(millis), self.fixed, dtype=np.int64)
        days, inverse = np.unique(millis // DAY, return_inverse=True)
        starts, ends = self._each(days * DAY), self._each((days + 1) * DAY)
        result = starts[inverse]
        changing = np.flatnonzero((starts != ends)[inverse])
        seconds, places = np.unique(millis[changing] // SECOND, return_inverse=True)
        result[changing] = self._each(seconds * SECOND)[places]
        return result

    def instant(self, local: int) -> int:
        """Return the instant of a local time; the earlier one if clocks show it twice.

        Raises:
            ValueError: Clocks never show the local time, because they were put forward.
        """
        if self.rules is None:
            return local - self.fixed
        naive = (_EPOCH + timedelta(milliseconds=_into_years_of_datetime(local))).replace(tzinfo=self.rules)
        offset = _millis(naive.utcoffset())
        if self.offset(local - offset) != offset:
            raise ValueError(f"zone {self.name} skips this time")
        return local - offset

    def instants(self, local: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Return the instants of n local times, and a mask that is False for uncertain instants.

        An instant is uncertain if the offset of the zone changes within about a day of the local time.
        """
        if self.rules is None:
            return local - self.fixed, np.ones(len(local), dtype=np.bool_)
        days, inverse = np.unique(local // DAY, return_inverse=True)
        before, after = self._each((days - 1) * DAY), self._each((days + 2) * DAY)
        return local - before[inverse], (before == after)[inverse]

    def short_name(self, millis: int) -> str:
        """Return the short name of the zone at an instant, such as `EDT`; `+05:30` for a plain offset.

        Raises:
            OptionError: The time zone database has no name for it.
        """
        if self.rules is None:
            return self.name
        name = self._at(millis).tzname() or ""
        if not name.isalpha():
            raise OptionError(
                f"time zone {self.name} has no short name; write 'Z', 'ZZ' or 'ZZZ' instead of pattern letter 'z'"
            )
        return name

    def _each(self, millis: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.array([self.offset(instant) for instant in millis.tolist()], dtype=np.int64)

    def _at(self, millis: int) -> datetime:
        return (_EPOCH + timedelta(milliseconds=_into_years_of_datetime(millis))).astimezone(self.rules)


UTC_ZONE = Zone("UTC")


@lru_cache(maxsize=256)
def zone_of(name: str, option: str) -> Zone:
    """Return the zone that a name denotes in Hudi: a region, `GMT+8:00`, or a three-letter id as mapped by Joda.

    `EST` is New York with its summer time. Java interprets unknown names as GMT, which would silently move rows to
    other partitions; hoodoo refuses them.

    Raises:
        OptionError: The name is not a zone; the message names `option`.
    """
    text = name.strip()
    if text.lower() in _UTC_NAMES:
        return UTC_ZONE
    if match := _OFFSET.fullmatch(text):
        hours, minutes = int(match[2]), int(match[3] or 0)
        if hours <= 23 and minutes <= 59:
            return fixed_zone((hours * HOUR + minutes * MINUTE) * (-1 if match[1] == "-" else 1))
    region = _THREE_LETTERS.get(text, text)
    if region in available_timezones():
        return Zone(region, ZoneInfo(region))
    raise OptionError(
        f"option '{option}': '{name}' is not a time zone; write a region (Europe/Berlin), an offset (GMT+8:00) or UTC"
        " (Hudi would silently use GMT)"
    )


def fixed_zone(offset: int) -> Zone:
    """Return the zone of a constant offset in milliseconds east of UTC; `UTC_ZONE` for 0."""
    return Zone(offset_text(offset), fixed=offset) if offset else UTC_ZONE


def offset_text(offset: int, separator: str = ":") -> str:
    """Return an offset in milliseconds as text, such as `+08:00`; seconds are not written."""
    hours, rest = divmod(abs(offset), HOUR)
    return f"{'-' if offset < 0 else '+'}{hours:02d}{separator}{rest // MINUTE:02d}"


def _into_years_of_datetime(millis: int) -> int:
    """Move a time into the years of datetime by cycles of 400 years, after which weekdays and zone rules repeat."""
    year = year_month_day(millis // DAY)[0]
    if 2 <= year <= 9_998:
        return millis
    cycles = (401 - year) // 400 if year < 2 else -((year - 9_600) // 400)
    return millis + cycles * _CYCLE


def _millis(offset: timedelta | None) -> int:
    assert offset is not None
    return offset.days * DAY + offset.seconds * SECOND
