"""Contradictions between two forms of one schema, and valid differences."""

from __future__ import annotations

import pyarrow as pa
import pytest

from hoodoo.schema.consistency import contradiction, looks_like

STATED = pa.schema(
    [
        ("id", pa.string()),
        ("price", pa.decimal128(10, 2)),
        ("seen", pa.timestamp("us", "UTC")),
        ("address", pa.struct([("street", pa.string()), ("number", pa.int32())])),
        ("tags", pa.list_(pa.struct([("tag", pa.string())]))),
        ("counts", pa.map_(pa.string(), pa.int64())),
    ]
)


def changed(name, type_, to=None):
    return pa.schema([pa.field(to or name, type_) if field.name == name else field for field in STATED])


@pytest.mark.parametrize(
    "found",
    [
        pa.schema([field for field in STATED if field.name != "price"]),
        pa.schema([*STATED, ("added", pa.int32())]),
        pa.schema(list(reversed(STATED))),
        changed("id", pa.large_string()),
        changed("id", pa.dictionary(pa.int32(), pa.string())),
        changed("seen", pa.timestamp("ms")),
        changed("counts", pa.map_(pa.string(), pa.int32())),
        changed("price", pa.decimal128(10, 2), "cost"),
        changed("address", pa.struct([("street", pa.string()), ("town", pa.string())])),
    ],
)
def test_what_evolution_and_other_writers_do(found):
    assert contradiction(STATED, found) is None


@pytest.mark.parametrize(
    ("found", "what"),
    [
        (changed("price", pa.decimal128(10, 2), "pribe"), "'price' is called 'pribe'"),
        (changed("price", pa.decimal128(10, 3)), "'price' has type decimal128(10, 3)"),
        (changed("seen", pa.int64()), "'seen' has type int64"),
        (changed("address", pa.struct([("streat", pa.string())])), "'address.street' is called 'address.streat'"),
        (changed("tags", pa.list_(pa.struct([("tbg", pa.string())]))), "'tags[].tag' is called 'tags[].tbg'"),
        (changed("counts", pa.map_(pa.string(), pa.float64())), "'counts{}' has type double"),
    ],
)
def test_damage(found, what):
    assert what in contradiction(STATED, found)


def test_the_file_of_a_commit_must_have_exactly_the_same_names():
    assert "is called 'cost'" in contradiction(STATED, changed("price", pa.decimal128(10, 2), "cost"), exact=True)
    assert contradiction(STATED, pa.schema([*STATED, ("added", pa.int32())]), exact=True) is None


@pytest.mark.parametrize(
    ("found", "what"),
    [
        (changed("price", pa.decimal128(10, 2), "cost"), "'price' is called 'cost'"),
        (changed("address", pa.struct([("street", pa.string()), ("town", pa.int32())])), "is called 'address.town'"),
        (changed("seen", pa.timestamp("ns", "UTC")), "'seen' has type timestamp[ns, tz=UTC]"),
        (pa.schema([pa.field("id", pa.string(), nullable=False), *list(STATED)[1:]]), "'id' is required instead"),
        (
            changed("address", pa.struct([pa.field("street", pa.string(), nullable=False), ("number", pa.int32())])),
            "'address.street' is required instead of nullable",
        ),
    ],
)
def test_statements_about_one_file_agree_in_more(found, what):
    assert what in contradiction(STATED, found, one_file=True)
    assert contradiction(STATED, found) is None


@pytest.mark.parametrize(
    "found",
    [
        pa.schema([*STATED, ("added", pa.int32())]),
        changed("seen", pa.timestamp("ms", "UTC")),
        changed("tags", pa.list_(pa.field("array", pa.struct([("tag", pa.string())]), nullable=False))),
    ],
)
def test_what_one_file_may_state_twice(found):
    assert contradiction(STATED, found, one_file=True) is None


@pytest.mark.parametrize(
    ("found", "what"),
    [
        (pa.schema([*STATED, ("id", pa.string())]), "column 'id' occurs twice"),
        (changed("address", pa.struct([("number", pa.int32())] * 2)), "column 'address.number' occurs twice"),
    ],
)
def test_a_name_twice(found, what):
    assert contradiction(STATED, found) == what


@pytest.mark.parametrize(
    ("text", "other", "alike"),
    [("ts", "us", True), ("ts", "st", True), ("ts", "ts", False), ("ts", "tss", False), ("abc", "xyz", False)],
)
def test_looks_like(text, other, alike):
    assert looks_like(text, other) is alike
    told = contradiction(pa.schema([(text, pa.string())]), pa.schema([(other, pa.string())]))
    assert (told is not None) is alike
