"""Proleptic ISO calendar on integers: local milliseconds since 1970-01-01T00:00 and the fields of a date.

It uses integers because `datetime` ends with the year 9999, and a wrong time unit often results in later years.
"""

from __future__ import annotations

from collections.abc import Callable

from attrs import frozen

__all__ = ["DAY", "FIELDS", "HALFDAY", "HOUR", "MINUTE", "MONTH", "SECOND", "DateField", "days_of", "year_month_day"]

SECOND = 1_000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
HALFDAY = 12 * HOUR
DAY = 24 * HOUR
WEEK = 7 * DAY
YEAR = 31_556_952 * SECOND
MONTH = YEAR // 12
UNBOUNDED = 1 << 62

_LAST_YEAR = 292_000_000
_MONTH_STARTS = (0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365)


def days_of(year: int, month: int, day: int) -> int:
    """Return the days since 1970-01-01 of a date; the day may be outside its month."""
    before = year - 1
    starts = _MONTH_STARTS[month - 1] + (1 if month > 2 and _is_leap(year) else 0)
    return before * 365 + before // 4 - before // 100 + before // 400 + starts + day - 1 - 719_162


def year_month_day(days: int) -> tuple[int, int, int]:
    """Return year, month and day of a count of days since 1970-01-01."""
    cycles, rest = divmod(days + 719_162, 146_097)
    centuries = min(rest // 36_524, 3)
    rest -= centuries * 36_524
    fours, rest = divmod(rest, 1_461)
    years = min(rest // 365, 3)
    rest -= years * 365
    year = cycles * 400 + centuries * 100 + fours * 4 + years + 1
    leap = _is_leap(year)
    month = rest // 31 + 1
    if rest >= _MONTH_STARTS[month] + (1 if leap and month >= 2 else 0):
        month += 1
    return year, month, rest - _MONTH_STARTS[month - 1] - (1 if leap and month > 2 else 0) + 1


@frozen
class DateField:
    """Field of a local date-time, such as the minute of the hour.

    Attributes:
        name: The name in messages.
        span: Average length of one unit in milliseconds; `UNBOUNDED` for the era.
        range: Length in milliseconds of the period of the field, such as an hour for the minute of the hour;
            `UNBOUNDED` for years, centuries and the era.
        get: Function that returns the value of the field at a local time.
        put: Function that returns the local time with another value; raises ValueError if the value does not exist.
        floor: Function that returns the local time at which the unit that contains a local time starts.
    """

    name: str
    span: int
    range: int
    get: Callable[[int], int]
    put: Callable[[int, int], int]
    floor: Callable[[int], int]


def _is_leap(year: int) -> bool:
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def _date(local: int) -> tuple[int, int, int]:
    return year_month_day(local // DAY)


def _bounded(name: str, value: int, low: int, high: int) -> int:
    if not low <= value <= high:
        raise ValueError(f"{name} {value} is not between {low} and {high}")
    return value


def _month_length(year: int, month: int) -> int:
    return days_of(year, month + 1, 1) - days_of(year, month, 1) if month < 12 else 31


def _put_year(local: int, year: int) -> int:
    """Return the local time in another year, with the same month and day; a missing 29 February becomes 28 February."""
    _bounded("year", year, -_LAST_YEAR, _LAST_YEAR)
    _, month, day = _date(local)
    if month == 2 and day == 29 and not _is_leap(year):
        day = 28
    return days_of(year, month, day) * DAY + local % DAY


def _put_year_of_era(local: int, value: int) -> int:
    _bounded("year of era", value, 1, _LAST_YEAR)
    return _put_year(local, value if _date(local)[0] > 0 else 1 - value)


def _put_century(local: int, value: int) -> int:
    year = _date(local)[0]
    _bounded("century", value, 0, _LAST_YEAR // 100)
    wanted = value * 100 + abs(year) % 100
    return _put_year(local, wanted if year >= 0 else -wanted)


def _put_era(local: int, value: int) -> int:
    year = _date(local)[0]
    return local if (year > 0) == bool(value) else _put_year(local, -year)


def _put_month(local: int, month: int) -> int:
    _bounded("month", month, 1, 12)
    year, _, day = _date(local)
    return days_of(year, month, min(day, _month_length(year, month))) * DAY + local % DAY


def _put_day_of_month(local: int, value: int) -> int:
    year, month, day = _date(local)
    return local + (_bounded("day of month", value, 1, _month_length(year, month)) - day) * DAY


def _day_of_year(local: int) -> int:
    return local // DAY - days_of(_date(local)[0], 1, 1) + 1


def _put_day_of_year(local: int, value: int) -> int:
    last = 366 if _is_leap(_date(local)[0]) else 365
    return local + (_bounded("day of year", value, 1, last) - _day_of_year(local)) * DAY


def _day_of_week(local: int) -> int:
    return (local // DAY + 3) % 7 + 1


def _put_day_of_week(local: int, value: int) -> int:
    return local + (_bounded("day of week", value, 1, 7) - _day_of_week(local)) * DAY


def _week_one(weekyear: int) -> int:
    """Return the day number of the Monday that begins a week-based year: the week of 4 January."""
    fourth = days_of(weekyear, 1, 4)
    return fourth - (fourth + 3) % 7


def _weekyear(local: int) -> int:
    # the Thursday of a week lies in its week-based year
    return year_month_day(local // DAY + 4 - _day_of_week(local))[0]


def _week(local: int) -> int:
    return (local // DAY - _week_one(_weekyear(local))) // 7 + 1


def _weeks_in(weekyear: int) -> int:
    return (_week_one(weekyear + 1) - _week_one(weekyear)) // 7


def _put_weekyear(local: int, value: int) -> int:
    _bounded("week-based year", value, -_LAST_YEAR, _LAST_YEAR)
    week = min(_week(local), _weeks_in(value))
    return (_week_one(value) + (week - 1) * 7 + _day_of_week(local) - 1) * DAY + local % DAY


def _put_week(local: int, value: int) -> int:
    return local + (_bounded("week", value, 1, _weeks_in(_weekyear(local))) - _week(local)) * WEEK


def _clock(name: str, span: int, range_: int, *, from_one: bool = False) -> DateField:
    """Return a field of the time of day; with `from_one`, 0 is written as the maximum (24 or 12 o'clock)."""
    count = range_ // span

    def get(local: int) -> int:
        value = local % range_ // span
        return value or count if from_one else value

    def put(local: int, value: int) -> int:
        _bounded(name, value, 1 if from_one else 0, count if from_one else count - 1)
        return local + (value % count - local % range_ // span) * span

    return DateField(name, span, range_, get, put, lambda local: local - local % span)


def _year_floor(local: int) -> int:
    return days_of(_date(local)[0], 1, 1) * DAY


def _century_floor(local: int) -> int:
    year = _date(local)[0]
    return days_of(year - year % 100, 1, 1) * DAY


def _weekyear_floor(local: int) -> int:
    return _week_one(_weekyear(local)) * DAY


def _month_floor(local: int) -> int:
    year, month, _ = _date(local)
    return days_of(year, month, 1) * DAY


def _week_floor(local: int) -> int:
    return (local // DAY - _day_of_week(local) + 1) * DAY


def _day_floor(local: int) -> int:
    return local - local % DAY


def _era_floor(local: int) -> int:
    """Return the beginning of year 1, or the time itself if it is earlier, because the era before has no beginning."""
    return days_of(1, 1, 1) * DAY if _era(local) else local


def _year(local: int) -> int:
    return _date(local)[0]


def _month(local: int) -> int:
    return _date(local)[1]


def _day_of_month(local: int) -> int:
    return _date(local)[2]


def _era(local: int) -> int:
    return int(_year(local) > 0)


def _century(local: int) -> int:
    return abs(_year(local)) // 100


def _year_of_era(local: int) -> int:
    year = _year(local)
    return year if year > 0 else 1 - year


FIELDS: dict[str, DateField] = {
    "G": DateField("era", UNBOUNDED, UNBOUNDED, _era, _put_era, _era_floor),
    "C": DateField("century", 100 * YEAR, UNBOUNDED, _century, _put_century, _century_floor),
    "Y": DateField("year of era", YEAR, UNBOUNDED, _year_of_era, _put_year_of_era, _year_floor),
    "y": DateField("year", YEAR, UNBOUNDED, _year, _put_year, _year_floor),
    "x": DateField("week-based year", YEAR, UNBOUNDED, _weekyear, _put_weekyear, _weekyear_floor),
    "M": DateField("month", MONTH, YEAR, _month, _put_month, _month_floor),
    "w": DateField("week", WEEK, YEAR, _week, _put_week, _week_floor),
    "D": DateField("day of year", DAY, YEAR, _day_of_year, _put_day_of_year, _day_floor),
    "d": DateField("day of month", DAY, MONTH, _day_of_month, _put_day_of_month, _day_floor),
    "E": DateField("day of week", DAY, WEEK, _day_of_week, _put_day_of_week, _day_floor),
    "e": DateField("day of week", DAY, WEEK, _day_of_week, _put_day_of_week, _day_floor),
    "a": _clock("half of the day", HALFDAY, DAY),
    "H": _clock("hour of day", HOUR, DAY),
    "k": _clock("hour of day", HOUR, DAY, from_one=True),
    "K": _clock("hour of half-day", HOUR, HALFDAY),
    "h": _clock("hour of half-day", HOUR, HALFDAY, from_one=True),
    "m": _clock("minute", MINUTE, HOUR),
    "s": _clock("second", SECOND, MINUTE),
    "S": _clock("millisecond", 1, SECOND),
}
"""The fields by their pattern letter."""
