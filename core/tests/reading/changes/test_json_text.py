"""JSON texts of rows."""

from __future__ import annotations

import base64
import datetime
import decimal
import json
import math

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hoodoo.errors import UnsupportedTable
from hoodoo.reading.changes.json_text import json_objects, structs

POINT = pa.struct([("x", pa.int32()), ('q"', pa.list_(pa.float64()))])


def texts(values, type_):
    """Return the JSON of a column `c`, without its name."""
    found = json_objects(pa.table({"c": pa.array(values, type_)})).to_pylist()
    assert all(text.startswith('{"c":') and text.endswith("}") for text in found)
    return [text[5:-1] for text in found]


@pytest.mark.parametrize(
    ("values", "type_", "expected"),
    [
        ([1, None, -5], pa.int64(), ["1", "null", "-5"]),
        ([True, False, None], pa.bool_(), ["true", "false", "null"]),
        ([1.0, -0.5, None], pa.float64(), ["1.0", "-0.5", "null"]),
        ([math.nan, math.inf, -math.inf], pa.float32(), ['"NaN"', '"Infinity"', '"-Infinity"']),
        ([datetime.date(1970, 1, 3), datetime.date(1969, 12, 31)], pa.date32(), ["2", "-1"]),
        ([datetime.datetime(1970, 1, 1, 0, 0, 1)], pa.timestamp("ms"), ["1000000"]),
        ([datetime.datetime(1970, 1, 1, 0, 0, 1)], pa.timestamp("us", "UTC"), ["1000000"]),
        ([datetime.time(0, 0, 1)], pa.time32("ms"), ["1000000"]),
        ([decimal.Decimal("-1.50"), None], pa.decimal128(5, 2), ["-1.50", "null"]),
        ([b"\x00\xff", b"", None], pa.binary(), ['"AP8="', '""', "null"]),
        ([b"ab"], pa.binary(2), ['"YWI="']),
        (["é鍵😀", "", None], pa.string(), ['"é鍵😀"', '""', "null"]),
        (['a"b\\c', "\x00\x1f\n\r\t\b\f"], pa.string(), ['"a\\"b\\\\c"', '"\\u0000\\u001F\\n\\r\\t\\b\\f"']),
        ([[1, None], [], None], pa.list_(pa.int32()), ["[1,null]", "[]", "null"]),
        ([[("k", 1), ('"', None)], [], None], pa.map_(pa.string(), pa.int64()), ['{"k":1,"\\"":null}', "{}", "null"]),
        ([{"x": 1, 'q"': [0.5]}, None], POINT, ['{"x":1,"q\\"":[0.5]}', "null"]),
        ([{"x": None, 'q"': None}], POINT, ['{"x":null,"q\\"":null}']),
        ([None], pa.null(), ["null"]),
    ],
)
def test_values_of_each_type(values, type_, expected):
    assert texts(values, type_) == expected


def test_a_null_row_has_no_text():
    rows = pa.array([{"x": 1, 'q"': []}, None], POINT)
    assert json_objects(rows).to_pylist() == ['{"x":1,"q\\"":[]}', None]
    assert json_objects(structs(pa.table({"a": pa.chunked_array([[1], [2]])}))).to_pylist() == ['{"a":1}', '{"a":2}']
    assert json_objects(pa.table({"a": pa.chunked_array([], pa.string())})).to_pylist() == []


def test_a_type_without_json_is_refused():
    with pytest.raises(UnsupportedTable, match=r"duration.*latest_state"):
        json_objects(pa.table({"c": pa.array([1], pa.duration("s"))}))


ROW = pa.schema(
    [
        ("s", pa.string()),
        ("f", pa.float64()),
        ("b", pa.binary()),
        ("l", pa.list_(pa.struct([("t", pa.string()), ("n", pa.int64())]))),
        ("m", pa.map_(pa.string(), pa.list_(pa.bool_()))),
    ]
)
maybe = st.none()
LONGS = st.integers(-(2**63), 2**63 - 1)
ENTRIES = st.fixed_dictionaries({"t": maybe | st.text(), "n": maybe | LONGS})
ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "s": maybe | st.text(),
            "f": maybe | st.floats(allow_nan=False, allow_infinity=False),
            "b": maybe | st.binary(),
            "l": maybe | st.lists(maybe | ENTRIES, max_size=3),
            "m": maybe | st.dictionaries(st.text(), maybe | st.lists(maybe | st.booleans(), max_size=3), max_size=3),
        }
    ),
    max_size=5,
)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(rows=ROWS, start=st.integers(0, 4))
def test_a_parser_finds_the_values_again(rows, start):
    entries = [{**row, "m": None if row["m"] is None else list(row["m"].items())} for row in rows]
    table = pa.Table.from_pylist(entries, schema=ROW)
    wanted = [{**row, "b": row["b"] if row["b"] is None else base64.b64encode(row["b"]).decode()} for row in rows]
    found = [json.loads(text) for text in json_objects(table.slice(start)).to_pylist()]
    assert found == wanted[start:]
