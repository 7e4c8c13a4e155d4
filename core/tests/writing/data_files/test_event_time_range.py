"""The range of event times among records."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pyarrow as pa
import pytest

from hoodoo.errors import OptionError
from hoodoo.options import WriteOptions
from hoodoo.writing.data_files.event_time_range import event_times, is_event_time, tracked_column

DAY = 86_400_000


@pytest.mark.parametrize(
    ("type_", "values", "expected"),
    [
        (pa.timestamp("us", "UTC"), [datetime(1970, 1, 2, tzinfo=UTC), datetime(1970, 1, 1, tzinfo=UTC)], (0, DAY)),
        (pa.date32(), [date(1970, 1, 3), None, date(1970, 1, 2)], (DAY, 2 * DAY)),
        (pa.int64(), [1_700_000_000, 1_600_000_000_001], (1_600_000_000_001, 1_700_000_000_000)),
        (pa.int64(), [999_999_999, 10_000_000_000], None),
        (pa.string(), ["1700000000", "x", "17000000001"], (1_700_000_000_000, 1_700_000_000_000)),
        (pa.string(), [None], None),
    ],
)
def test_ten_digits_are_seconds_and_thirteen_milliseconds(plan_of, records, type_, values, expected):
    schema = pa.schema([("id", pa.string()), ("p", pa.string()), ("ts", pa.int64()), ("e", type_)])
    rows = [(f"k{number}", "x", 1, value) for number, value in enumerate(values)]
    assert event_times(records(plan_of(schema=schema), *rows), "e") == expected


def test_deletes_have_no_event_time(plan_of, records):
    plan = plan_of()
    rows = [("a", "x", 1_700_000_000, ""), ("b", "x", 1_800_000_000, "")]
    assert event_times(records(plan, *rows, deletes="b"), "ts") == (1_700_000_000_000,) * 2
    assert event_times(records(plan, *rows, deletes="ab"), "ts") is None


def test_nothing_is_looked_at_without_a_column(plan_of, records):
    assert event_times(records(plan_of(), ("a", "x", 1_700_000_000, "")), "") is None
    assert event_times(records(plan_of()), "ts") is None


@pytest.mark.parametrize(
    ("options", "ordering", "column"),
    [
        ({}, ("ts",), ""),
        ({"track_event_time": True}, ("ts", "n"), "ts"),
        ({"event_time_field": "e"}, ("ts",), "e"),
        ({"event_time_field": "e", "track_event_time": False}, ("ts",), ""),
    ],
)
def test_the_column_is_the_named_one_or_the_first_that_orders(options, ordering, column):
    assert tracked_column(WriteOptions(**options), ordering) == column


def test_tracking_needs_a_column():
    with pytest.raises(OptionError, match="'event_time_field'"):
        tracked_column(WriteOptions(track_event_time=True), ())


def test_types_of_event_times():
    good = [pa.timestamp("ms"), pa.date32(), pa.int32(), pa.string(), pa.large_string()]
    assert all(is_event_time(type_) for type_ in good)
    assert not any(is_event_time(type_) for type_ in (pa.float64(), pa.binary(), pa.bool_()))
