"""Steps that read a text by a Joda date pattern, one for each part of the pattern."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

from attrs import define, field

from hoodoo_library_java_time.calendar import HOUR, MINUTE, SECOND, DateField
from hoodoo_library_java_time.pattern import DAYS, ERAS, HALVES, MONTHS, Part
from hoodoo_library_java_time.zone import UTC_ZONE, Zone

__all__ = ["Found", "Step", "step_of"]

_LONGEST_YEAR = 9
_MOST_DIGITS = {"D": 3, "e": 1}
_ZONE_NAMES = {
    "UT": "UTC", "UTC": "UTC", "GMT": "UTC", "EST": "America/New_York", "EDT": "America/New_York",
    "CST": "America/Chicago", "CDT": "America/Chicago", "MST": "America/Denver", "MDT": "America/Denver",
    "PST": "America/Los_Angeles", "PDT": "America/Los_Angeles",
}  # fmt: skip


@define
class Found:
    """Fields, offset (milliseconds east of UTC) and zone read from one text; None for a missing offset or zone."""

    fields: list[tuple[DateField, int]] = field(factory=list)
    offset: int | None = None
    zone: Zone | None = None


Step = Callable[[str, int, Found], int | None]
"""Function that reads a part at a position of a text into `Found`, and returns its end, or None if it does not fit."""


def step_of(part: Part, following: tuple[Part, ...]) -> Step:
    """Return the step that reads a part; `following` has the part after it, if there is one."""
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


def _literal(expected: str) -> Step:
    def read(text: str, position: int, found: Found) -> int | None:
        end = position + len(expected)
        return end if text[position:end].upper() == expected.upper() else None

    return read


def _number(date_field: DateField, longest: int, *, signed: bool) -> Step:
    def read(text: str, position: int, found: Found) -> int | None:
        start = position + (1 if signed and text[position : position + 1] in ("-", "+") else 0)
        # a sign is not counted as a digit
        end = _digits_end(text, start, longest)
        if end == start:
            return None
        found.fields.append((date_field, int(text[position:end])))
        return end

    return read


def _two_digit_year(date_field: DateField, *, lenient: bool) -> Step:
    """Return a step that reads two digits as a year of the 100 years that began 80 years ago.

    With `lenient`, a number with a sign, or with another count of digits, is the year itself.
    """

    def read(text: str, position: int, found: Found) -> int | None:
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


def _fraction(date_field: DateField, longest: int) -> Step:
    def read(text: str, position: int, found: Found) -> int | None:
        end = _digits_end(text, position, longest)
        if end == position:
            return None
        found.fields.append((date_field, int(text[position:end][:3].ljust(3, "0"))))
        return end

    return read


def _word(date_field: DateField, spellings: dict[str, int]) -> Step:
    longest = max(map(len, spellings))

    def read(text: str, position: int, found: Found) -> int | None:
        for end in range(min(len(text), position + longest), position, -1):
            value = spellings.get(text[position:end])
            if value is not None:
                found.fields.append((date_field, value))
                return end
        return None

    return read


def _spellings(part: Part) -> dict[str, int]:
    """Return the values of full and short words by spelling: title case, lower case and upper case."""
    full = {"M": MONTHS, "E": DAYS, "a": HALVES, "G": (*ERAS, "BCE", "CE")}[part.letter]
    words = {word: number % len(ERAS) if part.letter == "G" else number for number, word in enumerate(full, part.first)}
    shorts = {word[:3]: number for word, number in words.items()}
    both = words | shorts
    return {spelling: number for word, number in both.items() for spelling in (word, word.lower(), word.upper())}


def _offset(text: str, position: int, found: Found) -> int | None:
    """Read `Z`, or a sign and hh, hhmm, hhmmss, hhmmssSSS, each also with separators (hh:mm:ss.SSS)."""
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


def _zone_name(text: str, position: int, found: Found) -> int | None:
    return _zone(text, position, found, _ZONE_NAMES)


def _zone_id(text: str, position: int, found: Found) -> int | None:
    return _zone(text, position, found, _zone_ids())


@cache
def _zone_ids() -> dict[str, str]:
    return {name: name for name in available_timezones()}


def _zone(text: str, position: int, found: Found, known: dict[str, str]) -> int | None:
    names = [name for name in known if text.startswith(name, position)]
    if not names:
        return None
    name = max(names, key=len)
    region = known[name]
    found.zone = UTC_ZONE if region == "UTC" else Zone(region, ZoneInfo(region))
    return position + len(name)


def _digits_end(text: str, position: int, longest: int) -> int:
    """Return the end of a run of at most `longest` ASCII digits."""
    end = position
    limit = min(len(text), position + longest)
    while end < limit and "0" <= text[end] <= "9":
        end += 1
    return end
