"""Values as the text that Hudi puts into keys and paths."""

from __future__ import annotations

import datetime
import math
from decimal import Decimal

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hoodoo.errors import SchemaError
from hoodoo.keys.value_text import as_text, java_double

# computed by java.lang.Double.toString
JAVA_DOUBLES = {
    0.0: "0.0", 1.0: "1.0", -1.5: "-1.5", 100.0: "100.0", 1e7: "1.0E7", 9999999.0: "9999999.0",
    12345678.9: "1.23456789E7", 1e10: "1.0E10", 0.001: "0.001", 0.00099: "9.9E-4", 1e-5: "1.0E-5",
    123456.789: "123456.789", 1.7976931348623157e308: "1.7976931348623157E308", 0.1: "0.1", 3.0e-10: "3.0E-10",
    math.inf: "Infinity", -math.inf: "-Infinity",
}  # fmt: skip

# computed by java.lang.Float.toString
JAVA_FLOATS = {
    0.1: "0.1", 1.0: "1.0", 16777216.0: "1.6777216E7", 1e7: "1.0E7", 1e-4: "1.0E-4", 3.4028235e38: "3.4028235E38",
    0.001: "0.001", 123.456: "123.456",
}  # fmt: skip


def text(values: list[object], kind: pa.DataType, **options: bool) -> list[str | None]:
    return as_text(pa.array(values, kind), "c", **options).to_pylist()


@pytest.mark.parametrize(
    ("kind", "values", "expected"),
    [
        (pa.string(), ["", "a", None], ["", "a", None]),
        (pa.large_string(), ["é"], ["é"]),
        (pa.int8(), [-1], ["-1"]),
        (pa.int64(), [2**62, None], [str(2**62), None]),
        (pa.bool_(), [True, False], ["true", "false"]),
        (pa.null(), [None], [None]),
        (pa.dictionary(pa.int32(), pa.string()), ["x", None, "x"], ["x", None, "x"]),
        (pa.date32(), [datetime.date(2024, 1, 5)], ["2024-01-05"]),
        (pa.float64(), list(JAVA_DOUBLES), list(JAVA_DOUBLES.values())),
        (pa.float64(), [-0.0, 0.0, math.nan, None], ["-0.0", "0.0", "NaN", None]),
        (pa.float32(), list(JAVA_FLOATS), list(JAVA_FLOATS.values())),
        (pa.float32(), [-0.0, math.nan], ["-0.0", "NaN"]),
    ],
)
def test_values(kind: pa.DataType, values: list[object], expected: list[str | None]) -> None:
    assert text(values, kind) == expected


@given(st.lists(st.one_of(st.none(), st.floats()), max_size=5))
def test_an_array_of_doubles_is_written_value_by_value(values: list[float | None]) -> None:
    assert text(values, pa.float64()) == [None if value is None else java_double(value) for value in values]


@given(st.lists(st.floats(2.0**-9, 1e7, width=32), min_size=1, max_size=5))
def test_floats_of_32_bits_have_their_own_shortest_digits(values: list[float]) -> None:
    for value, written in zip(values, text(values, pa.float32()), strict=True):
        assert written is not None
        assert pa.scalar(float(written), pa.float32()).as_py() == value
        assert len(written) <= len(java_double(value))


# computed by java.math.BigDecimal.toString
@pytest.mark.parametrize(
    ("value", "scale", "expected"),
    [
        ("0.0000001", 7, "1E-7"),
        ("0", 7, "0E-7"),
        ("1.10", 2, "1.10"),
        ("0.000001", 6, "0.000001"),
        ("-0.00000012", 8, "-1.2E-7"),
        ("12345678901234567890.12", 2, "12345678901234567890.12"),
        ("0", 2, "0.00"),
    ],
)
def test_decimals(value: str, scale: int, expected: str) -> None:
    assert text([Decimal(value)], pa.decimal128(30, scale)) == [expected]


# computed by java.sql.Timestamp.toString in UTC
TIMESTAMPS = {
    1705314600000: "2024-01-15 10:30:00.0",
    1705314600120: "2024-01-15 10:30:00.12",
    1705314600123: "2024-01-15 10:30:00.123",
    -1: "1969-12-31 23:59:59.999",
    0: "1970-01-01 00:00:00.0",
}


@pytest.mark.parametrize("zone", [None, "UTC", "America/New_York"])
@pytest.mark.parametrize("unit", ["ms", "us", "ns"])
def test_timestamps(unit: str, zone: str | None) -> None:
    kind = pa.timestamp(unit, tz=zone)
    factor = {"ms": 1, "us": 1_000, "ns": 1_000_000}[unit]
    values = pa.array([millis * factor for millis in TIMESTAMPS]).cast(kind)

    assert as_text(values, "c").to_pylist() == [str(millis * 1_000) for millis in TIMESTAMPS]
    assert as_text(values, "c", consistent_timestamps=True).to_pylist() == list(TIMESTAMPS.values())


@pytest.mark.parametrize("kind", [pa.binary(), pa.list_(pa.int8()), pa.struct({"a": pa.int8()}), pa.time64("us")])
def test_types_without_a_text_are_refused(kind: pa.DataType) -> None:
    with pytest.raises(SchemaError, match="column 'c' of type"):
        as_text(pa.array([None], kind), "c")
