"""Partial updates, which fill gaps of the winning version from the losing one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from hoodoo.merge.survivors import apply
from hoodoo.plugin.helpers.partial_update import (
    Gaps,
    absent,
    defaulted,
    fill,
    fillable,
    nulls,
    partial_gaps,
    unavailable,
)
from hoodoo.record import Operation, Ordering, Records, Source
from hoodoo.schema.defaults import with_default

SCHEMA = pa.schema(
    [
        pa.field("_hoodie_commit_time", pa.string()),
        pa.field("id", pa.string()),
        pa.field("n", pa.int64()),
        with_default(pa.field("city", pa.string()), "NY"),
        pa.field("raw", pa.binary()),
        pa.field("tags", pa.list_(pa.string())),
    ]
)
MARKER = "??"


def pair(older: dict[str, Any] | None, newer: dict[str, Any] | None) -> tuple[Records, Records]:
    """Return two versions of one key: a column that a row does not name is absent; None is a delete."""
    rows = [older, newer]
    table = pa.Table.from_pylist([row or {} for row in rows], schema=SCHEMA)
    present = {name: np.array([row is not None and name in row for row in rows]) for name in SCHEMA.names}
    operation = np.array([Operation.DELETE if row is None else Operation.INSERT for row in rows], dtype=np.int8)
    source = Source(
        table, SCHEMA, pa.array(["1", "1"]), Ordering.of((), (), 2), operation, operation == Operation.INSERT, present
    )
    return source.records(np.array([0])), source.records(np.array([1]))


def filled(older: dict[str, Any] | None, newer: dict[str, Any] | None, gaps: Gaps, *, take: bool) -> dict[str, Any]:
    """Return the surviving row without its nulls."""
    left, right = pair(older, newer)
    survivor = apply(left, right, fill(left, right, np.array([take]), gaps, fillable(SCHEMA)))
    row = {name: survivor.column(name)[0].as_py() for name in SCHEMA.names}
    return {name: value for name, value in row.items() if value is not None}


FULL = {"id": "1", "n": 1, "city": "SF", "raw": b"r", "tags": ["a"]}
WITHOUT_N = {name: value for name, value in FULL.items() if name != "n"}
WITHOUT_CITY = {name: value for name, value in FULL.items() if name != "city"}


@pytest.mark.parametrize("take", [True, False])
@pytest.mark.parametrize(
    ("gaps", "winner", "expected"),
    [
        (absent, {"id": "1", "n": None}, {"id": "1", "city": "SF", "raw": b"r", "tags": ["a"]}),
        (nulls, {**FULL, "n": None, "tags": None}, FULL),
        (nulls, {**FULL, "tags": []}, {**FULL, "tags": []}),
        (defaulted, {**FULL, "city": "NY", "n": None}, FULL),
        (defaulted, {**FULL, "city": None}, WITHOUT_CITY),
        (unavailable(MARKER), {**FULL, "city": "??", "raw": b"??"}, FULL),
        (unavailable(MARKER), {"id": "1", "tags": ["??"], "n": None}, {**WITHOUT_N, "tags": ["??"]}),
        (unavailable(MARKER), {"id": "1", "city": "??"}, FULL),
    ],
)
def test_the_winner_takes_what_it_does_not_give(
    gaps: Gaps, winner: dict[str, Any], expected: dict[str, Any], take: bool
) -> None:
    """The order of arrival does not matter: the winner is `newer` if it is taken, else `older`."""
    older, newer = (FULL, winner) if take else (winner, FULL)

    assert filled(older, newer, gaps, take=take) == expected


@pytest.mark.parametrize("gaps", [defaulted, nulls, unavailable(MARKER)])
def test_a_column_that_the_loser_lacks_fills_nothing(gaps: Gaps) -> None:
    winner = {**FULL, "city": "NY", "raw": b"??", "n": None}

    assert filled({"id": "1"}, winner, gaps, take=True) == {k: v for k, v in winner.items() if v is not None}


def test_a_default_that_the_winner_lacks_and_the_loser_has_is_filled() -> None:
    """A missing column and a default are both gaps for `defaulted`; the default fills the missing column."""
    assert filled({**FULL, "city": "NY"}, {"id": "1", "n": 2}, defaulted, take=True)["city"] == "NY"


@pytest.mark.parametrize(("older", "newer"), [(None, {"id": "1"}), (FULL, None), ({"id": "1"}, None)])
@pytest.mark.parametrize("take", [True, False])
def test_a_delete_neither_gives_nor_gets(
    older: dict[str, Any] | None, newer: dict[str, Any] | None, take: bool
) -> None:
    assert filled(older, newer, nulls, take=take) == ((newer if take else older) or {})


def test_meta_columns_are_never_filled() -> None:
    older = {**FULL, "_hoodie_commit_time": "001"}

    assert "_hoodie_commit_time" not in filled(older, {"id": "1", "_hoodie_commit_time": None}, nulls, take=True)


def test_protected_columns_and_their_structs_are_left_out() -> None:
    schema = pa.schema([("a", pa.int32()), ("s", pa.struct([("t", pa.int64())])), ("x.y", pa.int32())])

    assert fillable(schema) == ["a", "s", "x.y"]
    assert fillable(schema, ["s.t", "x.y"]) == ["a"]


def test_a_kept_row_that_gains_nothing_is_not_patched() -> None:
    """The row keeps its commit time, because a late record that fills no gap does not change the row."""
    left, right = pair({**FULL, "n": None}, {**FULL, "n": None, "city": "LA"})
    outcome = fill(left, right, np.array([False]), nulls, fillable(SCHEMA))

    assert not outcome.patch
    assert outcome.patched is None


def test_only_rows_that_gain_are_patched() -> None:
    older = [{"id": "1", "n": None}, {"id": "2", "n": 5}]
    newer = [{"id": "1", "n": 7}, {"id": "2", "n": 6}]
    table = pa.Table.from_pylist([*older, *newer], schema=SCHEMA)
    keys, live = pa.array(["1", "2", "1", "2"]), np.ones(4, dtype=bool)
    source = Source(table, SCHEMA, keys, Ordering.of((), (), 4), np.zeros(4, dtype=np.int8), live)
    left, right = source.records(np.array([0, 1])), source.records(np.array([2, 3]))

    outcome = fill(left, right, np.array([False, False]), nulls, fillable(SCHEMA))

    assert outcome.patched is not None
    assert outcome.patched.tolist() == [True, False]
    assert outcome.patch["n"].to_pylist() == [7, 5]


@pytest.mark.parametrize("spelling", ["keep-values", "keep_values", "KEEP_VALUES"])
def test_a_mode_may_be_spelled_as_hudi_does(spelling: str) -> None:
    assert partial_gaps(spelling, MARKER) is absent


def test_an_unknown_mode_is_refused_with_those_that_exist() -> None:
    with pytest.raises(ValueError, match="keep-values, ignore-defaults, fill-unavailable, got 'some'"):
        partial_gaps("some", MARKER)
