"""Merge-on-read tables, apart from random histories: compactions, replaced file groups, and inserts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import hoodoo
from hoodoo.errors import DataError, UnsupportedTable
from hoodoo.testing.engine import write_arrow
from tests.support.rows import assert_same, hoodoo_rows, hudi_rows
from tests.support.versions import META

pytestmark = pytest.mark.slow

SCHEMA = pa.schema([("id", pa.string()), ("place", pa.string()), ("ts", pa.int64()), ("v", pa.string())])
PLACES = ("x", "y", "z")


def _options(index: str) -> dict[str, Any]:
    options = {
        "table_name": "t",
        "table_type": "MERGE_ON_READ",
        "record_key": "id",
        "partition_by": "place",
        "merger": "event-time",
        "ordering": "ts",
        "index": index,
        "small_file_limit": 0,
    }
    return options | ({"buckets": 2} if index == "bucket" else {})


def test_compaction_keeps_commit_times_and_sequence_numbers(tmp_path: Path) -> None:
    path, options = tmp_path / "t", _options("bucket")
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
    options = _options("bucket") | {
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
    options = _options(index) | {"table_type": table_type}

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
    options = _options(index) | {"table_type": "COPY_ON_WRITE", "operation": "insert"}
    options |= {"buckets": 1} if index == "bucket" else {}
    rows = pa.Table.from_pylist([{"id": f"k{n}", "place": "x", "ts": 1, "v": "a"} for n in range(6)], SCHEMA)
    write_arrow(rows.slice(0, 4), path, options)

    with pytest.raises(DataError, match=r"2 rows have keys that are stored already .*'k2', 'k3'"):
        write_arrow(rows.slice(2), path, options | {"dup_policy": "fail"})
    assert len(hoodoo_rows(path)) == 4

    commit = write_arrow(rows.slice(2), path, options | {"hoodie.datasource.write.insert.drop.duplicates": "true"})
    assert (commit.rows_incoming, commit.rows_inserted, commit.rows_ignored) == (4, 2, 2)
    assert sorted(row["id"] for row in hoodoo_rows(path)) == [f"k{n}" for n in range(6)]


def test_an_insert_into_a_log_leaves_deletes_out_as_one_into_a_base_file_does(tmp_path: Path) -> None:
    options = _options("bucket") | {"buckets": 1, "partition_by": None}

    def write(ids: str, ts: int, deleted: str = "", **more: Any) -> hoodoo.Commit:
        rows = pa.table({"id": list(ids), "ts": [ts] * len(ids), "_hoodie_is_deleted": [key in deleted for key in ids]})
        return write_arrow(rows, tmp_path, options | more)

    write("ab", 1)
    assert write("ac", 2, deleted="a", operation="insert").rows_ignored == 1
    assert sorted(row["id"] for row in hoodoo_rows(tmp_path)) == ["a", "b", "c"]
    assert (write("b", 3, deleted="b", operation="insert").files, len(hoodoo_rows(tmp_path))) == (0, 3)


def test_the_index_of_a_write_says_whether_file_groups_may_lack_a_base_file(tmp_path: Path) -> None:
    rows = pa.table({"id": ["a"], "place": ["x"], "ts": [1], "v": ["a"]})
    write_arrow(rows, tmp_path, _options("bucket"))
    properties = tmp_path / ".hoodie" / "hoodie.properties"
    stated = properties.read_text().splitlines(keepends=True)
    properties.write_text("".join(line for line in stated if not line.startswith("hoodoo.")))  # as Hudi leaves it
    write_arrow(rows, tmp_path, {"index": "bucket", "buckets": 2})
    assert len(hoodoo_rows(tmp_path)) == 1
    with pytest.raises(UnsupportedTable, match="has logs and no base file"):
        write_arrow(rows, tmp_path, {"index": "simple"})
