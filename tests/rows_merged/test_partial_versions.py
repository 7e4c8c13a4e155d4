"""Versions that lack columns or have placeholders for missing values, also with the `hudi` package."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.rows_merged.handmade.blocks import IS_PARTIAL, Delete
from tests.rows_merged.handmade.columns import TYPES
from tests.rows_merged.handmade.tables import COLUMNS, T, Table, built, long, seen, wheel
from tests.support.rows import Refused

pytestmark = pytest.mark.slow

COMMIT_TIME = {"hoodie.record.merge.mode": "COMMIT_TIME_ORDERING"}
IGNORE_DEFAULTS = {"hoodie.table.partial.update.mode": "IGNORE_DEFAULTS"}
FILL_UNAVAILABLE = {
    "hoodie.table.partial.update.mode": "FILL_UNAVAILABLE",
    "hoodie.record.merge.property.partial.update.unavailable.value": "__na",
}
WIDE = {**COLUMNS, "w": TYPES["string"]}


def _without(table: Table, number: int, *values: Any, kind: str = "avro", flag: bool = True) -> bytes:
    """Return a block whose row lacks the column `v`."""
    row = table.row(T(number), *values)
    columns = {name: type_ for name, type_ in table.columns.items() if name != "v"}
    header = {IS_PARTIAL: "true"} if flag else {}
    write = table.avro if kind == "avro" else table.parquet
    return write(T(number), [{name: value for name, value in row.items() if name != "v"}], header, columns)


@pytest.mark.parametrize("kind", ["avro", "parquet"])
def test_a_partial_block_keeps_what_it_lacks(kind: str, tmp_path: Path) -> None:
    table = Table(tmp_path, 9, WIDE)
    table.write_base(1, *((key, 10, "v", "w") for key in "abcd"))
    table.write_log(2, *(_without(table, 2, key, ts, None, "new", kind=kind) for key, ts in (("a", 20), ("b", 5))))
    table.write_log(3, _without(table, 3, "e", 1, None, "new", kind=kind), Delete("c", ""))
    table.write_log(4, ("d", 20, None, None), _without(table, 4, "d", 30, None, "new", kind=kind))
    expected = [
        ("a", 20, "v", "new"),
        ("b", 10, "v", "w"),
        ("d", 30, None, "new"),
        ("e", 1, None, "new"),
    ]
    assert seen(tmp_path, *WIDE) == wheel(tmp_path, *WIDE) == expected


def test_a_partial_block_without_the_flag_keeps_what_it_lacks(tmp_path: Path) -> None:
    table = Table(tmp_path, 9, WIDE)
    table.write_base(1, ("a", 10, "v", "w"))
    table.write_log(2, _without(table, 2, "a", 20, None, "new", flag=False))
    assert seen(tmp_path, *WIDE) == wheel(tmp_path, *WIDE) == [("a", 20, "v", "new")]


def _late(path: Path) -> Table:
    """Write a partial version, and then a late one with the missing values."""
    table = Table(path, 9, WIDE)
    table.write_log(1, _without(table, 1, "a", 20, None, "new"))
    table.write_log(2, ("a", 7, "late", "late"))
    return table


def test_a_late_version_gives_a_partial_one_what_it_lacks(tmp_path: Path) -> None:
    _late(tmp_path)
    assert seen(tmp_path, *WIDE) == [("a", 20, "late", "new")]


@pytest.mark.xfail(strict=True, raises=AssertionError, reason="the package takes no values from a late version")
def test_a_late_version_gives_a_partial_one_what_it_lacks_in_the_package(tmp_path: Path) -> None:
    _late(tmp_path)
    assert wheel(tmp_path, *WIDE) == [("a", 20, "late", "new")]


def test_partial_versions_meet_in_the_order_of_their_arrival(tmp_path: Path) -> None:
    """Merging the middle two first gives another result than merging each with the winner before them."""
    table = Table(tmp_path, 9, WIDE)
    table.write_log(1, ("a", 2, "1", "1"))
    table.write_log(2, _without(table, 2, "a", 20, None, "new"))
    table.write_log(3, ("a", 1, "first", "late"))
    table.write_log(4, ("a", 3, None, "late"))
    assert seen(tmp_path, *WIDE) == [("a", 20, "1", "new")]
    table.write_log(5, Delete("b", ""))
    assert seen(tmp_path, *WIDE) == [("a", 20, "1", "new")]


def test_ignore_defaults(tmp_path: Path) -> None:
    logs = [
        [("a", 20, None), ("b", 5, "late"), ("c", 20, "log"), ("d", 20, None), ("e", 5, "f"), ("g", 10, None)],
        [("e", 10, None), ("g", 5, "late"), Delete("d", "", long(20))],
        [("d", 30, None), Delete("h", "", long(5))],
    ]
    rows = [("a", 10, "base"), ("b", 10, None), ("c", 10, "base"), ("d", 10, "base"), ("h", 10, None)]
    built(tmp_path, 9, rows, logs, properties=IGNORE_DEFAULTS)
    assert seen(tmp_path) == wheel(tmp_path) == [
        ("a", 20, "base"),
        ("b", 10, "late"),
        ("c", 20, "log"),
        ("d", 30, "base"),
        ("e", 10, "f"),
        ("g", 10, "late"),
        ("h", 10, None),
    ]  # fmt: skip
    # a late version that fills a gap does not become the row's commit
    assert dict(seen(tmp_path, "id", "_hoodie_commit_time"))["b"] == T(1)


def test_ignore_defaults_by_commit_time(tmp_path: Path) -> None:
    logs = [[("a", 5, None), ("b", None, "log"), Delete("c", "", long(1))], [("c", 1, None)]]
    rows = [(key, 10, "base") for key in "abc"]
    built(tmp_path, 9, rows, logs, properties={**IGNORE_DEFAULTS, **COMMIT_TIME})
    assert seen(tmp_path) == wheel(tmp_path) == [("a", 5, "base"), ("b", 10, "log"), ("c", 1, "base")]


def test_a_delete_without_value_stays_one_under_a_partial_mode(tmp_path: Path) -> None:
    logs = [[Delete("a", "")], [Delete("a", "", long(5))], [("a", 3, None)]]
    built(tmp_path, 9, None, logs, properties=IGNORE_DEFAULTS)
    assert seen(tmp_path) == wheel(tmp_path) == [("a", 3, None)]


def test_fill_unavailable(tmp_path: Path) -> None:
    logs = [[("a", 20, "__na"), ("b", 5, "late"), ("c", 20, None)]]
    rows = [("a", 10, "base"), ("b", 10, "__na"), ("c", 10, "base")]
    built(tmp_path, 9, rows, logs, properties=FILL_UNAVAILABLE)
    assert seen(tmp_path) == wheel(tmp_path) == [("a", 20, "base"), ("b", 10, "late"), ("c", 20, None)]


def test_a_placeholder_that_nothing_fills_is_shown(tmp_path: Path) -> None:
    built(tmp_path, 9, None, [[("a", 1, "__na")]], properties=FILL_UNAVAILABLE)
    assert seen(tmp_path) == [("a", 1, "__na")]


@pytest.mark.xfail(strict=True, raises=Refused, reason="the package refuses placeholders without a row")
def test_a_placeholder_that_nothing_fills_is_shown_in_the_package(tmp_path: Path) -> None:
    built(tmp_path, 9, None, [[("a", 1, "__na")]], properties=FILL_UNAVAILABLE)
    assert wheel(tmp_path) == [("a", 1, "__na")]


FLAG = "_hoodie_is_deleted"


@pytest.mark.parametrize("mode", [{}, COMMIT_TIME])
def test_a_logged_version_that_the_flag_marks_as_a_delete_fills_nothing(mode: dict[str, str], tmp_path: Path) -> None:
    """A later version takes missing values from the base row instead, even if the base row has the flag."""
    columns = {**WIDE, FLAG: TYPES["boolean"]}
    table = Table(tmp_path, 9, columns, properties={**IGNORE_DEFAULTS, **mode})
    table.write_base(1, ("a", 10, "v", "w", False), ("b", 10, "v", "w", True))
    table.write_log(2, ("a", 20, "gone", "gone", True), ("c", 20, "gone", "gone", True))
    table.write_log(3, *((key, 30, "new", None, None) for key in "abc"))
    expected = [("b", 30, "new", "w"), ("c", 30, "new", None)]
    # the row after the delete of `a` meets the base row, as any row of a log does
    assert seen(tmp_path, *WIDE) == wheel(tmp_path, *WIDE) == [("a", 30, "new", "w"), *expected]
