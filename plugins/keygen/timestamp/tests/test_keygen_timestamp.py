"""The key generator `timestamp`: partitions made of times."""

from __future__ import annotations

import datetime
import time
from collections.abc import Callable
from decimal import Decimal
from typing import Any, ClassVar

import attrs
import pyarrow as pa
import pytest
from hoodoo_keygen_timestamp import TimestampKeyGenerator

from hoodoo.errors import DataError, HoodooError, OptionError, SchemaError
from hoodoo.record import KeyConfig
from hoodoo.testing import KeyGeneratorSuite

BY_MONTH = {"timestamp_type": "DATE_STRING", "input_format": "yyyy-MM-dd", "output_format": "yyyy/MM"}


class TestNumbers(KeyGeneratorSuite):
    plugin = "timestamp"
    options: ClassVar = {"timestamp_type": "EPOCHMILLISECONDS", "output_format": "yyyy/MM/dd"}
    config = KeyConfig(("id",), ("t",), hive_style=True)
    columns: ClassVar = {"t": "long"}


class TestTexts(KeyGeneratorSuite):
    plugin = "timestamp"
    options: ClassVar = {"input_format": "yyyy-MM-dd,yyyy-MM-dd HH", "output_format": "yyyy/MM/dd HH"}
    config = KeyConfig(("id",), ("t",))
    columns: ClassVar = {"t": "string"}
    values: ClassVar = {"t": (None, "2020-01-05", "2020-01-05 07", "1969-12-31 23")}


@pytest.mark.parametrize(
    ("table", "config"),
    [
        (
            "sample_table_cow__v6_timebasedkeygen_nonhivestyle",
            ["id", "ts_str", {"input_format": "yyyy-MM-dd'T'HH:mm:ss.SSSZ"}],
        ),
        (
            "sample_table_cow__v9_timebasedkeygen_epochmillis",
            ["txn_id", "ts_millis", {"timestamp_type": "EPOCHMILLISECONDS"}],
        ),
        (
            "sample_table_mor_avro__v9_timebasedkeygen_nonhivestyle",
            ["txn_id", "ts_str", {"timestamp_type": "DATE_STRING", "input_format": "yyyy-MM-dd'T'HH:mm:ss.SSSZ"}],
        ),
        ("mor6-timestamp-key-by-0.15.0", ["id", "day", BY_MONTH]),
        ("mor9-timestamp-key", ["id", "day", BY_MONTH]),
    ],
)
def test_keys_and_paths_of_real_tables(table: str, config: list[Any], real_rows: Callable[[str], pa.Table]) -> None:
    """The keys and paths made from the data columns are those that Hudi wrote into the meta columns."""
    rows = real_rows(table)
    key, column, options = config
    if column == "ts_millis":
        # the reader that made the expected rows gives partition columns as text; in the data files it is a long
        rows = rows.set_column(rows.schema.get_field_index(column), column, rows[column].cast(pa.int64()))
    keys = KeyConfig((key,), (column,))
    generator = TimestampKeyGenerator(**{"output_format": "yyyy/MM/dd/HH", **options})

    assert generator.record_keys(rows, keys).to_pylist() == rows["_hoodie_record_key"].to_pylist()
    assert generator.partition_paths(rows, keys).to_pylist() == rows["_hoodie_partition_path"].to_pylist()


def paths(values: pa.Array, *, consistent: bool = False, hive: bool = False, **options: str) -> list[str]:
    config = KeyConfig(("t",), ("t",), hive_style=hive, consistent_logical_timestamps=consistent)
    rows = pa.table({"t": values})
    return TimestampKeyGenerator(**options).partition_paths(rows, config).to_pylist()


DAY_OF = {"output_format": "yyyy-MM-dd HH"}


@pytest.mark.parametrize(
    ("options", "value"),
    [
        ({"timestamp_type": "UNIX_TIMESTAMP"}, 1_700_000_000),
        ({"timestamp_type": "EPOCHMILLISECONDS"}, 1_700_000_000_999),
        ({"timestamp_type": "EPOCHMICROSECONDS"}, 1_700_000_000_999_999),
        ({"timestamp_type": "SCALAR"}, 1_700_000_000),
        ({"timestamp_type": "SCALAR", "time_unit": "nanoseconds"}, 1_700_000_000_999_999_999),
        ({"timestamp_type": "SCALAR", "time_unit": "MICROSECONDS"}, 1_700_000_000_000_000),
        ({"timestamp_type": "SCALAR", "time_unit": "Milliseconds"}, 1_700_000_000_000),
        ({"timestamp_type": "SCALAR", "time_unit": "minutes"}, 28_333_333),
        ({"timestamp_type": "SCALAR", "time_unit": "hours"}, 472_222),
    ],
)
def test_numbers_of_every_unit(options: dict[str, str], value: int) -> None:
    assert paths(pa.array([value, value]), **DAY_OF, **options) == ["2023-11-14 22"] * 2


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"timestamp_type": "UNIX_TIMESTAMP"}, "1970-01-01 00:00:01.000"),
        ({"timestamp_type": "EPOCHMILLISECONDS"}, "1970-01-01 00:00:00.001"),
        ({"timestamp_type": "EPOCHMICROSECONDS"}, "1970-01-01 00:00:00.000"),
        ({"timestamp_type": "SCALAR", "time_unit": "days"}, "1970-01-02 00:00:00.000"),
        ({"timestamp_type": "UNIX_TIMESTAMP", "output_timezone": "GMT+8:00"}, "1970-01-01 08:00:01.000"),
    ],
)
def test_null_is_one_unit_after_the_epoch(options: dict[str, str], expected: str) -> None:
    values = pa.array([None, 0], pa.int64())
    options = {"output_format": "yyyy-MM-dd HH:mm:ss.SSS", **options}

    assert paths(values, **options)[0] == expected
    assert paths(pa.nulls(1), **options) == [expected]


def test_null_among_texts_is_what_the_first_input_format_can_say() -> None:
    options = {"input_format": "yyyy-MM-dd,yyyy-MM-dd HH", "output_format": "yyyy-MM-dd HH"}

    assert paths(pa.array([None, "2020-01-05 07"]), **options) == ["1970-01-01 00", "2020-01-05 07"]
    # midnight in the input zone
    zones = {"input_timezone": "America/New_York", "output_timezone": "UTC"}
    assert paths(pa.array([None], pa.string()), **options, **zones) == ["1969-12-31 05"]


def test_an_input_format_without_a_text_for_null_matters_only_for_nulls() -> None:
    """The zone has no short name, which the input format contains."""
    options = {
        "input_format": "yyyy-MM-dd z,yyyy-MM-dd",
        "output_format": "yyyy",
        "input_timezone": "America/Sao_Paulo",
        "output_timezone": "UTC",
    }

    assert paths(pa.array(["2020-01-05"]), **options) == ["2020"]
    with pytest.raises(OptionError):
        paths(pa.array([None, "2020-01-05"]), **options)


def test_absent_column_reads_as_null() -> None:
    generator = TimestampKeyGenerator(timestamp_type="UNIX_TIMESTAMP", output_format="yyyy")

    assert generator.partition_paths(pa.table({"a": [1]}), KeyConfig(("a",), ("t",))).to_pylist() == ["1970"]


def test_other_number_types() -> None:
    options = {"timestamp_type": "EPOCHMILLISECONDS", "output_format": "yyyy-MM-dd HH:mm:ss.SSS"}

    assert paths(pa.array([1.9, -1.9, float("nan"), None]), **options) == [
        "1970-01-01 00:00:00.001",
        "1969-12-31 23:59:59.999",
        "1970-01-01 00:00:00.000",
        "1970-01-01 00:00:00.001",
    ]
    assert paths(pa.array([Decimal("1578283932000.0001")]), **options) == ["2020-01-06 04:12:12.000"]
    assert paths(pa.array([7], pa.int8()), **options) == ["1970-01-01 00:00:00.007"]


def test_finer_units_are_cut_towards_zero() -> None:
    options = {"timestamp_type": "EPOCHMICROSECONDS", "output_format": "yyyy-MM-dd HH:mm:ss.SSS"}

    assert paths(pa.array([-999, -1000, 1999]), **options) == [
        "1970-01-01 00:00:00.000",
        "1969-12-31 23:59:59.999",
        "1970-01-01 00:00:00.001",
    ]


def test_a_mistaken_unit_gives_a_far_year_and_no_overflow() -> None:
    options = {"timestamp_type": "SCALAR", "time_unit": "days", "output_format": "yyyy"}

    assert paths(pa.array([1_700_000_000_000, 10_000_000]), **options) == ["292278994", "29349"]


def test_dates_and_timestamps() -> None:
    """The number of a date is in days, that of a timestamp in microseconds; consistent timestamps ignore the unit."""
    dates = pa.array([datetime.date(2024, 1, 5)])
    times = pa.array([datetime.datetime(2024, 1, 5, 7, 30, tzinfo=datetime.UTC)])

    assert paths(dates, timestamp_type="SCALAR", time_unit="days", **DAY_OF) == ["2024-01-05 00"]
    assert paths(times, timestamp_type="EPOCHMICROSECONDS", **DAY_OF) == ["2024-01-05 07"]
    for kind in ("UNIX_TIMESTAMP", "EPOCHMICROSECONDS"):
        assert paths(times, consistent=True, timestamp_type=kind, **DAY_OF) == ["2024-01-05 07"]


def test_zones_of_texts() -> None:
    """Without an output zone, a path has the zone of its text, or the input zone if it is set; `timezone` sets both."""
    options = {"input_format": "yyyy-MM-dd'T'HH:mmZ|yyyy-MM-dd'T'HH:mm", "input_format_delimiter": r"\|", **DAY_OF}
    values = pa.array(["2020-04-01T22:00-05:00", "2020-04-01T22:00Z", "2020-04-01T22:00", "2020-04-01T22:00-05:00"])

    assert paths(values, **options) == ["2020-04-01 22", "2020-04-01 22", "2020-04-01 22", "2020-04-01 22"]
    assert paths(values, output_timezone="UTC", **options) == [
        "2020-04-02 03",
        "2020-04-01 22",
        "2020-04-01 22",
        "2020-04-02 03",
    ]
    for both in ({"input_timezone": "GMT+8:00"}, {"timezone": "GMT+8:00", "output_timezone": "UTC"}):
        assert paths(values, **both, **options) == ["2020-04-02 11", "2020-04-02 06", "2020-04-01 22", "2020-04-02 11"]


def test_the_zone_of_the_machine_does_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    times = pa.array([datetime.datetime(2024, 1, 5, 23, 30, tzinfo=datetime.UTC)])
    cases = [
        (times, {"timestamp_type": "EPOCHMICROSECONDS"}),
        (pa.array([1_704_497_400]), {"timestamp_type": "UNIX_TIMESTAMP"}),
        (pa.array(["2024-01-05 23:30"]), {"input_format": "yyyy-MM-dd HH:mm"}),
    ]
    for zone in ("UTC", "Asia/Tokyo", "America/Los_Angeles"):
        with monkeypatch.context() as patch:
            patch.setenv("TZ", zone)
            time.tzset()
            assert [paths(values, **options, **DAY_OF) for values, options in cases] == [["2024-01-05 23"]] * 3, zone
    time.tzset()


def test_hive_style() -> None:
    assert paths(pa.array([0]), hive=True, timestamp_type="UNIX_TIMESTAMP", output_format="yyyy/MM") == ["t=1970/01"]


@pytest.mark.parametrize(
    ("options", "message", "code"),
    [
        ({}, "'timestamp_type' is not set", "option"),
        ({"timestamp_type": "EPOCH"}, "'timestamp_type' is 'EPOCH'", "option"),
        ({"timestamp_type": "SCALAR", "time_unit": "weeks"}, "'time_unit' is 'weeks'", "option"),
        ({"timestamp_type": "UNIX_TIMESTAMP", "output_format": ""}, "'output_format' is not set", "option"),
        ({"timestamp_type": "UNIX_TIMESTAMP", "output_format": "yyyy-qq"}, "'qq' in date pattern", "option"),
        ({"timestamp_type": "UNIX_TIMESTAMP", "timezone": "Mars"}, "'timezone': 'Mars' is not a time zone", "option"),
        ({"timestamp_type": "DATE_STRING"}, "'input_format' is not set", "input_format_missing"),
        ({"timestamp_type": "MIXED", "input_format": " , "}, "'input_format' is not set", "input_format_missing"),
        ({"input_format": "a", "input_format_delimiter": "("}, "'input_format_delimiter'", "option"),
    ],
)
def test_options_are_refused_when_the_generator_is_made(options: dict[str, str], message: str, code: str) -> None:
    with pytest.raises(OptionError, match=message) as caught:
        TimestampKeyGenerator(**{"output_format": "yyyy", **options})
    assert caught.value.code == code


@pytest.mark.parametrize(
    ("values", "options", "error", "code"),
    [
        (["2020-13-01"], {"input_format": "yyyy-MM-dd"}, DataError, "unparseable_timestamp"),
        (["x", ""], {"input_format": "yyyy-MM-dd"}, DataError, "unparseable_timestamp"),
        ([5], {"timestamp_type": "MIXED", "input_format": "yyyy-MM-dd"}, DataError, "unparseable_timestamp"),
        (["5"], {"timestamp_type": "UNIX_TIMESTAMP"}, SchemaError, "input_format_missing"),
        ([True], {"timestamp_type": "UNIX_TIMESTAMP"}, SchemaError, "schema"),
        ([b"5"], {"timestamp_type": "UNIX_TIMESTAMP"}, SchemaError, "schema"),
        ([0], {"timestamp_type": "UNIX_TIMESTAMP", "output_format": "'..'/yyyy"}, DataError, "path_traversal"),
    ],
)
def test_values_that_are_refused(
    values: list[object], options: dict[str, str], error: type[HoodooError], code: str
) -> None:
    with pytest.raises(error, match="'t'") as caught:
        paths(pa.array(values), **{"output_format": "yyyy", **options})
    assert caught.value.code == code


def test_options_are_known_by_hudis_keys() -> None:
    keys = {field.metadata["key"] for field in attrs.fields(TimestampKeyGenerator)}

    assert keys == {
        f"hoodie.keygen.timebased.{name}"
        for name in (
            "timestamp.type",
            "timestamp.scalar.time.unit",
            "input.dateformat",
            "input.dateformat.list.delimiter.regex",
            "output.dateformat",
            "timezone",
            "input.timezone",
            "output.timezone",
        )
    }
