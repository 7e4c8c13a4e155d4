"""Rows from Python workers: their division into pieces, and the statistics that Spark has of them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql import functions as F

import hoodoo
from hoodoo.spark.scan import session_stores
from hoodoo.spark.session_conf import setting
from hoodoo.spark.workers import divided_slices as divided
from hoodoo.spark.workers import split_rows
from hoodoo.spark.workers import worker_frame as workers
from hoodoo.spark.workers.row_chunks import in_pieces, number_of_pieces
from hoodoo.testing.engine import write_arrow

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

OPTIONS = {
    "table_name": "t",
    "record_key": "id",
    "partition_by": "day",
    "ordering": "ts",
    "table_type": "MERGE_ON_READ",
}
DAYS = 40
SCHEMA = pa.schema([pa.field("n", pa.int64())])


def rows(days: range, ts: int) -> pa.Table:
    numbers = [(day, n) for day in days for n in range(3)]
    return pa.table(
        {
            "id": [f"{day}-{n}" for day, n in numbers],
            "day": [f"2026-{1 + day // 28:02}-{1 + day % 28:02}" for day, _ in numbers],
            "ts": pa.array([ts] * len(numbers), pa.int64()),
        }
    )


@given(
    st.lists(st.integers(min_value=0, max_value=200), max_size=8),
    st.integers(min_value=0, max_value=200),
    st.integers(min_value=1, max_value=20),
)
def test_rows_come_in_the_requested_number_of_pieces(lengths: list[int], logged: int, pieces: int) -> None:
    stored = sum(lengths)
    numbers = pa.array(range(stored + logged), pa.int64())
    batches, start = [], 0
    for length in [*lengths, logged]:
        batches.append(pa.record_batch([numbers.slice(start, length)], schema=SCHEMA))
        start += length
    found = list(in_pieces(batches, SCHEMA, stored, pieces))
    assert len(found) == pieces
    assert pa.concat_tables(found)["n"].to_pylist() == list(range(stored + logged))
    # no piece is much more than its share
    half = pieces // 2
    share = max(-(-stored // half) if half else stored, -(-(stored + logged) // (pieces - half)))
    assert max(piece.num_rows for piece in found) <= share


def test_base_rows_are_handed_on_while_they_come() -> None:
    taken = 0

    def batches() -> Any:
        nonlocal taken
        for _ in range(100):
            taken += 1
            yield pa.record_batch([pa.array(range(10), pa.int64())], schema=SCHEMA)

    pieces = in_pieces(batches(), SCHEMA, 1000, 200)
    assert next(pieces).num_rows == 10
    assert taken <= 3


@pytest.fixture(scope="module")
def days(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Create a table of 40 partitions, each with a log."""
    path = tmp_path_factory.mktemp("days")
    write_arrow(rows(range(DAYS), 1), path, OPTIONS | {"operation": "bulk_insert"})
    write_arrow(rows(range(DAYS), 2), path, OPTIONS)
    return path


def optimized(frame: DataFrame) -> Any:
    """Return the optimized plan of a query."""
    return frame._jdf.queryExecution().optimizedPlan()


@pytest.mark.spark
@pytest.mark.needs_pyspark("4.1")
@pytest.mark.representatives(condition=["day >= '2026-02-10'"])
@pytest.mark.parametrize(
    ("condition", "count"),
    [("day = '2026-02-01'", 3), ("day >= '2026-02-10'", 9), ("day in ('2026-01-03', 'x')", 3), ("day is null", 0)],
)
def test_a_filter_of_a_partition_column_leaves_out_any_number_of_partitions(
    condition: str, count: int, days: Path, spark: SparkSession
) -> None:
    frame = hoodoo.read(spark, days).where(condition)
    assert frame.count() == count
    # the function is called once
    assert optimized(frame).toString().count("ArrowEvalPython") == (1 if count else 0)
    leaves = optimized(frame).collectLeaves()
    assert leaves.size() == 1
    assert leaves.apply(0).maxRows().get() == count // 3


@pytest.mark.spark
@pytest.mark.parametrize(
    ("condition", "count"),
    [("day = 'b'", 1), ("day >= 'b'", 2), ("day in ('a', 'x')", 1), ("day is null", 0), ("id = '1'", 3)],
)
def test_a_filter_of_a_partition_column_leaves_out_partitions_with_any_pyspark(
    condition: str, count: int, spark: SparkSession, tmp_path: Path
) -> None:
    stored = pa.table({"id": ["1", "2", "3"], "day": ["a", "b", "c"], "ts": [1, 1, 1]})
    write_arrow(stored, tmp_path, OPTIONS | {"operation": "bulk_insert"})
    write_arrow(stored.set_column(2, "ts", pa.array([2, 2, 2])), tmp_path, OPTIONS)
    frame = hoodoo.read(spark, tmp_path).where(condition)
    assert sorted(row.ts for row in frame.collect()) == [2] * (1 if "id" in condition else count)
    leaves = optimized(frame).collectLeaves()
    assert sum(leaves.apply(number).maxRows().get() for number in range(leaves.size())) == count


@pytest.mark.nightly
@pytest.mark.spark
@pytest.mark.parametrize("is_divided", [False, True])
def test_a_slice_of_several_pieces(
    is_divided: bool, spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if is_divided:
        monkeypatch.setattr(divided, "LEAST_BYTES", 1)
    numbers = np.random.default_rng(3).integers(0, 2**62, 400_000)
    stored = pa.table({"id": [str(n) for n in range(len(numbers))], "day": ["d"] * len(numbers), "ts": numbers})
    newer = stored.slice(1000, 150_000)
    newer = newer.set_column(2, "ts", pc.bit_wise_or(newer["ts"], 2**62))
    write_arrow(stored, tmp_path, OPTIONS | {"operation": "bulk_insert"})
    write_arrow(newer, tmp_path, OPTIONS)
    [split] = hoodoo.Table(tmp_path).splits()
    assert number_of_pieces(split.changed() if is_divided else split) > 1
    wanted = hoodoo.Table(tmp_path).to_arrow()
    found = hoodoo.read(spark, tmp_path).toArrow()
    assert found.sort_by("id").to_pydict() == wanted.select(found.column_names).sort_by("id").to_pydict()


@pytest.mark.spark
def test_spark_gets_the_size_of_a_table(days: Path, spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "SIZED_BYTES", 1)
    size = sum(split.size for split in hoodoo.Table(days).splits())
    frame = hoodoo.read(spark, days)
    assert size <= optimized(frame).stats().sizeInBytes() <= 100 * size
    assert frame.count() == 3 * DAYS
    assert frame.where("day = '2026-02-01'").count() == 3


@pytest.mark.spark
@pytest.mark.parametrize("batch_rows", [0, 1])
def test_batches_of_any_size(batch_rows: int, days: Path, spark: SparkSession) -> None:
    with setting(spark, "spark.sql.execution.arrow.maxRecordsPerBatch", batch_rows):
        assert hoodoo.read(spark, days).where("day < '2026-01-03'").count() == 6


def tasks(frame: DataFrame) -> int:
    """Return the number of tasks that create a frame's rows."""
    return frame.select(F.spark_partition_id()).distinct().count()


@pytest.mark.nightly
@pytest.mark.spark
def test_a_large_table_is_read_by_more_tasks_than_there_are_cores(
    days: Path, spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = tasks(hoodoo.read(spark, days))
    monkeypatch.setattr(split_rows, "RELATION_BYTES", 64 * 1024)
    frame = hoodoo.read(spark, days)
    assert tasks(frame) > few
    assert sorted(row.id for row in frame.collect()) == sorted(rows(range(DAYS), 2)["id"].to_pylist())


def test_explain_states_why_workers_read(spark: SparkSession, tmp_path: Path, capsys: Any, monkeypatch: Any) -> None:
    options = OPTIONS | {"hive_style": True}
    write_arrow(rows(range(4), 1), tmp_path, options)
    changed = write_arrow(rows(range(3), 2), tmp_path, options)
    assert changed.rows_updated == 9
    frame = hoodoo.read(spark, tmp_path)
    frame.explain()
    plan = capsys.readouterr().out
    assert "hoodoo Python workers [3 file slices with logs]" in plan
    assert "FileScan parquet" in plan
    unread = session_stores.Unread("the session does not read s3://lake/t")
    monkeypatch.setattr(sys.modules["hoodoo.spark.scan.read"], "scan_source", lambda *_: unread)
    frame = hoodoo.read(spark, tmp_path)
    frame.explain()
    plan = capsys.readouterr().out
    assert "hoodoo Python workers [4 file slices: the session does not read s3://lake/t]" in plan
    assert "FileScan" not in plan
    assert frame.count() == 12
