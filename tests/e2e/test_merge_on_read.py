"""Merge-on-read tables that we write: a model, `Table.to_arrow` and the `hudi` package agree after every commit."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import hoodoo
from hoodoo.errors import DataError
from hoodoo.testing.engine import write_arrow

from .comparing import META, assert_same, hoodoo_rows, hudi_rows

SCHEMA = pa.schema([("id", pa.string()), ("place", pa.string()), ("ts", pa.int64()), ("v", pa.string())])
PLACES = ("x", "y", "z")
Row = dict[str, Any]


@dataclass
class Model:
    """Rows by key; a value of None is a tombstone, which stays until a compaction where logs keep one."""

    rule: str
    keeps_all_tombstones: bool
    state: dict[str, Row] = field(default_factory=dict)

    def write(self, rows: Sequence[Row], *, delete: bool) -> None:
        batch: dict[str, Row] = {}
        for row in rows:
            if row["id"] not in batch or self._wins(batch[row["id"]], row):
                batch[row["id"]] = row
        for key, row in batch.items():
            known = self.state.get(key)
            if delete and known is None and not self.keeps_all_tombstones:
                continue
            if known is None or self._wins(known, row):
                self.state[key] = {**row, "gone": delete}

    def compact(self) -> None:
        self.state = {key: row for key, row in self.state.items() if not row["gone"]}

    def rows(self) -> list[Row]:
        return [{name: row[name] for name in SCHEMA.names} for row in self.state.values() if not row["gone"]]

    def _wins(self, older: Row, newer: Row) -> bool:
        return self.rule == "commit-time" or newer["ts"] >= older["ts"]


def _batch(chance: random.Random, count: int) -> list[Row]:
    numbers = [chance.randrange(14) for _ in range(count)]
    return [
        {"id": f"k{n}", "place": PLACES[n % 3], "ts": chance.randrange(6), "v": f"v{chance.randrange(1000)}"}
        for n in numbers
    ]


def _options(index: str, rule: str, log_format: str) -> dict[str, Any]:
    options = {
        "table_name": "t",
        "table_type": "MERGE_ON_READ",
        "record_key": "id",
        "partition_by": "place",
        "merger": rule,
        "index": index,
        "log_format": log_format,
        "small_file_limit": 0,
    }
    if rule == "event-time":
        options["ordering"] = "ts"
    return options | ({"buckets": 2} if index == "bucket" else {})


@pytest.mark.parametrize("log_format", ["parquet", "avro"])
@pytest.mark.parametrize("rule", ["event-time", "commit-time"])
@pytest.mark.parametrize("index", ["bucket", "simple", "bloom"])
def test_every_commit_leaves_what_the_model_predicts(index: str, rule: str, log_format: str, tmp_path: Path) -> None:
    chance = random.Random(f"{index}-{rule}-{log_format}")
    model, path = Model(rule, keeps_all_tombstones=index == "bucket"), tmp_path / "t"
    logs = 0
    for step in range(12):
        delete = step > 0 and chance.random() < 0.3
        batch = _batch(chance, chance.randrange(1, 12))
        model.write(batch, delete=delete)
        options = _options(index, rule, log_format) | {"operation": "delete" if delete else "upsert"}
        write_arrow(pa.Table.from_pylist(batch, SCHEMA), path, options)
        _agree(model, path, f"write {step}")
        if step in (5, 9):
            logs += sum(len(s.logs) for s in hoodoo.Table(path).file_slices())
            assert hoodoo.Table(path).compact() is not None
            model.compact()
            _agree(model, path, f"compaction after write {step}")
            assert not any(s.logs for s in hoodoo.Table(path).file_slices())
            optimized = hoodoo_rows(path, query_type="read_optimized")
            assert_same(optimized, model.rows(), "read-optimized after compaction", SCHEMA.names)
    assert logs > 5


def _agree(model: Model, path: Path, what: str) -> None:
    ours, theirs = hoodoo_rows(path), hudi_rows(path)
    assert_same(ours, model.rows(), f"{what}: Table.to_arrow", SCHEMA.names)
    assert_same(theirs, ours, f"{what}: the hudi package beside Table.to_arrow", [*META, *SCHEMA.names])


def test_compaction_keeps_commit_times_and_sequence_numbers(tmp_path: Path) -> None:
    path, options = tmp_path / "t", _options("bucket", "event-time", "parquet")
    for ts in (1, 2):
        rows = [{"id": f"k{n}", "place": "x", "ts": ts, "v": "a"} for n in range(4 // ts)]
        write_arrow(pa.Table.from_pylist(rows, SCHEMA), path, options)
    before = hoodoo_rows(path)
    commit = hoodoo.Table(path).compact()
    assert commit is not None
    assert commit.operation == "compact"
    assert_same(hoodoo_rows(path), before, "after compaction", [*META[:4], *SCHEMA.names])
    assert hoodoo.Table(path).compact() is None


def test_a_write_compacts_where_that_is_due(tmp_path: Path) -> None:
    path = tmp_path / "t"
    options = _options("bucket", "event-time", "parquet") | {
        "hoodie.compact.inline": "true",
        "hoodie.compact.inline.max.delta.commits": "3",
    }
    for ts in range(7):
        write_arrow(pa.table({"id": ["a"], "place": ["x"], "ts": [ts], "v": ["a"]}), path, options)
    operations = [commit.operation for commit in reversed(hoodoo.Table(path).history())]
    assert operations == [*["upsert"] * 3, "compact", *["upsert"] * 3, "compact", "upsert"]


@pytest.mark.parametrize("table_type", ["COPY_ON_WRITE", "MERGE_ON_READ"])
@pytest.mark.parametrize("index", ["bucket", "simple", "bloom"])
def test_operations_that_replace_file_groups(index: str, table_type: str, tmp_path: Path) -> None:
    path = tmp_path / "t"
    options = _options(index, "event-time", "parquet") | {"table_type": table_type}

    def write(numbers: Sequence[int], value: str, mode: str = "append", **more: Any) -> list[tuple[str, str]]:
        rows = [{"id": f"k{n}", "place": PLACES[n % 3], "ts": 9, "v": value} for n in numbers]
        write_arrow(pa.Table.from_pylist(rows, SCHEMA), path, options | more, mode)
        assert_same(hudi_rows(path), hoodoo_rows(path), "the hudi package", SCHEMA.names)
        return sorted((row["id"], row["v"]) for row in hoodoo_rows(path))

    assert len(write(range(9), "a", operation="bulk_insert")) == 9
    assert write([0, 9], "b", operation="insert_overwrite") == [
        ("k0", "b"), *[(f"k{n}", "a") for n in (1, 2, 4, 5, 7, 8)], ("k9", "b")
    ]  # fmt: skip
    assert write([], "", operation="delete_partition", partitions_to_delete="y*") == [
        ("k0", "b"), *[(f"k{n}", "a") for n in (2, 5, 8)], ("k9", "b")
    ]  # fmt: skip
    assert write([2], "", operation="delete_partition") == [("k0", "b"), ("k9", "b")]
    assert write([3, 3], "c", operation="insert_overwrite_table") == [("k3", "c"), ("k3", "c")]
    assert write([4, 4], "d", mode="overwrite") == [("k4", "d")]
    actions = [instant.action for instant in hoodoo.Table(path).timeline.commits]
    assert actions.count("replacecommit") == 5
    first = hoodoo.Table(path).timeline.commits[0].time
    assert len(hoodoo_rows(path, as_of=first)) == 9


@pytest.mark.parametrize("index", ["bucket", "simple", "bloom"])
def test_an_insert_may_drop_or_refuse_keys_that_are_stored(index: str, tmp_path: Path) -> None:
    path = tmp_path / "t"
    options = _options(index, "event-time", "parquet") | {"table_type": "COPY_ON_WRITE", "operation": "insert"}
    options |= {"buckets": 1} if index == "bucket" else {}
    rows = pa.Table.from_pylist([{"id": f"k{n}", "place": "x", "ts": 1, "v": "a"} for n in range(6)], SCHEMA)
    write_arrow(rows.slice(0, 4), path, options)

    with pytest.raises(DataError, match=r"2 rows have keys that are stored already .*'k2', 'k3'"):
        write_arrow(rows.slice(2), path, options | {"dup_policy": "fail"})
    assert len(hoodoo_rows(path)) == 4

    commit = write_arrow(rows.slice(2), path, options | {"hoodie.datasource.write.insert.drop.duplicates": "true"})
    assert (commit.rows_incoming, commit.rows_inserted, commit.rows_ignored) == (4, 2, 2)
    assert sorted(row["id"] for row in hoodoo_rows(path)) == [f"k{n}" for n in range(6)]
