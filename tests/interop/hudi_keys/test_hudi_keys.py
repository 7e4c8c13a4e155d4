"""The list of Hudi's keys is that of its bundles, and Hudi treats the jobs as the tests of hoodoo expect."""

from __future__ import annotations

import json
import re

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.interop.processes.hudi_side import HudiFailed
from tests.interop.processes.java_side import missing_compiler

from .make_hudi_keys import CACHE, KEYS_FILE, listed

pytestmark = pytest.mark.interop

OPTIONS = {
    "hoodie.table.name": "t",
    "hoodie.datasource.write.recordkey.field": "id",
    "hoodie.datasource.write.partitionpath.field": "p",
    "hoodie.datasource.write.precombine.field": "ts",
}
KEYLESS = {key: OPTIONS[key] for key in ("hoodie.table.name", "hoodie.datasource.write.partitionpath.field")}
STORED = [("a", "x", 1), ("b", "y", 2)]


def test_the_list_equals_that_of_the_bundles():
    if missing_compiler():
        pytest.skip(str(missing_compiler()))
    CACHE.mkdir(parents=True, exist_ok=True)
    assert json.loads(KEYS_FILE.read_text()) == listed(CACHE)


# the expectations of tests/rows_written/hudi_jobs/test_documented_jobs.py
@pytest.mark.parametrize(
    ("first", "then", "batch", "mode", "rows"),
    [
        (
            OPTIONS,
            {"hoodie.datasource.write.insert.drop.duplicates": "true", "hoodie.datasource.write.operation": "upsert"},
            [("c", "x", 3), ("c", "x", 4), ("a", "x", 5), ("a", "x", 6)],
            "append",
            [("a", "x", 1), ("b", "y", 2), ("c", "x", 4)],
        ),
        (
            OPTIONS,
            {"hoodie.datasource.write.operation": "insert_overwrite"},
            [("c", "x", 3)],
            "overwrite",
            [("c", "x", 3)],
        ),
        (KEYLESS, {}, [("a", "x", 3)], "append", [("a", "x", 1), ("a", "x", 3), ("b", "y", 2)]),
        (
            {**OPTIONS, "hoodie.write.table.version": "8"},
            {},
            [("a", "x", 0), ("c", "x", 3)],
            "append",
            [("a", "x", 1), ("b", "y", 2), ("c", "x", 3)],
        ),
    ],
)
def test_hudi_writes_the_rows_that_are_expected_of_hoodoo(hudi, tmp_path, first, then, batch, mode, rows):
    side, table = hudi("1.2.0"), tmp_path / "t"
    side.write(table, _file(tmp_path / "a.parquet", STORED), first)
    side.write(table, _file(tmp_path / "b.parquet", batch), {**first, **then}, mode)

    side.read(table, {}, tmp_path / "read")
    found = pq.read_table(tmp_path / "read").select(["id", "p", "ts"]).to_pylist()
    assert sorted(tuple(row.values()) for row in found) == rows


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"hoodie.write.concurrency.mode": "optimistic_concurrency_control"}, "NullPointerException"),
        ({"hoodie.keep.max.commits": "3"}, "Increase hoodie.keep.max.commits"),
        ({"hoodie.table.name": None}, "'hoodie.table.name' must be set"),
    ],
)
def test_hudi_refuses_what_hoodoo_refuses(hudi, tmp_path, given, error):
    options = {key: value for key, value in {**OPTIONS, **given}.items() if value is not None}
    with pytest.raises(HudiFailed) as raised:
        hudi("1.2.0").write(tmp_path / "t", _file(tmp_path / "a.parquet", STORED), options)
    assert re.search(error, str(raised.value))


def _file(path, rows):
    ids, partitions, times = zip(*rows, strict=True)
    pq.write_table(pa.table({"id": ids, "p": partitions, "ts": pa.array(times, pa.int64())}), path)
    return path
