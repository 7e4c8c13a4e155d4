"""Writes in this process: all kinds of stages, in threads and with spilled rows, against a model of the rows."""

from __future__ import annotations

import threading

import numpy as np
import pyarrow as pa
import pytest

import hoodoo
from hoodoo.errors import CommitConflict, DataError
from hoodoo.local import ArrowBatch, LocalEngine, batch, row_source
from hoodoo.local.row_source import RowSource
from hoodoo.write_job import run_job
from hoodoo.writing.write import no_progress

OPTIONS = {"table_name": "t", "record_key": "id", "partition_by": "p", "ordering": "ts"}
BUCKETS = {"index": "bucket", "buckets": 3}
GLOBAL = {"index": "global_simple"}
MANY, FEW = 40, 1
"""Numbers of partitions: with fewer than cores, tasks share partitions."""
WAYS = [(1, 1 << 40), (2, 1 << 40), (2, 1)]
"""Threads and bytes in memory; with one byte, every chunk is spilled."""


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch):
    monkeypatch.setattr(row_source, "CHUNK_ROWS", 100)


def rows(seed: int, count: int, partitions: int, keys: int = 400) -> pa.Table:
    rng = np.random.default_rng(seed)
    chosen = rng.integers(0, keys, count)
    columns = {"id": [f"k{n}" for n in chosen], "p": [f"p{n % partitions}" for n in chosen]}
    return pa.table(columns | {"ts": rng.integers(0, 1000, count), "v": rng.integers(0, 10**9, count)})


def write(table, path, options, threads=2, memory=1 << 40):
    return run_job(ArrowBatch(table, 2, threads, memory), path, options, "append", LocalEngine(), no_progress)


def merged(*tables: pa.Table) -> dict[str, tuple]:
    """Return the row of each key with the greatest ordering value; a tie goes to the later row."""
    model: dict[str, tuple] = {}
    for row in (row for table in tables for row in table.to_pylist()):
        if row["id"] not in model or row["ts"] >= model[row["id"]][1]:
            model[row["id"]] = (row["p"], row["ts"], row["v"])
    return model


def stored(path) -> dict[str, tuple]:
    read = hoodoo.Table(path).to_arrow(["id", "p", "ts", "v"]).to_pylist()
    found = {row["id"]: (row["p"], row["ts"], row["v"]) for row in read}
    assert len(found) == len(read)
    return found


@pytest.mark.each_value
@pytest.mark.parametrize(("threads", "memory"), WAYS)
@pytest.mark.parametrize("kind", [{}, {"table_type": "MERGE_ON_READ"}], ids=["cow", "mor"])
@pytest.mark.parametrize("partitions", [MANY, FEW])
@pytest.mark.parametrize("index", [{}, BUCKETS, GLOBAL], ids=["simple", "bucket", "global"])
def test_upserts_have_the_rows_of_the_model(tmp_path, threads, memory, kind, partitions, index):
    options = OPTIONS | kind | index
    first, second = rows(1, 700, partitions), rows(2, 500, partitions, keys=600)

    one = write(first, tmp_path / "t", options, threads, memory)
    two = write(second, tmp_path / "t", options, threads, memory)

    assert stored(tmp_path / "t") == merged(first, second)
    known = set(first["id"].to_pylist())
    incoming = set(second["id"].to_pylist())
    assert (one.rows_inserted, one.rows_updated) == (len(known), 0)
    assert two.rows_inserted == len(incoming - known) or "table_type" in kind


@pytest.mark.slow
@pytest.mark.parametrize(("threads", "memory"), WAYS)
def test_rows_that_move_to_another_partition_with_a_global_index(tmp_path, threads, memory):
    options = OPTIONS | GLOBAL
    first = rows(1, 300, MANY)
    moved = first.set_column(1, "p", pa.array(["new"] * 300)).set_column(2, "ts", pa.array([2000] * 300))

    write(first, tmp_path / "t", options, threads, memory)
    write(moved, tmp_path / "t", options, threads, memory)

    assert {part for part, _, _ in stored(tmp_path / "t").values()} == {"new"}
    assert stored(tmp_path / "t") == merged(first, moved)


@pytest.mark.parametrize(("threads", "memory"), WAYS)
def test_a_bulk_insert_has_every_row(tmp_path, threads, memory):
    given = rows(1, 900, MANY)

    commit = write(given, tmp_path / "t", OPTIONS | {"operation": "bulk_insert"}, threads, memory)

    read = hoodoo.Table(tmp_path / "t").to_arrow(given.column_names)
    order = [(name, "ascending") for name in given.column_names]
    assert read.sort_by(order).to_pylist() == given.sort_by(order).to_pylist()
    assert commit.rows_inserted == 900
    numbers = hoodoo.Table(tmp_path / "t").to_arrow(["_hoodie_commit_seqno"])["_hoodie_commit_seqno"]
    assert len(numbers.unique()) == 900


@pytest.mark.parametrize("arrival", ["content", "v"])
def test_the_order_of_arrival_does_not_depend_on_the_order_of_the_rows(tmp_path, arrival):
    given = rows(1, 400, FEW, keys=50).set_column(2, "ts", pa.array([1] * 400))
    shuffled = given.take(np.random.default_rng(9).permutation(400))

    write(given, tmp_path / "a", OPTIONS | {"arrival": arrival})
    write(shuffled, tmp_path / "b", OPTIONS | {"arrival": arrival})

    assert stored(tmp_path / "a") == stored(tmp_path / "b")


@pytest.mark.slow
def test_compaction_runs_inline(tmp_path):
    options = OPTIONS | BUCKETS | {"table_type": "MERGE_ON_READ"}
    options |= {"compact_inline": True, "compact_after_commits": 2}
    tables = [rows(seed, 300, MANY) for seed in range(3)]

    for table in tables:
        write(table, tmp_path / "t", options)

    actions = [instant.action for instant in hoodoo.Table(tmp_path / "t").timeline.commits]
    assert "commit" in actions
    assert "deltacommit" in actions
    assert stored(tmp_path / "t") == merged(*tables)


def test_an_empty_batch_is_a_commit_without_rows(tmp_path):
    write(rows(1, 10, FEW), tmp_path / "t", OPTIONS)
    commit = write(rows(1, 10, FEW)[:0], tmp_path / "t", OPTIONS)

    assert (commit.rows_inserted, commit.rows_updated) == (0, 0)
    assert len(hoodoo.Table(tmp_path / "t").timeline.commits) == 2


@pytest.mark.parametrize("threads", [1, 2])
def test_an_error_in_a_late_chunk_leaves_the_table_as_before(tmp_path, threads):
    given = rows(1, 500, MANY)
    write(given, tmp_path / "t", OPTIONS)
    before = stored(tmp_path / "t")
    bad = rows(2, 500, MANY)
    keys = bad["id"].to_pylist()
    keys[450] = None

    with pytest.raises(DataError, match="id"):
        write(bad.set_column(0, "id", pa.array(keys)), tmp_path / "t", OPTIONS, threads)

    assert stored(tmp_path / "t") == before
    assert len(hoodoo.Table(tmp_path / "t").timeline.commits) == 1


def test_an_error_of_the_reader_leaves_no_table(tmp_path):
    table = rows(1, 500, MANY)

    def broken():
        yield from table.to_batches(max_chunksize=100)[:3]
        raise OSError("connection lost")

    with pytest.raises(OSError, match="connection lost"):
        write(RowSource(table.schema, broken), tmp_path / "t", OPTIONS)
    assert not (tmp_path / "t" / ".hoodie").exists()


def test_a_conflict_is_raised_and_a_table_can_be_written_again(tmp_path):
    first, late = rows(1, 300, FEW), rows(2, 300, FEW)
    write(first, tmp_path / "t", OPTIONS)

    def slow():
        yield from late.to_batches(max_chunksize=100)
        write(first, tmp_path / "t", OPTIONS)

    with pytest.raises(CommitConflict):
        write(RowSource(late.schema, slow), tmp_path / "t", OPTIONS)
    assert stored(tmp_path / "t") == merged(first, first)

    write(late, tmp_path / "t", OPTIONS)
    assert stored(tmp_path / "t") == merged(first, first, late)


def test_a_reader_is_read_once_even_if_the_write_conflicts(tmp_path):
    first, late = rows(1, 300, FEW), rows(2, 300, FEW)
    write(first, tmp_path / "t", OPTIONS)

    def slow():
        yield from late.to_batches()
        write(first, tmp_path / "t", OPTIONS)

    reader = pa.RecordBatchReader.from_batches(late.schema, slow())
    with pytest.raises(CommitConflict):
        hoodoo.write(reader, tmp_path / "t", OPTIONS)
    with pytest.raises(DataError, match="make a new reader"):
        hoodoo.write(reader, tmp_path / "t", OPTIONS)
    assert stored(tmp_path / "t") == merged(first)


def test_a_reader_is_not_read_if_the_write_was_committed_before(tmp_path):
    table = rows(1, 300, FEW)
    first = hoodoo.write(table, tmp_path / "t", OPTIONS | {"write_id": "job 7"})
    reader = table.to_reader()

    assert hoodoo.write(reader, tmp_path / "t", OPTIONS | {"write_id": "job 7"}).instant == first.instant
    assert reader.read_all().num_rows == 300


def test_the_limit_of_memory_is_an_option(tmp_path, monkeypatch):
    spilled = []
    real = batch.Shuffle
    monkeypatch.setattr(batch, "Shuffle", lambda folder, memory: spilled.append(memory) or real(folder, memory))

    hoodoo.write(rows(1, 300, MANY), tmp_path / "t", OPTIONS | {"batch_memory": "5000"})

    assert spilled == [2500, 2500]  # one half for each of two shuffles
    assert stored(tmp_path / "t") == merged(rows(1, 300, MANY))


def test_temporary_files_are_removed(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)

    write(rows(1, 300, MANY), tmp_path / "t", OPTIONS, memory=1)

    assert [path.name for path in tmp_path.iterdir()] == ["t"]


def test_tasks_run_in_threads_of_this_process(tmp_path, monkeypatch):
    seen = set()
    real = batch.MergeTask.__call__
    monkeypatch.setattr(
        batch.MergeTask, "__call__", lambda task, rows: seen.add(threading.current_thread().name) or real(task, rows)
    )

    write(rows(1, 300, MANY), tmp_path / "t", OPTIONS)

    assert all(name.startswith("hoodoo") for name in seen)
