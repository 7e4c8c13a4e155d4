"""Reader of times in texts by Joda date patterns, which are tried in order."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from attrs import define, field, frozen
from numpy.typing import NDArray

from hoodoo_library_java_time.calendar import DAY, FIELDS, MONTH, DateField
from hoodoo_library_java_time.fixed_width import FixedTimes, read_fixed_width
from hoodoo_library_java_time.pattern import Part, parse_pattern
from hoodoo_library_java_time.read_steps import Found, Step, step_of
from hoodoo_library_java_time.zone import UTC_ZONE, Zone, fixed_zone

__all__ = ["DateReader", "ReadTimes"]

_DEFAULT_YEAR = 2000


@define
class ReadTimes:
    """Instants (milliseconds since the epoch) of n texts, and their zones by number.

    Attributes:
        millis: The instants; undefined if a text could not be read.
        zone_numbers: Indices into `zones`; -1 if a text could not be read.
        zones: The zones that occur.
        bad: The texts that could not be read.
    """

    millis: NDArray[np.int64]
    zone_numbers: NDArray[np.int64]
    zones: list[Zone] = field(factory=list)
    bad: list[str] = field(factory=list)

    @classmethod
    def nothing(cls, count: int) -> ReadTimes:
        """Return the state before any text is read."""
        return cls(np.zeros(count, dtype=np.int64), np.full(count, -1, dtype=np.int64))

    def number_of(self, zone: Zone) -> int:
        """Return the number of a zone, which is added if it is new."""
        if zone not in self.zones:
            self.zones.append(zone)
        return self.zones.index(zone)


@frozen
class DateReader:
    """Reader of times by the first of several patterns that fits a whole text.

    Attributes:
        patterns: Joda date patterns.
        option: The option with the patterns, for messages.
        zone: The zone of texts without a zone, and of all results. If it is None, texts without a zone are in UTC, and
            a result has the zone of its text.
    """

    patterns: tuple[str, ...]
    option: str
    zone: Zone | None = None
    parts: tuple[tuple[Part, ...], ...] = field(init=False, repr=False)
    steps: tuple[tuple[Step, ...], ...] = field(init=False, repr=False, eq=False)

    @parts.default
    def _parts(self) -> tuple[tuple[Part, ...], ...]:
        return tuple(parse_pattern(pattern, self.option) for pattern in self.patterns)

    @steps.default
    def _steps(self) -> tuple[tuple[Step, ...], ...]:
        return tuple(
            tuple(step_of(part, parts[number + 1 : number + 2]) for number, part in enumerate(parts))
            for parts in self.parts
        )

    def read_all(self, texts: pa.Array) -> ReadTimes:
        """Return the times of n texts (without nulls), read as by `read`; texts that cannot be read are in `bad`."""
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
        """Return the instant (milliseconds since the epoch) of a text, and the zone of the result.

        Raises:
            ValueError: No pattern fits, or the text has a time that does not exist.
        """
        for steps in self.steps:
            found = Found()
            if _fits(text, steps, found):
                return self._instant(found)
        raise ValueError("no pattern fits")

    def _instant(self, found: Found) -> tuple[int, Zone]:
        local = _local(found.fields)
        if found.offset is not None:
            return local - found.offset, self.zone or fixed_zone(found.offset)
        zone = found.zone or self.zone or UTC_ZONE
        return zone.instant(local), self.zone or zone


def _fits(text: str, steps: tuple[Step, ...], found: Found) -> bool:
    position = 0
    for step in steps:
        after = step(text, position, found)
        if after is None:
            return False
        position = after
    return position == len(text)


def _local(values: list[tuple[DateField, int]]) -> int:
    """Return the local milliseconds of parsed fields; absent fields have their values in 1970-01-01T00:00.

    If the widest field is a month, a week or a day, the absent year is 2000 instead. Every field is set twice, widest
    first. The first pass clears the narrower fields; after the second pass all fields agree.
    """
    ordered = sorted(values, key=_widest_first)
    if ordered and DAY <= ordered[0][0].span <= MONTH:
        # a date without a year is of a leap year, so that 29 February can be read
        ordered = sorted([*values, (FIELDS["y"], _DEFAULT_YEAR)], key=_widest_first)
    local = 0
    for date_field, value in ordered:
        local = date_field.floor(date_field.put(local, value))
    for date_field, value in ordered:
        local = date_field.put(local, value)
    return ordered[-1][0].floor(local) if ordered else local


def _widest_first(item: tuple[DateField, int]) -> tuple[int, int]:
    return -item[0].range, -item[0].span
