"""The merger `per-column-event-time`: last writer wins, column by column."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, ClassVar

import pyarrow as pa
import pytest
from hoodoo_merger_per_column_event_time import PerColumnEventTime

from hoodoo.errors import OptionError, SchemaError
from hoodoo.record import MergerConfig
from hoodoo.testing import LACKING, MergerSuite
from hoodoo.testing.cases import delete, flagged, merged
from hoodoo.testing.data.vector_records import Row
from hoodoo.testing.differences import DELETE, NO_ORDERING, UNCONDITIONAL
from hoodoo.testing.shared_reasons import AGELESS, CUT, FORGOTTEN, REGROUPED, WRITTEN, on_paths

NAME = "per-column-event-time"
CLOCKS = "_column_ordering"
SCHEMA = {"id": "string", "ts": "long", CLOCKS: "map<string,long>", "a": "string?", "b": "string?", "c": "long?"}
COLUMNS = ("a", "b", "c")

DIFFERENCES = (
    *on_paths(WRITTEN, "merger", "per-column-event-time", [(DELETE,)], FORGOTTEN),
    *on_paths(REGROUPED, "merger", "per-column-event-time", [(UNCONDITIONAL,)], CUT),
    *on_paths(REGROUPED, "merger", "per-column-event-time", [(NO_ORDERING,)], AGELESS),
)


class TestPerColumn(MergerSuite):
    """Contract of a merger, with maps as merges write them: their entries are older than the row, and differ by row."""

    plugin = NAME
    differences = DIFFERENCES
    columns: ClassVar = {CLOCKS: "map<string,long>", "ts": "long", "v": "string", "w": "long"}
    values: ClassVar = {
        "ts": [10, 20, 30],
        CLOCKS: [None, *({"v": ts - 1} for ts in (10, 20, 30)), *({"v": ts - 2, "w": ts - 1} for ts in (10, 20, 30))],
        "v": [None, "a", "", "b"],
        "w": [LACKING, None, 1, 2],
    }

    def admits(self, row: Row) -> bool:
        """Return whether the newest entry of the map is one unit older than the row; True if either is null."""
        return row[CLOCKS] is None or row["ts"] is None or row["ts"] - max(row[CLOCKS].values()) == 1


class TestText(MergerSuite):
    """Contract of a merger whose ordering column is a string."""

    plugin = NAME
    differences = DIFFERENCES
    columns: ClassVar = {CLOCKS: "map<string,string>", "ts": "string", "v": "long", "w": "long"}
    values: ClassVar = {"ts": ["b", "d", "f"], CLOCKS: [None, {"v": "a"}, {"v": "c"}, {"v": "e"}]}

    def admits(self, row: Row) -> bool:
        """Return whether the newest entry of the map is one unit older than the row; True if either is null."""
        return row[CLOCKS] is None or row["ts"] is None or ord(row["ts"]) - ord(row[CLOCKS]["v"]) == 1


def left(rows: Sequence[dict[str, Any]], mode: str = "log") -> dict[str, Any] | None:
    return merged("merger", NAME, rows, mode=mode, schema=SCHEMA)


def row(ts: int, **columns: Any) -> dict[str, Any]:
    return {"id": "1", "ts": ts, **columns}


def gone(ts: int) -> dict[str, Any]:
    return delete("1", ts)


def expected(rows: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    """Return the expected row; None if the newest version is a delete.

    Each column is from the newest version that sets or deletes it.
    The versions must have different ordering values.
    """
    newest = max(rows, key=when)
    if "$delete" in newest or "$flagged" in newest:
        return None
    state = {"id": "1", "ts": newest["ts"]}
    clocks = {}
    for name in COLUMNS:
        giving = [r for r in rows if "$delete" in r or "$flagged" in r or name in r or name in r.get(CLOCKS, {})]
        if not giving:
            continue
        last = max(giving, key=when)
        value = None if "$delete" in last or "$flagged" in last else last.get(name)
        if value is not None:
            state[name] = value
        if value is None or when(last) != newest["ts"]:
            clocks[name] = when(last)
    return {**state, **({CLOCKS: clocks} if clocks else {})}


def when(version: dict[str, Any]) -> int:
    return version["$ordering"] if "$delete" in version else version["ts"]


HISTORIES = [
    [row(1, a="a1", b="b1", c=1), row(2, a="a2"), row(3, b="b3"), row(4, c=4)],
    [row(1, a="a1"), row(2, b="b2"), row(3, a="a3"), row(4, b="b4")],
    [row(2, a="a2", b="b2"), gone(3), row(4, c=4), row(5, b="b5")],
    [row(1, a="a1", b="b1"), row(4, c=4), gone(2), gone(3)],
    [row(1, a="a1"), row(2, b="b2"), flagged(row(3, a="x", b="y")), gone(4)],
    [row(1, a="a1", b="b1"), row(3, b=None, **{CLOCKS: {"b": 3}}), row(2, b="b2"), row(4, a="a4")],
]


@pytest.mark.slow
@pytest.mark.parametrize("history", HISTORIES)
@pytest.mark.parametrize("mode", ["batch", "log"])
def test_every_order_of_arrival_gives_the_same_row(history: list[dict[str, Any]], mode: str) -> None:
    for order in itertools.permutations(history):
        assert left(order, mode) == expected(history), order


@pytest.mark.parametrize("history", [HISTORIES[0], HISTORIES[1], HISTORIES[5]])
def test_and_with_every_version_stored_before_the_next(history: list[dict[str, Any]]) -> None:
    for order in itertools.permutations(history):
        assert left(order, "commits") == expected(history), order


def test_a_tie_goes_to_the_newer_column_by_column() -> None:
    assert left([row(2, a="x", b="x"), row(2, a="y")]) == row(2, a="y", b="x")
    assert left([row(2, a="y"), row(2, a="x", b="x")]) == row(2, a="x", b="x")


def test_a_late_delete_empties_what_is_older() -> None:
    """The ordering value of the delete is stored for each column without a newer value."""
    stored = row(5, a="new", b="old", **{CLOCKS: {"b": 1}})

    once = merged("merger", NAME, [gone(3)], stored=stored, schema=SCHEMA)
    assert once == row(5, a="new", **{CLOCKS: {"b": 3, "c": 3}})
    assert merged("merger", NAME, [row(2, b="late", c=1)], stored=once, schema=SCHEMA) == once
    assert merged("merger", NAME, [row(4, b="back")], stored=once, schema=SCHEMA) == row(
        5, a="new", b="back", **{CLOCKS: {"b": 4, "c": 3}}
    )


def test_whole_rows_need_no_map() -> None:
    rows = [row(1, a="x", b="x", c=1), row(3, a="y", b="y", c=3), row(2, a="z", b="z", c=2)]
    for order in itertools.permutations(rows):
        assert left(order) == left(order, "commits") == row(3, a="y", b="y", c=3)


def test_an_unconditional_delete_removes_everything() -> None:
    assert left([row(5, a="x"), delete("1")]) is None
    assert left([row(5, a="x"), delete("1"), row(2, b="y")]) == row(2, b="y")


def test_a_row_that_gains_nothing_is_untouched() -> None:
    """This holds even if its map has more entries than necessary."""
    stored = row(5, a="x", b="y", **{CLOCKS: {"a": 5, "zz": 1}})
    assert merged("merger", NAME, [row(2, a="late")], stored=stored, schema=SCHEMA) == stored


def test_a_map_cannot_make_a_value_newer_than_its_row() -> None:
    ahead = row(2, a="ahead", **{CLOCKS: {"a": 99}})
    assert left([ahead, row(3, a="next")]) == row(3, a="next")


def test_columns_that_the_table_got_later_are_given_later() -> None:
    assert left([row(9, a="x"), row(3, c=7)]) == row(9, a="x", c=7, **{CLOCKS: {"c": 3}})


FIELDS = pa.schema([("id", pa.string()), ("ts", pa.int64()), ("a", pa.string())])
CONFIG = MergerConfig(record_key=("id",), ordering=("ts",))


def test_it_adds_its_column() -> None:
    merger = PerColumnEventTime(column="clocks")
    clocks = pa.field("clocks", pa.map_(pa.string(), pa.int64()))

    assert list(merger.adds(FIELDS, CONFIG)) == [clocks]
    assert list(merger.adds(FIELDS.append(clocks), CONFIG)) == []
    with pytest.raises(SchemaError, match="'clocks' has type string"):
        merger.adds(FIELDS.append(pa.field("clocks", pa.string())), CONFIG)


@pytest.mark.parametrize("ordering", ["", "ts,c"])
def test_it_orders_by_one_column(ordering: str) -> None:
    with pytest.raises(OptionError, match="compares one column, and 'ordering' names"):
        merged("merger", NAME, [row(1, c=1), row(2, c=1)], schema=SCHEMA, ordering=ordering)


def test_a_table_without_the_column_is_refused() -> None:
    with pytest.raises(OptionError, match="needs column '_column_ordering'"):
        merged("merger", NAME, [row(1), row(2)], schema={"id": "string", "ts": "long", "a": "string"})
