"""Merges of the versions of one record, for each rule of the format, also with the `hudi` package."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from hoodoo.errors import OptionError
from tests.rows_merged.handmade.blocks import Delete, Wrapped
from tests.rows_merged.handmade.columns import TYPES
from tests.rows_merged.handmade.tables import COLUMNS, T, Table, built, long, seen, wheel
from tests.support.rows import Refused

pytestmark = pytest.mark.slow

COMMIT_TIME = {"hoodie.record.merge.mode": "COMMIT_TIME_ORDERING"}
OVERWRITE = {"hoodie.compaction.payload.class": "org.apache.hudi.common.model.OverwriteWithLatestAvroPayload"}
DEFAULT = {"hoodie.compaction.payload.class": "org.apache.hudi.common.model.DefaultHoodieRecordPayload"}
UNORDERED, NULL = Delete("a", ""), Delete("a", "", None)
FLAGGED = {**COLUMNS, "_hoodie_is_deleted": TYPES["boolean"]}


def delete(ordering: int) -> Delete:
    return Delete("a", "", long(ordering))


A10 = [("a", 10, "base")]

EVENT_TIME = {
    # base rows, delta commits, expected rows
    "a greater value wins": (A10, [[("a", 20, "log")]], [("a", 20, "log")]),
    "a lower value loses": (A10, [[("a", 5, "log")]], A10),
    "a tie goes to the log": (A10, [[("a", 10, "log")]], [("a", 10, "log")]),
    "a new key is inserted": (A10, [[("b", 1, "log")]], [*A10, ("b", 1, "log")]),
    "of logs the greater wins whatever its place": (None, [[("a", 9, "x")], [("a", 7, "y")]], [("a", 9, "x")]),
    "of logs a tie goes to the newer": (None, [[("a", 9, "x")], [("a", 9, "y")]], [("a", 9, "y")]),
    "no value in a log loses to the base": (A10, [[("a", None, "log")]], A10),
    "no value in a log loses to a log": (None, [[("a", 5, "x")], [("a", None, "y")]], [("a", 5, "x")]),
    "no value in a log loses to a later log": (None, [[("a", None, "x")], [("a", 5, "y")]], [("a", 5, "y")]),
    "no value against none is a tie": (None, [[("a", None, "x")], [("a", None, "y")]], [("a", None, "y")]),
    "no value in the base loses": ([("a", None, "base")], [[("a", 5, "log")]], [("a", 5, "log")]),
    "a delete without value": (A10, [[UNORDERED]], []),
    "a delete with null": (A10, [[NULL]], []),
    "a greater delete": (A10, [[delete(20)]], []),
    "an equal delete": (A10, [[delete(10)]], []),
    "a lower delete": (A10, [[delete(5)]], A10),
    "a delete with the zero of the column's own type": (A10, [[delete(0)]], A10),
    "a delete of no row": (A10, [[Delete("b", "", long(20))]], A10),
    "a delete against a row without value": ([("a", None, "base")], [[delete(1)]], []),
    "a delete stays over a lower row": (A10, [[delete(20)], [("a", 15, "log")]], []),
    "a delete gives way to a greater row": (A10, [[delete(20)], [("a", 25, "log")]], [("a", 25, "log")]),
    "a delete gives way to an equal row": (A10, [[delete(20)], [("a", 20, "log")]], [("a", 20, "log")]),
    "of deletes the greater stays": (None, [[delete(9)], [delete(5)], [("a", 7, "log")]], []),
    "a lower log row survives a delete that is lower still": (None, [[("a", 9, "x")], [delete(5)]], [("a", 9, "x")]),
    "any row follows a delete without value": (None, [[UNORDERED], [("a", 1, "log")]], [("a", 1, "log")]),
    "the resurrecting trap": (A10, [[("a", 20, "log")], [UNORDERED], [("a", 1, "again")]], A10),
    "the same with a null": (A10, [[("a", 20, "log")], [NULL], [("a", 1, "again")]], A10),
    "the same within one file": (A10, [[("a", 20, "log"), UNORDERED, ("a", 1, "again")]], A10),
    "a delete without value stays one": (A10, [[UNORDERED], [delete(5)], [("a", 3, "again")]], A10),
    "a delete without value follows one with": (None, [[delete(5)], [UNORDERED], [("a", 3, "l")]], [("a", 3, "l")]),
    "a delete whose value has another type": (A10, [[Delete("a", "", Wrapped(7, "5"))]], []),
    "a delete whose value is an int": (A10, [[Delete("a", "", Wrapped(2, 5))]], A10),
}


@pytest.mark.parametrize("case", EVENT_TIME)
@pytest.mark.parametrize("version", [6, 8, 9])
def test_event_time(case: str, version: int, tmp_path: Path) -> None:
    base, logs, expected = EVENT_TIME[case]
    built(tmp_path, version, base, logs)
    assert seen(tmp_path) == wheel(tmp_path) == expected


@pytest.mark.parametrize(("version", "how"), [(6, OVERWRITE), (8, COMMIT_TIME), (9, COMMIT_TIME)])
def test_commit_time(version: int, how: dict[str, str], tmp_path: Path) -> None:
    """Each row and each delete replaces the earlier versions of its key, regardless of ordering values."""
    keys = [(key, 10, "base") for key in "abcdef"]
    logs = [
        [("a", 5, "log"), ("b", None, "log"), Delete("c", "", long(5)), Delete("d", ""), Delete("e", "", None)],
        [("c", 1, "again"), ("g", 9, "x"), ("g", 3, "y"), Delete("f", "", long(1))],
        [("f", 0, "again"), Delete("h", ""), Delete("g", "", long(1)), ("g", 1, "z")],
    ]
    built(tmp_path, version, keys, logs, properties=how)
    expected = [("a", 5, "log"), ("b", None, "log"), ("c", 1, "again"), ("f", 0, "again"), ("g", 1, "z")]
    assert seen(tmp_path) == wheel(tmp_path) == expected


def test_a_table_without_ordering_column_goes_by_commit_time(tmp_path: Path) -> None:
    built(tmp_path, 6, A10, [[("a", 5, "log")], [Delete("a", "", long(1))], [("a", 2, "again")]], ordering="")
    assert seen(tmp_path) == wheel(tmp_path) == [("a", 2, "again")]


STRATEGY = "hoodie.compaction.record.merger.strategy"
EVENT_ID, COMMIT_ID = "eeb8d96f-b1e4-49fd-bbf8-28ac514178e5", "ce9acb64-bde0-424c-9b91-f6ebba25356d"


@pytest.mark.parametrize(
    ("version", "named", "late_wins"),
    [
        (6, {}, False),
        (6, OVERWRITE, True),
        (6, DEFAULT, False),
        (6, {**OVERWRITE, STRATEGY: EVENT_ID}, True),
        (6, {STRATEGY: COMMIT_ID}, True),
        (8, {**OVERWRITE, "hoodie.record.merge.strategy.id": EVENT_ID}, False),
        (8, {**DEFAULT, "hoodie.record.merge.strategy.id": COMMIT_ID}, True),
        (9, {**COMMIT_TIME, "hoodie.record.merge.strategy.id": EVENT_ID}, True),
        (9, {}, False),
    ],
)
def test_the_rule_is_inferred_as_other_readers_do(
    version: int, named: dict[str, str], late_wins: bool, tmp_path: Path
) -> None:
    built(tmp_path, version, A10, [[("a", 5, "late")]], properties=named)
    assert seen(tmp_path) == wheel(tmp_path) == ([("a", 5, "late")] if late_wins else A10)


# deletes within data


def test_the_flag_deletes_with_the_ordering_value_of_its_row(tmp_path: Path) -> None:
    rows = [(key, 10, "base") for key in "abcd"]
    flagged = [[(key, ts, "gone", True)] for key, ts in (("a", 20), ("b", 10), ("c", 5), ("d", None))]
    built(tmp_path, 9, rows, [*flagged, [("a", 15, "late", None)]], FLAGGED)
    assert seen(tmp_path) == wheel(tmp_path) == [("c", 10, "base")]


def test_a_flagged_row_follows_a_delete_without_value(tmp_path: Path) -> None:
    """Any record replaces a delete without an ordering value, except another entry of a delete block."""
    built(tmp_path, 9, [("a", 1, "base")], [[UNORDERED], [("a", 5, "gone", True)], [("a", 3, "late")]], FLAGGED)
    assert seen(tmp_path) == wheel(tmp_path) == []


def test_a_stored_row_is_kept_whatever_its_flag(tmp_path: Path) -> None:
    built(tmp_path, 9, [("a", 10, "base", True), ("b", 10, "base", True)], [[("b", 5, "late", False)]], FLAGGED)
    assert seen(tmp_path) == wheel(tmp_path) == [("a", 10, "base"), ("b", 10, "base")]


@pytest.mark.parametrize("version", [6, 9])
def test_a_custom_marker_deletes(version: int, tmp_path: Path) -> None:
    prefix = "hoodie.record.merge.property." if version == 9 else ""
    marker = {f"{prefix}hoodie.payload.delete.field": "v", f"{prefix}hoodie.payload.delete.marker": "D"}
    rows = [("a", 10, "base"), ("b", 10, "base"), ("c", 10, "D"), ("d", 10, "base")]
    built(tmp_path, version, rows, [[("a", 20, "D"), ("b", 5, "D"), ("d", 20, "d")]], properties={**marker, **DEFAULT})
    assert seen(tmp_path) == wheel(tmp_path) == [("b", 10, "base"), ("c", 10, "D"), ("d", 20, "d")]


OPERATION = {"_hoodie_operation": TYPES["string"], **COLUMNS}


def _operations(path: Path) -> None:
    """Write rows of all four operations; the log has the column `_hoodie_operation`, but the table does not."""
    table = Table(path, 9)
    table.write_base(1, *((key, 10, "base") for key in "abcd"))
    rows = [table.row(T(2), key, 20, "log", _hoodie_operation=op) for key, op in zip("abcd", ("I", "-U", "U", "D"))]  # noqa: B905
    table.write_log(2, table.avro(T(2), rows, columns=OPERATION))


def test_the_operation_deletes(tmp_path: Path) -> None:
    _operations(tmp_path)
    assert seen(tmp_path) == [("a", 20, "log"), ("c", 20, "log")]


@pytest.mark.xfail(strict=True, raises=AssertionError, reason="the package ignores _hoodie_operation")
def test_the_operation_deletes_in_the_package(tmp_path: Path) -> None:
    _operations(tmp_path)
    assert wheel(tmp_path) == [("a", 20, "log"), ("c", 20, "log")]


# ordering values

_AT = datetime(2024, 1, 1, tzinfo=UTC)

TYPED: dict[str, tuple[Any, Any, Any]] = {
    "int": (-5, 7, 9),
    "long": (5, 2**40, 2**41),
    "float": (0.5, 0.75, 1.0),
    "double": (-0.5, 0.1, 0.2),
    "string": ("10", "9", "é"),
    "date": (date(1960, 1, 1), date(1970, 1, 1), date(2024, 2, 29)),
    "decimal": (Decimal("-1.125"), Decimal("0.001"), Decimal("999999999.999")),
    "timestamp": (_AT, _AT + timedelta(microseconds=1), _AT + timedelta(days=1)),
}
"""A lower, a middle and a greater value."""


def _typed(path: Path, type_: str) -> list[tuple[Any, ...]]:
    lower, middle, greater = TYPED[type_]
    columns, wrapper = {**COLUMNS, "ts": TYPES[type_]}, TYPES[type_].wrapper
    assert wrapper is not None
    entries = zip("abc", (lower, middle, greater), strict=True)
    deletes = Table.deletes(T(2), [Delete(key, "", Wrapped(wrapper, value)) for key, value in entries])
    rows = [("d", lower, "log"), ("e", middle, "log"), ("f", greater, "log")]
    built(path, 9, [(key, middle, "base") for key in "abcdef"], [[deletes, *rows]], columns)
    return [("a", "base"), ("d", "base"), ("e", "log"), ("f", "log")]


@pytest.mark.parametrize("type_", TYPED)
def test_ordering_values_of_every_type(type_: str, tmp_path: Path) -> None:
    expected = _typed(tmp_path, type_)
    assert seen(tmp_path, "id", "v") == wheel(tmp_path, "id", "v") == expected


def test_booleans_and_bytes_order_as_well(tmp_path: Path) -> None:
    for type_, values in {"boolean": (False, True, True), "bytes": (b"\x10", b"\x7f", b"\xff")}.items():
        (tmp_path / type_).mkdir()
        lower, middle, _ = values
        wrapper = TYPES[type_].wrapper or 0
        deletes = [Delete(key, "", Wrapped(wrapper, value)) for key, value in (("a", lower), ("b", middle))]
        logs = [[*deletes, ("c", lower, "log")]]
        rows = [(key, middle, "base") for key in "abc"]
        built(tmp_path / type_, 9, rows, logs, {**COLUMNS, "ts": TYPES[type_]})
        assert seen(tmp_path / type_, "id", "v") == [("a", "base"), ("c", "base")], type_


@pytest.mark.xfail(strict=True, raises=AssertionError, reason="the package treats all bytes as equal")
def test_bytes_order_in_the_package(tmp_path: Path) -> None:
    built(tmp_path, 9, [("a", b"\x7f", "base")], [[("a", b"\x10", "log")]], {**COLUMNS, "ts": TYPES["bytes"]})
    assert wheel(tmp_path, "id", "v") == [("a", "base")]


def _mixed(path: Path) -> Table:
    """Write one block with deletes of several value types."""
    entries = [Delete("a", ""), Delete("b", "", long(5)), Delete("c", "", long(20)), Delete("d", "", None)]
    return built(path, 9, [(key, 10, "base") for key in "abcd"], [[Table.deletes(T(2), entries)]])


def test_a_delete_block_may_hold_values_of_several_types(tmp_path: Path) -> None:
    _mixed(tmp_path)
    assert seen(tmp_path) == [("b", 10, "base")]


@pytest.mark.xfail(strict=True, raises=Refused, reason="the package refuses types mixed in a block")
def test_a_delete_block_may_hold_values_of_several_types_in_the_package(tmp_path: Path) -> None:
    _mixed(tmp_path)
    assert wheel(tmp_path) == [("b", 10, "base")]


def _negative(path: Path) -> Table:
    return built(path, 9, [("a", -1, "base")], [[("a", None, "log")]])


def test_no_value_is_less_than_a_negative_one(tmp_path: Path) -> None:
    _negative(tmp_path)
    assert seen(tmp_path) == [("a", -1, "base")]


@pytest.mark.xfail(strict=True, raises=AssertionError, reason="the package treats a missing value as 0")
def test_no_value_is_less_than_a_negative_one_in_the_package(tmp_path: Path) -> None:
    _negative(tmp_path)
    assert wheel(tmp_path) == [("a", -1, "base")]


def _two_fields(path: Path) -> Table:
    columns = {**COLUMNS, "n": TYPES["int"]}

    def both(key: str, ts: int, n: int) -> Delete:
        return Delete(key, "", Wrapped(12, (long(ts), Wrapped(2, n))))

    logs = [[("a", 10, "late", 0), ("b", 10, "log", 1), ("c", 11, "log", 0)], [both("d", 10, 0)], [both("e", 10, 2)]]
    rows = [(key, 10, "base", 1) for key in "abcdef"]
    return built(path, 9, rows, [*logs, [Delete("f", "")]], columns, ordering="ts,n")


def test_two_ordering_columns_compare_as_a_tuple(tmp_path: Path) -> None:
    _two_fields(tmp_path)
    assert seen(tmp_path, "id", "v") == [("a", "base"), ("b", "log"), ("c", "log"), ("d", "base")]


@pytest.mark.xfail(strict=True, raises=Refused, reason="the package refuses several ordering columns")
def test_two_ordering_columns_compare_as_a_tuple_in_the_package(tmp_path: Path) -> None:
    _two_fields(tmp_path)
    assert wheel(tmp_path, "id", "v") == [("a", "base"), ("b", "log"), ("c", "log"), ("d", "base")]


# keys stored twice


def _doubled(path: Path) -> Table:
    rows = [("a", 10, "x"), ("a", 12, "y"), ("b", 10, "x"), ("b", 12, "y"), ("c", 10, "x"), ("c", 12, "y")]
    return built(path, 9, rows, [[("a", 20, "log"), UNORDERED_B, ("c", 11, "log")]])


UNORDERED_B = Delete("b", "")


def test_every_stored_row_of_a_key_meets_the_log(tmp_path: Path) -> None:
    _doubled(tmp_path)
    assert seen(tmp_path) == [("a", 20, "log"), ("a", 20, "log"), ("c", 11, "log"), ("c", 12, "y")]


@pytest.mark.xfail(strict=True, raises=AssertionError, reason="in the package only the first stored row meets the log")
def test_every_stored_row_of_a_key_meets_the_log_in_the_package(tmp_path: Path) -> None:
    _doubled(tmp_path)
    assert wheel(tmp_path) == [("a", 20, "log"), ("a", 20, "log"), ("c", 11, "log"), ("c", 12, "y")]


# keys without meta columns


@pytest.mark.parametrize("version", [6, 9])
def test_keys_come_from_the_columns_where_the_meta_columns_are_empty(version: int, tmp_path: Path) -> None:
    rows = [("a", 10, "base"), ("b", 10, "base"), ("c", 10, "base")]
    built(tmp_path, version, rows, [[("a", 20, "log"), Delete("b", ""), ("d", 1, "log")]], meta=False)
    expected = [("a", 20, "log"), ("c", 10, "base"), ("d", 1, "log")]
    assert seen(tmp_path) == wheel(tmp_path) == expected
    with pytest.raises(OptionError, match="without meta columns"):
        seen(tmp_path, query_type="incremental")
