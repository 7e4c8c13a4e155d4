"""Defaults of columns: as Avro's JSON has them, compared by value."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from hoodoo.errors import SchemaError
from hoodoo.schema.defaults import default_of, equals, with_default

RECORD = pa.struct([("a", pa.int32()), ("b", pa.list_(pa.string()))])

EQUAL = [
    (pa.string(), "NY", ["NY", "ny", None], [True, False, False]),
    (pa.int64(), 0, [0, 1, None], [True, False, False]),
    (pa.bool_(), False, [False, True, None], [True, False, False]),
    (pa.float64(), 0.5, [0.5, 0.25, None], [True, False, False]),
    (pa.binary(), "\u00ff\u0000", [b"\xff\x00", b"\xff", None], [True, False, False]),
    (pa.date32(), 1, [date(1970, 1, 2), date(1970, 1, 1), None], [True, False, False]),
    (pa.timestamp("us", "UTC"), 0, [datetime(1970, 1, 1, tzinfo=UTC), None], [True, False]),
    (pa.decimal128(9, 2), "\u00ff\u0085", [Decimal("-1.23"), Decimal("1.23"), None], [True, False, False]),
    (pa.list_(pa.string()), [], [[], ["A"], None], [True, False, False]),
    (pa.list_(pa.list_(pa.int32())), [[1], []], [[[1], []], [[], [1]], [[1]]], [True, False, False]),
    (
        pa.map_(pa.string(), pa.int32()),
        {"x": 1, "y": 2},
        [[("y", 2), ("x", 1)], [("x", 1), ("y", 3)], [("x", 1)], None],
        [True, False, False, False],
    ),
    (
        RECORD,
        {"a": 1, "b": ["z"]},
        [{"a": 1, "b": ["z"]}, {"a": 1, "b": []}, {"a": 2, "b": ["z"]}, None],
        [True, False, False, False],
    ),
    (RECORD, {"a": 1, "b": None}, [{"a": 1, "b": None}, {"a": 1, "b": []}], [True, False]),
]


@pytest.mark.parametrize(("type_", "default", "values", "same"), EQUAL, ids=lambda value: str(value)[:30])
def test_a_default_equals_values_by_value(
    type_: pa.DataType, default: Any, values: list[Any], same: list[bool]
) -> None:
    scalar = default_of(with_default(pa.field("c", type_), default))
    array = pa.array([values[0], *values], type_).slice(1)

    assert scalar.type == type_
    assert equals(array, scalar).tolist() == same


def test_a_column_without_a_default_has_null() -> None:
    assert equals(pa.array([None, "", "x"]), default_of(pa.field("c", pa.string()))).tolist() == [True, False, False]


def test_an_explicit_null_is_the_default_null() -> None:
    assert not default_of(with_default(pa.field("c", pa.string()), None)).is_valid


def test_other_metadata_stays() -> None:
    field = with_default(pa.field("c", pa.int32(), metadata={"x": "y"}), 3)

    assert field.metadata[b"x"] == b"y"
    assert default_of(field).as_py() == 3


@pytest.mark.parametrize(
    ("type_", "default"), [(pa.int32(), "x"), (pa.list_(pa.int32()), 3), (RECORD, {"a": 1}), (pa.decimal128(9, 2), 1)]
)
def test_a_default_of_another_type_names_the_column(type_: pa.DataType, default: Any) -> None:
    with pytest.raises(SchemaError, match=r"the default .* of column 'c' is not of type "):
        default_of(with_default(pa.field("c", type_), default))
