"""A history of one table, with inserts, updates, a late row, a delete and a compaction."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import hoodoo
from hoodoo.testing.engine import write_arrow

__all__ = ["KINDS", "LAST", "check_changes", "rows", "stored"]

KINDS = [
    pytest.param(type_, version, index, id=f"{type_[:4]}{version}-{index}")
    for type_ in ("COPY_ON_WRITE", "MERGE_ON_READ")
    for version in (6, 9)
    for index in ("simple", "bloom", "bucket", "global-simple")
]
"""Combinations of table type, table version and index."""

LAST = [(1, "x", 20, "a2"), (2, "x", 10, "b"), (3, "y", 40, "c2"), (5, "y", 40, "e")]
"""The rows at the end of the history."""


def rows(*values: tuple[Any, ...], type_: pa.DataType | None = None) -> pa.Table:
    """Return rows of the columns id, p, ts and v. `type_` is the type of p; None infers it."""
    ids, paths, times, texts = zip(*values, strict=True)
    return pa.table({"id": ids, "p": pa.array(paths, type_), "ts": times, "v": texts})


def stored(path: Path, **query: Any) -> list[tuple[Any, ...]]:
    """Return the rows of a table as tuples of id, p, ts and v, in a fixed order."""
    read = hoodoo.Table(path).to_arrow(["id", "p", "ts", "v"], **query)
    return sorted(zip(*(column.to_pylist() for column in read.columns), strict=True), key=str)


def check_changes(path: Path, options: Mapping[str, Any], type_: str, version: int, index: str) -> None:
    """Write the history to a new table, and check the rows after the delete, after the compaction and at the end.

    Only merge-on-read tables are compacted.
    """
    later = {"index": index, "compact_inline": False}
    write_arrow(
        rows((1, "x", 10, "a"), (2, "x", 10, "b"), (3, "y", 10, "c")),
        path,
        {**options, **later, "table_type": type_, "table_version": version},
    )
    write_arrow(rows((1, "x", 20, "a2"), (2, "x", 5, "late"), (4, "y", 20, "d")), path, later)
    write_arrow(rows((4, "y", 30, "")), path, {**later, "operation": "delete"})
    assert stored(path) == [(1, "x", 20, "a2"), (2, "x", 10, "b"), (3, "y", 10, "c")]

    if type_ == "MERGE_ON_READ":
        assert stored(path, query_type="read_optimized") != stored(path)
        hoodoo.Table(path).compact()
        assert stored(path, query_type="read_optimized") == stored(path)
    write_arrow(rows((3, "y", 40, "c2"), (5, "y", 40, "e")), path, later)
    assert stored(path) == LAST
