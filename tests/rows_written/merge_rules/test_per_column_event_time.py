"""Merger `per-column-event-time` in tables: partial updates of several sources converge in any order and grouping."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import hoodoo
from hoodoo.testing.engine import write_arrow
from tests.support.rows import assert_same, hoodoo_rows, hudi_rows

pytestmark = pytest.mark.slow

Row = dict[str, Any]

CLOCKS = "_column_ordering"
OPTIONS = {
    "table_name": "t",
    "record_key": "id",
    "ordering": "ts",
    "merger": "per-column-event-time",
    "index": "bucket",
    "buckets": 2,
}
SCHEMA = pa.schema(
    [("id", pa.string()), ("ts", pa.int64()), ("name", pa.string()), ("city", pa.string()), ("fare", pa.int64())]
)
UPDATES: list[Row] = [
    {"ts": 1, "name": "a", "city": "oslo", "fare": 1},
    {"ts": 2, "city": "rome"},
    {"ts": 3, "fare": 3},
    {"ts": 4, "name": "d"},
]
END = {"ts": 4, "name": "d", "city": "rome", "fare": 3, CLOCKS: {"city": 2, "fare": 3}}
ORDERS = list(itertools.permutations(UPDATES))


def batches(groups: Sequence[int], orders: Sequence[Sequence[Row]]) -> Iterator[pa.Table]:
    """Yield batches with the same number of updates of every key, each key in a different order."""
    start = 0
    for count in groups:
        rows = [
            {"id": f"{key:02}", **update} for key, order in enumerate(orders) for update in order[start : start + count]
        ]
        yield pa.Table.from_pylist(rows, SCHEMA)
        start += count


def check(path: Path, expected: Row, count: int) -> None:
    rows = hoodoo_rows(path)
    assert sorted(row["id"] for row in rows) == [f"{key:02}" for key in range(count)]
    for row in rows:
        assert {name: row[name] for name in (*SCHEMA.names[1:], CLOCKS)} == expected, row["id"]


@pytest.mark.parametrize("groups", [(4,), (1, 3), (2, 2), (1, 2, 1), (1, 1, 1, 1)])
@pytest.mark.parametrize("table", ["cow", "mor", "compacted", "cow-9", "mor-9-avro"])
def test_every_order_and_grouping_gives_the_same_rows(table: str, groups: tuple[int, ...], tmp_path: Path) -> None:
    kind, _, version = table.partition("-")
    options = {**OPTIONS, "table_type": "COPY_ON_WRITE" if kind == "cow" else "MERGE_ON_READ"}
    options |= {"table_version": 9} if version else {}
    options |= {"log_format": "avro"} if version.endswith("avro") else {}
    for number, batch in enumerate(batches(groups, ORDERS)):
        write_arrow(batch, tmp_path, options)
        if kind == "compacted" and number % 2:
            assert hoodoo.Table(tmp_path).compact() is not None
    check(tmp_path, END, len(ORDERS))
    if kind == "mor":
        hoodoo.Table(tmp_path).compact()
        check(tmp_path, END, len(ORDERS))
    if kind == "cow":
        assert_same(hudi_rows(tmp_path), hoodoo_rows(tmp_path), "the hudi package")


def test_other_readers_refuse_to_merge_its_logs(tmp_path: Path) -> None:
    for batch in batches((2, 2), ORDERS):
        write_arrow(batch, tmp_path, {**OPTIONS, "table_type": "MERGE_ON_READ", "table_version": 9})
    with pytest.raises(Exception, match="CUSTOM"):
        hudi_rows(tmp_path)


def test_each_source_sends_its_own_columns(tmp_path: Path) -> None:
    """The sources send different columns, one of which is added later; and one source sets a column to null."""
    for table_type in ("COPY_ON_WRITE", "MERGE_ON_READ"):
        path = tmp_path / table_type
        emptied = pa.array([[("city", 4)]], pa.map_(pa.string(), pa.int64()))
        frames = [
            pa.table({"id": ["1"], "ts": [5], "name": ["new"]}),
            pa.table({"id": ["1"], "ts": [3], "city": ["oslo"]}),
            pa.table({"id": ["1"], "ts": [2], "fare": [2], "name": ["old"]}),
            pa.table({"id": ["1"], "ts": [4], "city": pa.nulls(1, pa.string()), CLOCKS: emptied}),
        ]
        for frame in frames:
            write_arrow(frame, path, {**OPTIONS, "table_type": table_type})
        [row] = hoodoo_rows(path)
        assert {name: row[name] for name in SCHEMA.names} == {
            "id": "1",
            "ts": 5,
            "name": "new",
            "city": None,
            "fare": 2,
        }
        assert dict(row[CLOCKS]) == {"city": 4, "fare": 2}


@pytest.mark.parametrize("table_type", ["COPY_ON_WRITE", "MERGE_ON_READ"])
def test_a_late_delete_empties_what_is_older_in_every_order(table_type: str, tmp_path: Path) -> None:
    """The row remains, and the columns that the delete empties keep its ordering value, also after a compaction."""
    updates = [{"ts": 1, "name": "a", "city": "oslo", "fare": 1}, {"ts": 3, "city": "rome"}, {"ts": 5, "name": "e"}]
    delete = {"ts": 4}
    options = {**OPTIONS, "table_type": table_type}
    first = [updates[2]]
    for number, order in enumerate(itertools.permutations([delete, updates[0], updates[1]])):
        path = tmp_path / str(number)
        for update in (*first, *order):
            row = pa.Table.from_pylist([{"id": "1", **update}], SCHEMA)
            kind = {"operation": "delete"} if update is delete else {}
            write_arrow(row.select(["id", "ts"]) if kind else row, path, {**options, **kind})
        hoodoo.Table(path).compact()
        [row] = hoodoo_rows(path)
        assert {name: row[name] for name in SCHEMA.names} == {
            "id": "1",
            "ts": 5,
            "name": "e",
            "city": None,
            "fare": None,
        }
        assert dict(row[CLOCKS]) == {"city": 4, "fare": 4}


def test_deletes_converge_in_logs(tmp_path: Path) -> None:
    """Late versions are merged with a tombstone in a log; the key is deleted in every order."""
    updates = [{"ts": 1, "name": "a"}, {"ts": 3, "city": "rome"}]
    for number, order in enumerate(itertools.permutations([*updates, None])):
        path = tmp_path / str(number)
        write_arrow(pa.table({"id": ["0"], "ts": [9], "name": ["z"]}), path, {**OPTIONS, "table_type": "MERGE_ON_READ"})
        for update in order:
            if update is None:
                write_arrow(pa.table({"id": ["1"], "ts": [4]}), path, {**OPTIONS, "operation": "delete"})
            else:
                write_arrow(pa.Table.from_pylist([{"id": "1", **update}], SCHEMA), path, OPTIONS)
        assert [row["id"] for row in hoodoo_rows(path)] == ["0"], order


def test_random_histories_of_many_columns(tmp_path: Path) -> None:
    """The expected value of a column is that of its newest update."""
    chance = random.Random(7)
    names = [f"c{number}" for number in range(6)]
    schema = pa.schema([("id", pa.string()), ("ts", pa.int64()), *((name, pa.int64()) for name in names)])
    updates = [
        {"id": f"{key:02}", "ts": ts, **{name: chance.randrange(99) for name in chance.sample(names, 2)}}
        for key in range(40)
        for ts in range(8)
    ]
    expected: dict[str, Row] = {}
    for update in sorted(updates, key=lambda update: update["ts"]):
        expected.setdefault(update["id"], dict.fromkeys(schema.names)).update(update)
    for table_type in ("COPY_ON_WRITE", "MERGE_ON_READ"):
        chance.shuffle(updates)
        path, start = tmp_path / table_type, 0
        while start < len(updates):
            size = chance.randrange(20, 120)
            batch = pa.Table.from_pylist(updates[start : start + size], schema)
            write_arrow(batch, path, {**OPTIONS, "table_type": table_type})
            start += size
        found = {row["id"]: {name: row[name] for name in schema.names} for row in hoodoo_rows(path)}
        assert found == expected
