"""Columns of a view: fields of patched structs, and columns that were not read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from attrs import evolve

from hoodoo.errors import PluginFault
from hoodoo.merge.adapters.row_records import decoded
from hoodoo.record import Ordering, Records, Source
from hoodoo.record.records import unknown_columns

STRUCT = pa.struct([("b", pa.int64()), ("c", pa.struct([("d", pa.string())]))])
SCHEMA = pa.schema([("id", pa.string()), ("a", STRUCT), ("x.y", pa.int64())])
ROWS = [
    {"id": "1", "a": {"b": 1, "c": {"d": "p"}}, "x.y": 10},
    {"id": "2", "a": {"b": 2, "c": {"d": "q"}}, "x.y": 20},
]


def source(unread: frozenset[str] = frozenset()) -> Source:
    table = pa.Table.from_pylist(ROWS, schema=SCHEMA)
    ordering = Ordering.of((), [], 2)
    keys, live = table["id"].combine_chunks(), np.ones(2, dtype=bool)
    return Source(table, SCHEMA, keys, ordering, np.zeros(2, dtype=np.int8), live, unread=unread)


def test_a_field_of_a_patched_struct_is_the_patched_one() -> None:
    patch = pa.array([{"b": 7, "c": {"d": "r"}}, None], STRUCT)
    records = evolve(source().records(), patches={"a": patch, "x.y": pa.array([1, 2])})

    assert records.column("a.b").to_pylist() == [7, None]
    assert records.column("a.c.d").to_pylist() == ["r", None]
    assert records.column("x.y").to_pylist() == [1, 2]
    assert records.column("a.z").to_pylist() == [None, None]
    assert records.take(np.array([1, 0])).column("a.b").to_pylist() == [None, 7]
    assert records.present("a.b") is None


def test_a_column_with_a_dot_in_its_name_is_not_a_field_of_a_patch() -> None:
    schema = pa.schema([*SCHEMA, ("a.b", pa.int64())])
    table = pa.Table.from_pylist([{**row, "a.b": 5} for row in ROWS], schema=schema)
    other = evolve(source(), table=table, schema=schema)
    records = evolve(other.records(), patches={"a": pa.array([None, None], STRUCT)})

    assert records.column("a.b").to_pylist() == [5, 5]


USES: dict[str, Callable[[Records], Any]] = {
    "column": lambda records: records.column("w"),
    "a field": lambda records: records.column("w.u.v"),
    "a column with a dot": lambda records: records.column("p.q"),
    "present": lambda records: records.present("w"),
    "lacking": lambda records: records.lacking("w.u"),
    "data": lambda records: next(decoded(records)).data["w"],
    "data by get": lambda records: next(decoded(records)).data.get("w"),
    "data with in": lambda records: "w" in next(decoded(records)).data,
    "data of a changed record": lambda records: next(decoded(records)).with_data(id="2").data["w"],
}


@pytest.mark.parametrize("use", USES)
def test_the_values_of_a_column_that_was_not_read_are_not_null(use: str) -> None:
    records = source(frozenset({"w", "p.q"})).records()

    for view in (records, records.take(np.array([1]))):
        with pytest.raises(PluginFault, match="was not read because the method `needs` does not name it"):
            USES[use](view)


def test_a_column_that_the_table_does_not_have_is_null() -> None:
    records = source(frozenset({"w", "a"})).records()

    assert records.column("v").to_pylist() == [None, None]
    assert records.column("a.z").to_pylist() == [None, None], "a was read, although the rule does not need it"
    assert records.column("a.b").to_pylist() == [1, 2]
    assert records.present("v") is not None
    assert records.lacking("v") is None
    assert "v" not in next(decoded(records)).data


def test_columns_may_have_names_that_the_view_uses_itself() -> None:
    schema = pa.schema([("ordering", pa.int64()), ("follow", pa.string())])
    other = evolve(source(), table=pa.table({"ordering": [1, 2], "follow": ["p", "q"]}), schema=schema)
    records = other.records()

    assert len(records.ordering) == 2
    assert records.column("ordering").to_pylist() == [1, 2]
    assert records.column("follow").to_pylist() == ["p", "q"]
    assert records.take(np.array([1])).column("follow").to_pylist() == ["q"]


def test_columns_that_the_schema_lacks_are_remembered_for_messages() -> None:
    records = source().records()

    assert records.column("aa").type == pa.null()
    records.column("a.b")
    records.column("a.z")
    assert unknown_columns(records) == ["aa", "a.z"]
