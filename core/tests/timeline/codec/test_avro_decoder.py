"""Avro records: records that fastavro encodes are decoded, and other bytes are rejected."""

from __future__ import annotations

import io
import json

import fastavro
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hoodoo.timeline.codec.avro_decoder import DECODE_ERRORS, compile_schema

PRIMITIVES = {
    "null": st.none(),
    "boolean": st.booleans(),
    "int": st.integers(-(2**31), 2**31 - 1),
    "long": st.integers(-(2**63), 2**63 - 1),
    "double": st.floats(allow_nan=False),
    "bytes": st.binary(max_size=20),
    "string": st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
}


def schemas():
    """Return a strategy for pairs of a schema of any depth and a strategy for its values.

    The only unions are those that Hudi uses: of null and one other type.
    """
    leaves = st.sampled_from(sorted(PRIMITIVES)).map(lambda name: (name, PRIMITIVES[name]))
    return st.recursive(leaves, _nested, max_leaves=8)


def _nested(inner):
    solid = inner.filter(lambda pair: pair[0] != "null" and not isinstance(pair[0], list))
    optional = st.tuples(solid, st.booleans()).map(
        lambda drawn: (
            [drawn[0][0], "null"] if drawn[1] else ["null", drawn[0][0]],
            st.none() | drawn[0][1],
        )
    )
    array = solid.map(lambda pair: ({"type": "array", "items": pair[0]}, st.lists(pair[1], max_size=4)))
    keys = PRIMITIVES["string"]
    maps = solid.map(lambda pair: ({"type": "map", "values": pair[0]}, st.dictionaries(keys, pair[1], max_size=4)))
    return optional | array | maps


@st.composite
def records(draw):
    fields = draw(st.lists(schemas(), min_size=1, max_size=6))
    schema = {
        "type": "record",
        "name": "a.R",
        "fields": [{"name": "first", "type": "int"}]
        + [{"name": f"f{i}", "type": type_} for i, (type_, _) in enumerate(fields)],
    }
    value = {"first": 1} | {f"f{i}": draw(values) for i, (_, values) in enumerate(fields)}
    return schema, value


def encoded(schema, value):
    body = io.BytesIO()
    fastavro.schemaless_writer(body, fastavro.parse_schema(schema), value)
    return body.getvalue()


@pytest.mark.nightly
@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(records(), st.floats(0, 1, exclude_max=True))
def test_what_another_writer_encodes(drawn, part):
    schema, value = drawn
    body = encoded(schema, value)
    type_ = compile_schema(json.dumps(schema))
    assert type_.read(body, 0) == (value, len(body))
    assert type_.min_bytes <= len(body)
    with pytest.raises(DECODE_ERRORS):
        type_.read(body[: int(part * len(body))], 0)


def test_named_types_enums_fixed_and_floats():
    schema = {
        "type": "record",
        "name": "R",
        "namespace": "n",
        "fields": [
            {"name": "e", "type": {"type": "enum", "name": "E", "symbols": ["A", "B"]}},
            {"name": "x", "type": {"type": "fixed", "name": "X", "size": 3}},
            {"name": "s", "type": {"type": "record", "name": "S", "fields": [{"name": "e", "type": "E"}]}},
            {"name": "u", "type": ["null", "n.S", "float", "X"]},
            {"name": "d", "type": {"type": "int", "logicalType": "date"}},
        ],
    }
    value = {"e": "B", "x": b"abc", "s": {"e": "A"}, "u": 0.5, "d": 3}
    assert compile_schema(json.dumps(schema)).read(encoded(schema, value), 0)[0] == value


@pytest.mark.parametrize(
    "body",
    [
        b"\x01",  # branch -1
        b"\x04",  # branch 2
        b"\x02",  # nothing after the branch
        b"\x02\x0aabc",  # five bytes where three are left
        b"\x02\x05abc",  # minus three bytes
        b"\x02\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01abc",  # as many as there can be
        b"\x02\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01",  # a number that does not end
        b"\x02\x04\xff\xfe",  # no UTF-8
    ],
)
@pytest.mark.parametrize("type_", ["string", {"type": "string", "logicalType": "uuid"}])
def test_impossible_strings(body, type_):
    schema = {"type": "record", "name": "R", "fields": [{"name": "s", "type": ["null", type_]}]}
    with pytest.raises(DECODE_ERRORS):
        compile_schema(json.dumps(schema)).read(body, 0)


@pytest.mark.parametrize("count", [b"\xfe\xff\xff\xff\x0f", b"\xfd\xff\xff\xff\x0f\x02", b"\x20"])
@pytest.mark.parametrize("type_", [{"type": "array", "items": "long"}, {"type": "map", "values": "long"}])
def test_impossible_counts_are_refused_before_anything_is_allocated(type_, count):
    with pytest.raises(DECODE_ERRORS, match="more items than the remaining bytes can hold"):
        compile_schema(json.dumps(type_)).read(count + b"\x00" * 8, 0)


def chain(depth):
    """Return a schema of nested records, each twice in the next: 2 ** (depth - 1) innermost records without a byte."""
    type_ = {"type": "record", "name": "R0", "fields": [{"name": "n", "type": "null"}]}
    for level in range(1, depth):
        fields = [{"name": "a", "type": type_}, {"name": "b", "type": f"R{level - 1}"}]
        type_ = {"type": "record", "name": f"R{level}", "fields": fields}
    return type_


@pytest.mark.parametrize(
    "schema",
    [
        "what",
        [],
        {},
        {"type": "record", "name": "R"},
        {"type": "record", "name": "R", "fields": 3},
        {"type": "record", "name": "R", "fields": []},
        {"type": "record", "name": "R", "fields": [{"name": "r", "type": "R"}]},
        {"type": "record", "name": "R", "fields": [{"name": "r", "type": ["null", "R"]}]},
        {"type": "array", "items": "null"},
        {"type": "array", "items": chain(3)},
        {"type": "fixed", "name": "F", "size": -1},
        {"type": "fixed", "name": "F", "size": 0},
        {"type": "fixed", "name": "F", "size": 10**15},
        {"type": "enum", "name": "E", "symbols": []},
        chain(64),
    ],
)
def test_schemas_that_bound_nothing(schema):
    with pytest.raises(DECODE_ERRORS):
        compile_schema(json.dumps(schema)).read(b"\x00" * 16, 0)


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, '{"type":' * 2_000, '"null', "nul"])
def test_texts_that_are_not_a_schema(text):
    with pytest.raises(DECODE_ERRORS):
        compile_schema(text)
