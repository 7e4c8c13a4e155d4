"""Streaming writes: each micro-batch is committed once, also after repetitions.

The rows are those of files that the tests write; a batch that is written twice doubles them, because the operation is
`insert`.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, SparkSession

import hoodoo
from hoodoo.errors import OptionError, UnknownOption

JOBS = Path(__file__).parent / "jobs"
OPTIONS = {
    "table_name": "events",
    "record_key": "id",
    "partition_by": "part",
    "operation": "insert",
    "keep_min_commits": "2",
    "keep_max_commits": "3",
    "commits_retained": "1",
}
ROWS = 3
"""Rows of a file."""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "source"
    folder.mkdir()
    return folder


def add_files(source: Path, numbers: range) -> None:
    """Write a file of rows for each number; Spark takes files in the order of their modification times."""
    for number in numbers:
        rows = [{"id": f"{number}-{row}", "part": f"p{row % 2}", "file": number} for row in range(ROWS)]
        file = source / f"{number:03}.json"
        file.write_text("\n".join(map(json.dumps, rows)))
        os.utime(file, (1_700_000_000 + number, 1_700_000_000 + number))


def expected(numbers: range) -> list[str]:
    return sorted(f"{number}-{row}" for number in numbers for row in range(ROWS))


def stored(path: Path) -> list[str]:
    return sorted(hoodoo.Table(path).to_arrow(["id"])["id"].to_pylist())


def stream(spark: SparkSession, source: Path) -> DataFrame:
    read = spark.readStream.schema("id string, part string, file int").option("maxFilesPerTrigger", 1)
    return read.json(str(source))


def run(spark: SparkSession, source: Path, checkpoint: Path, path: Path, **options: Any) -> None:
    writer = stream(spark, source).writeStream.option("checkpointLocation", str(checkpoint))
    write = hoodoo.foreach_batch(path, {**OPTIONS, **options})
    writer.trigger(availableNow=True).foreachBatch(write).start().awaitTermination()


@pytest.mark.nightly
@pytest.mark.parametrize("version", [6, 9])
def test_a_replay_from_an_old_checkpoint_writes_nothing_twice(
    spark: SparkSession, tmp_path: Path, source: Path, version: int
) -> None:
    """The replayed batches are those of active and of archived commits; the last ones are new."""
    checkpoint, old, path = tmp_path / "checkpoint", tmp_path / "old", tmp_path / "table"
    add_files(source, range(2))
    run(spark, source, checkpoint, path, table_version=version)
    shutil.copytree(checkpoint, old)
    # as if the driver had died before it recorded the end of batch 1
    (old / "commits/1").unlink()
    (old / "commits/.1.crc").unlink()
    add_files(source, range(2, 8))
    run(spark, source, checkpoint, path)
    assert stored(path) == expected(range(8))
    before = hoodoo.Table(path)
    instants = [commit.instant for commit in before.history()]
    assert len(before.timeline.commits) < 8

    add_files(source, range(8, 10))
    run(spark, source, old, path)
    assert stored(path) == expected(range(10))
    new = [commit.instant for commit in hoodoo.Table(path).history() if commit.instant > max(instants)]
    assert len(new) == 2


def test_the_enabled_format_restarts_from_its_checkpoint(spark: SparkSession, tmp_path: Path, source: Path) -> None:
    path, checkpoint = tmp_path / "table", tmp_path / "checkpoint"
    hoodoo.enable(spark)
    try:
        for numbers in (range(2), range(2, 3)):
            add_files(source, numbers)
            writer = stream(spark, source).writeStream.format("hudi").outputMode("append").queryName("events")
            options = {key: value for key, value in OPTIONS.items() if key != "partition_by"}
            writer = writer.partitionBy("part").options(**options).option("checkpointLocation", str(checkpoint))
            query = writer.trigger(availableNow=True).start(str(path))
            query.awaitTermination()
            assert query.name == "events"
        other = stream(spark, source).writeStream.format("memory").queryName("plain").trigger(availableNow=True)
        other.start().awaitTermination()
    finally:
        hoodoo.disable(spark)
    assert stored(path) == expected(range(3))
    assert hoodoo.Table(path).properties["hoodie.table.partition.fields"] == "part"
    # each file is a separate batch
    assert len(hoodoo.Table(path).history()) == 3
    assert spark.table("plain").count() == ROWS * 3


@pytest.mark.nightly
def test_a_complete_result_takes_the_place_of_the_last_one(spark: SparkSession, tmp_path: Path, source: Path) -> None:
    path = tmp_path / "table"
    add_files(source, range(2))
    hoodoo.enable(spark)
    # Spark keeps the state of a count in so many files
    spark.conf.set("spark.sql.shuffle.partitions", "2")
    try:
        counts = stream(spark, source).groupBy("part").count()
        writer = counts.writeStream.format("hoodoo").outputMode("complete").trigger(availableNow=True)
        writer = writer.options(table_name="counts", record_key="part", checkpointLocation=str(tmp_path / "c"))
        writer.start(str(path)).awaitTermination()
    finally:
        spark.conf.unset("spark.sql.shuffle.partitions")
        hoodoo.disable(spark)
    rows = hoodoo.Table(path).to_arrow(["part", "count"]).to_pylist()
    # rows 0 and 2 of each file are in partition p0
    assert sorted((row["part"], row["count"]) for row in rows) == [("p0", 4), ("p1", 2)]


def test_two_queries_with_one_table_are_distinguished(spark: SparkSession, tmp_path: Path, source: Path) -> None:
    """Both have a batch 0; a new checkpoint is another query."""
    path = tmp_path / "table"
    add_files(source, range(1))
    for checkpoint in ("one", "two"):
        run(spark, source, tmp_path / checkpoint, path)
    assert stored(path) == sorted(expected(range(1)) * 2)


def test_wrong_options_are_refused_before_the_query_starts(spark: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="'write_id' names one write"):
        hoodoo.foreach_batch(tmp_path / "t", {**OPTIONS, "WRITE_ID": "x"})
    with pytest.raises(UnknownOption, match="recrod_key"):
        hoodoo.foreach_batch(tmp_path / "t", {"recrod_key": "id"})
    with pytest.raises(OptionError, match="append or overwrite"):
        hoodoo.foreach_batch(tmp_path / "t", OPTIONS, "ignore")
    with pytest.raises(OptionError, match="was not called by a streaming query"):
        hoodoo.foreach_batch(tmp_path / "t", OPTIONS)(spark.range(1), 0)


def test_an_error_of_a_batch_ends_the_query(spark: SparkSession, tmp_path: Path, source: Path) -> None:
    add_files(source, range(1))
    with pytest.raises(StreamingQueryException) as caught:
        run(spark, source, tmp_path / "c", tmp_path / "t", record_key="nothing_like_it")

    first = str(caught.value).splitlines()[0]
    assert "hoodoo.errors." in first
    assert "nothing_like_it" in first, "the first line does not have the message"


@pytest.fixture
def job(tmp_path: Path, source: Path) -> Callable[[int | None], subprocess.CompletedProcess[str]]:
    """Return a function that runs the script of a stream in a process, which dies after a batch, or never for None."""

    def run_job(killed_after: int | None) -> subprocess.CompletedProcess[str]:
        environment = {k: v for k, v in os.environ.items() if k == "SPARK_SUBMIT_OPTS" or not k.startswith("SPARK_")}
        arguments = {
            "source": str(source),
            "checkpoint": str(tmp_path / "checkpoint"),
            "path": str(tmp_path / "table"),
            "options": OPTIONS,
            "killed_after": killed_after,
        }
        return subprocess.run(
            [sys.executable, str(JOBS / "stream_job.py"), json.dumps(arguments)],
            capture_output=True,
            text=True,
            timeout=300,
            env=environment,
        )

    return run_job


@pytest.mark.nightly
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="the driver is killed by a signal")
def test_a_driver_that_dies_between_commit_and_checkpoint_repeats_no_batch(
    job: Any, tmp_path: Path, source: Path
) -> None:
    add_files(source, range(4))
    for batch in (1, 2):
        done = job(batch)
        assert done.returncode == -signal.SIGKILL, done.stderr[-4000:]
        assert stored(tmp_path / "table") == expected(range(batch + 1))
        assert not (tmp_path / f"checkpoint/commits/{batch}").exists()
    add_files(source, range(4, 8))
    done = job(None)
    assert done.returncode == 0, done.stderr[-4000:]
    assert (tmp_path / "checkpoint/commits/7").exists()
    assert stored(tmp_path / "table") == expected(range(8))
    ids = json.loads(done.stdout.splitlines()[-1])
    # batch 2 was repeated, and its result is the commit of the killed driver
    assert [batch for batch, _ in ids] == list(range(2, 8))
    instants = [instant for _, instant in ids]
    assert len(set(instants)) == len(instants)
