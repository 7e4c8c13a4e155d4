"""Columns that a filter refers to."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from hoodoo.errors import SchemaError
from hoodoo.reading import row_filter as filters
from hoodoo.reading.row_filter import filter_columns

NAMES = ["a", "aa", "b c", "d.e", 'f"g', "h)", "ключ", *(f"n{number}" for number in range(40))]
SCHEMA = pa.schema([*((name, pa.int64()) for name in NAMES), ("s", pa.struct([("x", pa.int64())]))])
FILTERS = {
    "nothing": (pc.scalar(True), []),
    "one": (pc.field("aa") > 1, ["aa"]),
    "all odd names": (
        (pc.field("b c") > pc.field("d.e")) & ((pc.field('f"g') == 1) | (pc.field("h)") < pc.field("ключ"))),
        ["b c", "d.e", 'f"g', "h)", "ключ"],
    ),
    "a field of a struct": (pc.field("s", "x") > 1, ["s"]),
    "far ones": (pc.field("n39").is_null() & (pc.field("n0") + pc.field("n17") > 3), ["n0", "n17", "n39"]),
    "a text like a name": (pc.field("a").isin([1]) & (pc.scalar("n5") == "n5"), ["a"]),
}


@pytest.mark.parametrize("what", FILTERS)
def test_columns_of_a_filter(what):
    condition, referred = FILTERS[what]
    assert filter_columns(condition, SCHEMA) == referred


@pytest.mark.parametrize("what", FILTERS)
def test_columns_of_a_filter_whose_text_does_not_have_their_names(what, monkeypatch):
    monkeypatch.setattr(filters, "str", lambda condition: "", raising=False)
    condition, referred = FILTERS[what]
    assert filter_columns(condition, SCHEMA) == referred


def test_an_unknown_column_is_rejected():
    with pytest.raises(SchemaError, match="cannot be applied"):
        filter_columns(pc.field("z") > 1, SCHEMA)
