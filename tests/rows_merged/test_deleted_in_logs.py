"""Keys that a log deleted and that are inserted again, in another file group: an update reaches the row."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

import hoodoo
from hoodoo.testing.engine import write_arrow

pytestmark = pytest.mark.slow

INDEXES = ("simple", "bloom", "global-simple", "global-bloom")

COMPACTED = {"compact_inline": True, "compact_after_commits": 1}


def options_of(version: int, index: str) -> dict[str, object]:
    return {
        "table_name": "t",
        "record_key": "id",
        "partition_by": "p",
        "merger": "commit-time",
        "table_type": "merge-on-read",
        "table_version": version,
        "index": index,
        # every insert creates a new file group
        "small_file_limit": 0,
    }


def rows(value: int, *keys: str) -> pa.Table:
    return pa.table({"id": list(keys), "p": ["p"] * len(keys), "v": pa.array([value] * len(keys), pa.int64())})


def read(root: Path) -> list[tuple[str, int]]:
    return sorted((row["id"], row["v"]) for row in hoodoo.Table(root).to_arrow(columns=["id", "v"]).to_pylist())


@pytest.fixture(params=[6, 9])
def version(request: pytest.FixtureRequest) -> int:
    return request.param


@pytest.fixture(params=INDEXES)
def options(version: int, request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, object]:
    """Write a table with `a` and `b`, delete `a` by a log, and return the options."""
    options = options_of(version, request.param)
    write_arrow(rows(1, "a", "b"), tmp_path, options)
    write_arrow(rows(1, "a"), tmp_path, {**options, "operation": "delete"})
    assert read(tmp_path) == [("b", 1)]
    return options


def test_an_update_reaches_the_row_that_was_inserted_again(options: dict[str, object], tmp_path: Path) -> None:
    write_arrow(rows(2, "a"), tmp_path, {**options, "operation": "insert"})
    assert read(tmp_path) == [("a", 2), ("b", 1)]
    write_arrow(rows(3, "a"), tmp_path, options)
    assert read(tmp_path) == [("a", 3), ("b", 1)]
    write_arrow(rows(4, "a", "b"), tmp_path, {**options, **COMPACTED})
    assert read(tmp_path) == [("a", 4), ("b", 4)]


def test_a_key_that_is_deleted_in_two_file_groups_comes_back_once(options: dict[str, object], tmp_path: Path) -> None:
    write_arrow(rows(2, "a"), tmp_path, {**options, "operation": "insert"})
    write_arrow(rows(2, "a"), tmp_path, {**options, "operation": "delete"})
    assert read(tmp_path) == [("b", 1)]
    write_arrow(rows(3, "a"), tmp_path, options)
    assert read(tmp_path) == [("a", 3), ("b", 1)]
    write_arrow(rows(4, "b"), tmp_path, {**options, **COMPACTED})
    assert read(tmp_path) == [("a", 3), ("b", 4)]


def test_copies_of_a_key_that_nothing_deleted_are_all_updated(version: int, tmp_path: Path) -> None:
    """An insert that does not look up keys may store a key twice, as in Hudi; an update changes both rows."""
    options = options_of(version, "simple")
    write_arrow(rows(1, "a", "b"), tmp_path, options)
    write_arrow(rows(2, "a"), tmp_path, {**options, "operation": "insert"})
    write_arrow(rows(3, "a"), tmp_path, options)
    assert read(tmp_path) == [("a", 3), ("a", 3), ("b", 1)]
