"""Joda date patterns, written and read; expected values come from Joda-Time 2.14 itself."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import numpy as np
import pyarrow as pa
import pytest
from hoodoo_library_java_time.date_reader import DateReader
from hoodoo_library_java_time.date_writer import DateWriter
from hoodoo_library_java_time.zone import UTC_ZONE, zone_of
from hypothesis import given
from hypothesis import strategies as st

from hoodoo.errors import OptionError

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def written(pattern: str, millis: int, zone: str = "UTC") -> str:
    text = DateWriter(pattern, "o").write(np.array([millis], dtype=np.int64), zone_of(zone, "o"))[0].as_py()
    assert isinstance(text, str)
    return text


def read(patterns: str, text: str, zone: str = "") -> str:
    """Return the instant and the zone of a text, or "refused"; check that it is read equally alone and among others."""
    reader = DateReader(tuple(patterns.split("|")), "o", zone_of(zone, "o") if zone else None)
    many = reader.read_all(pa.array([text, "not a time", text]))
    if many.zone_numbers[0] < 0:
        assert many.bad == [text, "not a time", text]
        with pytest.raises(ValueError, match=r"."):
            reader.read(text)
        return "refused"
    instant, in_zone = reader.read(text)
    assert many.bad == ["not a time"]
    assert many.millis[[0, 2]].tolist() == [instant, instant]
    assert many.zones[many.zone_numbers[2]] == in_zone
    return f"{instant} {in_zone.name}"


@pytest.mark.parametrize(
    ("pattern", "millis", "zone", "expected"),
    [
        ("yyyyMMddHH", 1585746093428, "EST", "2020040109"),
        ("yyyy-MM-dd hh a", 1, "GMT+8:00", "1970-01-01 08 AM"),
        ("EEEE, d MMMM yyyy HH:mm:ss.SSS ZZ", 1578283932123, "IST", "Monday, 6 January 2020 09:42:12.123 +05:30"),
        ("xxxx-'W'ww-e D kk KK", 1609459199999, "America/New_York", "2020-W53-4 366 18 06"),
        ("yy YYYY C G ''", -62167219200001, "UTC", "01 0002 0 BC '"),
        ("E MMM d h 'o''clock' a z", 951782400000, "UTC", "Tue Feb 29 12 o'clock AM UTC"),
        ("S SS SSS SSSSSS", 45, "UTC", "0 04 045 045000"),
        ("Z ZZ ZZZ z", 1577836800000, "America/New_York", "-0500 -05:00 America/New_York EST"),
        ("Z ZZ ZZZ z", 0, "GMT-3:30", "-0330 -03:30 -03:30 -03:30"),
        ("yyyyy y HHH", 0, "UTC", "01970 1970 000"),
        ("yyyy-MM-dd", 253402300800000, "UTC", "10000-01-01"),
        ("yyyy-MM-dd", -62167219200001, "UTC", "-0001-12-31"),
        ("zzzz", 0, "UTC", "Coordinated Universal Time"),
    ],
)
def test_writing(pattern: str, millis: int, zone: str, expected: str) -> None:
    assert written(pattern, millis, zone) == expected


def test_the_clock_letters_at_midnight_and_noon() -> None:
    noon = 12 * 3_600_000

    assert [written("HH kk KK hh a", millis) for millis in (0, noon)] == ["00 24 00 12 AM", "12 12 00 12 PM"]


@given(st.lists(st.datetimes(datetime(1, 1, 1), datetime(9999, 12, 31)), min_size=1, max_size=20))
def test_writing_agrees_with_datetime(times: list[datetime]) -> None:
    """The writer and `datetime` write the same texts, including week dates and days of the year."""
    millis = np.array([(time.replace(tzinfo=UTC) - EPOCH) // timedelta(milliseconds=1) for time in times])
    texts = DateWriter("yyyy-MM-dd HH xxxx ww e DDD EEE", "o").write(millis, UTC_ZONE).to_pylist()
    weeks = [time.isocalendar() for time in times]

    assert texts == [
        f"{time.year:04d}-{time:%m-%d %H} {week.year:04d} {week.week:02d} {week.weekday}"
        f" {time.timetuple().tm_yday:03d} {time:%a}"
        for time, week in zip(times, weeks, strict=True)
    ]


def test_offsets_across_a_change_of_the_clocks() -> None:
    """`offsets` and `offset` agree for every half hour of the days around both changes of a year."""
    millis = np.concatenate([np.arange(48 * 3) * 1_800_000 + start for start in (1583539200000, 1604102400000)])
    zone = zone_of("America/New_York", "o")

    assert zone.offsets(millis).tolist() == [zone.offset(int(instant)) for instant in millis]
    assert len(set(zone.offsets(millis).tolist())) == 2


@pytest.mark.parametrize(
    ("patterns", "text", "zone", "expected"),
    [
        ("yyyy-MM-dd'T'HH:mm:ssZ|yyyy-MM-dd'T'HH:mm:ss.SSSZ", "2020-04-01T13:01:33.123-05:00", "",
         "1585764093123 -05:00"),
        ("yyyy-MM-dd'T'HH:mm:ss.SSSZ", "2020-04-01T13:01:33.428Z", "", "1585746093428 UTC"),
        ("yyyy-MM-dd'T'HH:mm:ss.SSSZ", "2020-04-01T13:01:33.428Z", "GMT+8:00", "1585746093428 +08:00"),
        ("yyyy-MM-dd HH:mm", "2020-10-25 02:30", "Europe/Berlin", "1603585800000 Europe/Berlin"),
        ("yyyy-MM-dd HH:mm", "2020-03-29 02:30", "Europe/Berlin", "refused"),
        ("yyyy-MM-dd HH:mm", "2020-07-01 02:30", "Europe/Berlin", "1593563400000 Europe/Berlin"),
        ("yyyy-MM-dd", "2021-02-29", "", "refused"),
        ("d MMM", "29 feb", "", "951782400000 UTC"),
        ("xxxx-'W'ww-e", "2020-W53-5", "", "1609459200000 UTC"),
        ("yyyy-DDD", "2020-366", "", "1609372800000 UTC"),
        ("hh:mm a", "12:30 AM", "", "1800000 UTC"),
        ("yyyy-MM-dd HH:mm z", "2020-07-01 12:00 EDT", "", "1593619200000 America/New_York"),
        ("yyyyMMddHHmmssSSS", "20200401130133428", "", "1585746093428 UTC"),
        ("yyyy-MM-dd HH:mm:ss.SSS", "2020-4-1 1:2:3.5", "", "1585702923500 UTC"),
        ("yyyy-MM-dd", "12020-01-01", "", "317147356800000 UTC"),
        ("yyyy-MM-dd|yyyy-MM-dd HH", "2020-13-01", "", "refused"),
        ("yyyy-MM-dd HH|yyyy-MM-dd", "2020-01-05", "", "1578182400000 UTC"),
        ("yyyy-MM-dd'T'HH", "2020-01-05t07", "", "1578207600000 UTC"),
        ("yyyy-MM-dd", "2020-01-05 ", "", "refused"),
        ("yyyy-MM-dd HH", "2020-01-05 24", "", "refused"),
        ("yyyy-MM-dd ZZZ", "2020-01-05 Asia/Tokyo", "", "1578150000000 Asia/Tokyo"),
    ],
)  # fmt: skip
def test_reading(patterns: str, text: str, zone: str, expected: str) -> None:
    assert read(patterns, text, zone) == expected


def test_two_digit_years_are_near_today() -> None:
    this_year = datetime.now(UTC).year
    for year in (this_year - 80, this_year, this_year + 19):
        assert (
            read("yyMMdd", f"{year % 100:02d}0101")
            == f"{(datetime(year, 1, 1, tzinfo=UTC) - EPOCH).days * 86400000} UTC"
        )
    assert read("yy", "2020") == "1577836800000 UTC"


@pytest.mark.parametrize("pattern", ["yyyy-MM-dd'T'HH:mm:ss.SSSZZ", "yyyyMMddHHmmssSSSZ", "dd MMMM yyyy h:m:s.SSS a z"])
@given(millis=st.integers(-2_000_000_000_000, 4_000_000_000_000))
def test_what_was_written_is_read(pattern: str, millis: int) -> None:
    assert read(pattern, written(pattern, millis)) == f"{millis} UTC"


@given(st.from_regex(re.compile(r"\A[0-9-]{3,5}-?\d{2}-?\d{2}[T ]?\d{2}(Z|[+-]\d\d:?\d\d)?\Z", re.ASCII)))
def test_columns_of_digits_are_read_as_single_texts_are(text: str) -> None:
    """`read_all`, which may read columns of digits, and `read` accept the same texts, with the same results."""
    for pattern in ("yyyy-MM-dd'T'HHZ", "yyyyMMddHH", "yyyy-MM-dd HHZ"):
        read(pattern, text)


@pytest.mark.parametrize("pattern", ["", "yyyy-MM-qq", "YYYY-bb", "yyyy/MM/dd T"])
def test_patterns_that_are_none(pattern: str) -> None:
    with pytest.raises(OptionError, match="option 'output_format'"):
        DateWriter(pattern, "output_format")


def test_names_that_are_not_known() -> None:
    with pytest.raises(OptionError, match="has no short name"):
        written("z", 0, "America/Sao_Paulo")
    with pytest.raises(OptionError, match="long name"):
        written("zzzz", 0, "Europe/Berlin")


# as java.util.TimeZone and Joda resolve them
@pytest.mark.parametrize(
    ("name", "winter", "summer"),
    [
        ("UTC", 0, 0), ("GMT", 0, 0), ("utc", 0, 0), ("GMT+8", 480, 480), ("GMT+0800", 480, 480),
        ("GMT-03:30", -210, -210),
        ("EST", -300, -240), ("PST", -480, -420), ("MST", -420, -360), ("HST", -600, -600), ("CET", 60, 120),
        ("IST", 330, 330), ("BST", 360, 360), ("AST", -540, -480), ("CST", -360, -300), ("PNT", -420, -420),
        ("ECT", 60, 120), ("AGT", -180, -180), ("CNT", -210, -150), ("SST", 660, 660), ("Europe/London", 0, 60),
        ("Etc/GMT+5", -300, -300), ("US/Pacific", -480, -420),
    ],
)  # fmt: skip
def test_zone_names(name: str, winter: int, summer: int) -> None:
    zone = zone_of(name, "o")

    assert [zone.offset(1578283932123) // 60_000, zone.offset(1596283932123) // 60_000] == [winter, summer]


@pytest.mark.parametrize("name", ["bogus", "UTC+8", "GMT+24", "GMT+8:0", "+08:00"])
def test_names_that_java_would_take_for_gmt_are_refused(name: str) -> None:
    with pytest.raises(OptionError, match=r"option 'timezone': .* is not a time zone"):
        zone_of(name, "timezone")
