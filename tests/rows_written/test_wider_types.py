"""Rows that were written before columns got wider types, read by hoodoo and by the package `hudi`."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pytest

import hoodoo
from tests.support.rows import hudi_rows
from tests.support.wider_types import ROWS, widened_table

KINDS = {
    "copy-on-write": {},
    "merge-on-read": {"table_type": "MERGE_ON_READ"},
    "merge-on-read with buckets": {"table_type": "MERGE_ON_READ", "index": "bucket", "buckets": 2},
    "version 6": {"table_version": 6},
}


@pytest.mark.parametrize("kind", KINDS)
def test_readers_find_the_values_in_the_wider_types(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "wider"
    widened_table(path, **KINDS[kind])

    found = hoodoo.Table(path).to_arrow(["id", "n", "x"])
    assert (found.schema.field("n").type, found.schema.field("x").type) == (pa.int64(), pa.float64())
    rows = {row["id"]: (row["n"], row["x"]) for row in found.to_pylist()}
    assert rows == ROWS
    filtered = hoodoo.Table(path).to_arrow(["id"], pc.field("n") > 4)
    assert sorted(filtered.column("id").to_pylist()) == ["b", "d", "e"]
    assert {row["id"]: (row["n"], float(row["x"])) for row in hudi_rows(path)} == ROWS


def test_a_later_write_has_the_wider_types(tmp_path: Path) -> None:
    path = tmp_path / "wider"
    widened_table(path)
    narrow = pa.table({"id": ["c"], "ts": [2], "n": pa.array([7], pa.int32()), "x": pa.array([8], pa.int32())})
    hoodoo.write(narrow, path, {})
    found = hoodoo.Table(path).to_arrow(["id", "n", "x"])
    assert {row["id"]: (row["n"], row["x"]) for row in found.to_pylist()} == {**ROWS, "c": (7, 8.0)}
