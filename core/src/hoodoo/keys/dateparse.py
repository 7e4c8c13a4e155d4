"""Texts read by Joda date patterns, tried in order."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

import numpy as np
import pyarrow as pa
from attrs import define, field, frozen
from numpy.typing import NDArray

from hoodoo.keys.calendar import DAY, FIELDS, HOUR, MINUTE, MONTH, SECOND, DateField
from hoodoo.keys.fixedwidth import FixedTimes, read_fixed_width
from hoodoo.keys.pattern import DAYS, ERAS, HALVES, MONTHS, Part, parse_pattern
from hoodoo.keys.zone import UTC_ZONE, Zone, fixed_zone

__all__ = ["DateReader", "ReadTimes"]

_DEFAULT_YEAR = 2000
_LONGEST_YEAR = 9
_MOST_DIGITS = {"D": 3, "e": 1}
_ZONE_NAMES = {
    "UT": "UTC", "UTC": "UTC", "GMT": "UTC", "EST": "America/New_York", "EDT": "America/New_York",
    "CST": "America/Chicago", "CDT": "America/Chicago", "MST": "America/Denver", "MDT": "America/Denver",
    "PST": "America/Los_Angeles", "PDT": "America/Los_Angeles",
}  # fmt: skip


@define
class ReadTimes:
    """Instants (milliseconds since the epoch) of n texts and the zones that they are in, by number.

    Attributes:
        millis: The instants.
        zone_numbers: Indices into `zones`; -1 where a text could not be read.
        zones: The zones that occur.
        bad: The texts that could not be read.
    """

    millis: NDArray[np.int64]
    zone_numbers: NDArray[np.int64]
    zones: list[Zone] = field(factory=list)
    bad: list[str] = field(factory=list)

    @classmethod
    def nothing(cls, count: int) -> ReadTimes:
        """Nothing read yet."""
        return cls(np.zeros(count, dtype=np.int64), np.full(count, -1, dtype=np.int64))

    def number_of(self, zone: Zone) -> int:
        """The number of a zone."""
        if zone not in self.zones:
            self.zones.append(zone)
        return self.zones.index(zone)


@define
class _Found:
    """What has been read of one text."""

    fields: list[tuple[DateField, int]] = field(factory=list)
    offset: int | None = None
    zone: Zone | None = None


_Step = Callable[[str, int, _Found], int | None]
"""Reads a part at a position of a text; where the part ends, or None where it does not fit."""


@frozen
class DateReader:
    """Reads times by the first of several patterns that fits a whole text.

    Attributes:
        patterns: Joda date patterns.
        option: The option that holds them, for messages.
        zone: The zone of texts that name none. Where it is given, every result is in it.
    """

    patterns: tuple[str, ...]
    option: str
    zone: Zone | None = None
    parts: tuple[tuple[Part, ...], ...] = field(init=False, repr=False)
    steps: tuple[tuple[_Step, ...], ...] = field(init=False, repr=False, eq=False)

    @parts.default
    def _parts(self) -> tuple[tuple[Part, ...], ...]:
        return tuple(parse_pattern(pattern, self.option) for pattern in self.patterns)

    @steps.default
    def _steps(self) -> tuple[tuple[_Step, ...], ...]:
        return tuple(
            tuple(_step(part, parts[number + 1 : number + 2]) for number, part in enumerate(parts))
            for parts in self.parts
        )

    def read_all(self, texts: pa.Array) -> ReadTimes:
        """What `read` gives for each of n texts (without nulls)."""
        times = ReadTimes.nothing(len(texts))
        fixed = read_fixed_width(texts, self.parts[0])
        if fixed is not None:
            self._take_fixed(times, fixed)
        rest = np.flatnonzero(times.zone_numbers < 0)
        for row, text in zip(rest.tolist(), texts.take(pa.array(rest)).to_pylist(), strict=True):
            try:
                instant, zone = self.read(text)
            except ValueError:
                times.bad.append(text)
                continue
            times.millis[row] = instant
            times.zone_numbers[row] = times.number_of(zone)
        return times

    def _take_fixed(self, times: ReadTimes, fixed: FixedTimes) -> None:
        if fixed.offset is None:
            zone = self.zone or UTC_ZONE
            millis, certain = zone.instants(fixed.local)
            times.millis[:] = millis
            times.zone_numbers[fixed.ok & certain] = times.number_of(zone)
            return
        times.millis[:] = fixed.local - fixed.offset
        for offset in np.unique(fixed.offset[fixed.ok]).tolist():
            rows = fixed.ok & (fixed.offset == offset)
            times.zone_numbers[rows] = times.number_of(self.zone or fixed_zone(offset))

    def read(self, text: str) -> tuple[int, Zone]:
        """The instant (milliseconds since the epoch) that a text names, and the zone that it is in.

        Raises:
            ValueError: No pattern fits, or the first that does names a time that does not exist.
        """
        for steps in self.steps:
            found = _Found()
            if _fits(text, steps, found):
                return self._instant(found)
        raise ValueError("no pattern fits")

    def _instant(self, found: _Found) -> tuple[int, Zone]:
        local = _local(found.fields)
        if found.offset is not None:
            return local - found.offset, self.zone or fixed_zone(found.offset)
        zone = found.zone or self.zone or UTC_ZONE
        return zone.instant(local), self.zone or zone


def _fits(text: str, steps: tuple[_Step, ...], found: _Found) -> bool:
    position = 0
    for step in steps:
        after = step(text, position, found)
        if after is None:
            return False
        position = after
    return position == len(text)


def _local(values: list[tuple[DateField, int]]) -> int:
    """Local milliseconds of parsed fields, widest first; what is not named is as in 1970-01-01T00:00.

    Every field is set twice: at first what is narrower is cleared, then all must agree.
    """
    ordered = sorted(values, key=lambda item: (-item[0].range, -item[0].span))
    if ordered and DAY <= ordered[0][0].span <= MONTH:
        # a date without a year is of a leap year, so that 29 February can be read
        ordered = sorted([*values, (FIELDS["y"], _DEFAULT_YEAR)], key=lambda item: (-item[0].range, -item[0].span))
    local = 0
    for date_field, value in ordered:
        local = date_field.floor(date_field.put(local, value))
    for date_field, value in ordered:
        local = date_field.put(local, value)
    return ordered[-1][0].floor(local) if ordered else local


def _step(part: Part, following: tuple[Part, ...]) -> _Step:
    """How a part is read, given the part after it, if any."""
    before_number = bool(following) and following[0].is_number
    if not part.letter:
        return _literal(part.text)
    if part.letter == "z":
        return _zone_name
    if part.letter == "Z":
        return _zone_id if part.count > 2 else _offset
    date_field = part.field
    assert date_field is not None
    if part.words:
        return _word(date_field, _spellings(part))
    if part.letter == "S":
        return _fraction(date_field, part.count)
    if part.two_digits:
        return _two_digit_year(date_field, lenient=not before_number)
    if part.letter in ("y", "Y", "x"):
        longest = part.count if before_number else _LONGEST_YEAR
        return _number(date_field, max(longest, part.count), signed=part.letter != "Y")
    longest = part.count if part.letter == "C" else max(_MOST_DIGITS.get(part.letter, 2), part.count)
    return _number(date_field, longest, signed=part.letter == "C")


def _literal(expected: str) -> _Step:
    def read(text: str, position: int, found: _Found) -> int | None:
        end = position + len(expected)
        return end if text[position:end].upper() == expected.upper() else None

    return read


def _number(date_field: DateField, longest: int, *, signed: bool) -> _Step:
    def read(text: str, position: int, found: _Found) -> int | None:
        start = position + (1 if signed and text[position : position + 1] in ("-", "+") else 0)
        # a sign counts as no digit
        end = _digits_end(text, start, longest)
        if end == start:
            return None
        found.fields.append((date_field, int(text[position:end])))
        return end

    return read


def _two_digit_year(date_field: DateField, *, lenient: bool) -> _Step:
    """Two digits are a year in the hundred years that end 20 years from now; more or fewer, or a sign, are the year itself."""

    def read(text: str, position: int, found: _Found) -> int | None:
        signed = lenient and text[position : position + 1] in ("-", "+")
        start = position + int(signed)
        end = _digits_end(text, start, len(text) if lenient else 2)
        if end == start or (not lenient and end - start < 2):
            return None
        value = int(text[position:end])
        if not signed and end - start == 2:
            earliest = datetime.now(UTC).year - 80
            value = earliest + (value - earliest) % 100
        found.fields.append((date_field, value))
        return end

    return read


def _fraction(date_field: DateField, longest: int) -> _Step:
    def read(text: str, position: int, found: _Found) -> int | None:
        end = _digits_end(text, position, longest)
        if end == position:
            return None
        found.fields.append((date_field, int(text[position:end][:3].ljust(3, "0"))))
        return end

    return read


def _word(date_field: DateField, spellings: dict[str, int]) -> _Step:
    longest = max(map(len, spellings))

    def read(text: str, position: int, found: _Found) -> int | None:
        for end in range(min(len(text), position + longest), position, -1):
            value = spellings.get(text[position:end])
            if value is not None:
                found.fields.append((date_field, value))
                return end
        return None

    return read


def _spellings(part: Part) -> dict[str, int]:
    """Full and short words, as they are, in lower and in upper case."""
    full = {"M": MONTHS, "E": DAYS, "a": HALVES, "G": (*ERAS, "BCE", "CE")}[part.letter]
    words = {word: number % len(ERAS) if part.letter == "G" else number for number, word in enumerate(full, part.first)}
    shorts = {word[:3]: number for word, number in words.items()}
    both = words | shorts
    return {spelling: number for word, number in both.items() for spelling in (word, word.lower(), word.upper())}


def _offset(text: str, position: int, found: _Found) -> int | None:
    """`Z`, or a sign and hh, hhmm, hhmmss, hhmmssSSS, each also with separators (hh:mm:ss.SSS)."""
    sign = text[position : position + 1]
    if sign in ("Z", "z"):
        found.offset = 0
        return position + 1
    if sign not in ("-", "+") or _digits_end(text, position + 1, 2) != position + 3:
        return None
    hours, place = int(text[position + 1 : position + 3]), position + 3
    separated = text[place : place + 1] == ":"
    total = hours * HOUR
    for unit, separators, least, most in ((MINUTE, ":", 2, 59), (SECOND, ":", 2, 59), (1, ".,", 1, 999)):
        start = place
        if separated:
            if start == len(text) or text[start] not in separators:
                break
            start += 1
        end = _digits_end(text, start, 2 if unit > 1 else 3)
        if end == start and not separated:
            break
        value = int(text[start:end].ljust(2 if unit > 1 else 3, "0") or 0)
        if end - start < least or value > most:
            return None
        total += value * unit
        place = end
    if hours > 23:
        return None
    found.offset = -total if sign == "-" else total
    return place


def _zone_name(text: str, position: int, found: _Found) -> int | None:
    return _zone(text, position, found, _ZONE_NAMES)


def _zone_id(text: str, position: int, found: _Found) -> int | None:
    return _zone(text, position, found, _zone_ids())


@cache
def _zone_ids() -> dict[str, str]:
    return {name: name for name in available_timezones()}


def _zone(text: str, position: int, found: _Found, known: dict[str, str]) -> int | None:
    names = [name for name in known if text.startswith(name, position)]
    if not names:
        return None
    name = max(names, key=len)
    region = known[name]
    found.zone = UTC_ZONE if region == "UTC" else Zone(region, ZoneInfo(region))
    return position + len(name)


def _digits_end(text: str, position: int, longest: int) -> int:
    """Where a run of at most `longest` ASCII digits ends."""
    end = position
    limit = min(len(text), position + longest)
    while end < limit and "0" <= text[end] <= "9":
        end += 1
    return end
