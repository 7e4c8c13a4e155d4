"""A Spark Connect session writes and reads like a classic one. Each test runs its jobs in a separate process."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hoodoo.spark.pyspark_version import DATA_SOURCES

pytest.importorskip("grpc", reason="Spark Connect needs the extra pyspark[connect]")

pytestmark = pytest.mark.spark

COMMON = {"table_name": "t", "record_key": "id", "partition_by": "part", "ordering": "ts"}
INDEXES = {
    "bucket": {"index": "bucket", "buckets": 2},
    "simple": {"index": "simple"},
    "record": {"index": "record", "hoodie.metadata.enable": True, "hoodie.metadata.record.index.enable": True},
}

Facts = dict[str, Any]


@pytest.fixture(scope="module")
def run_jobs(run_script: Callable[..., Facts], hold_connect_port: Callable[[], Any]) -> Callable[..., Facts]:
    """Return a function that runs jobs, given by name with their arguments, in one session and returns their facts."""

    def run(**jobs: Any) -> Facts:
        with hold_connect_port():
            return run_script("connect_jobs.py", json.dumps(jobs))

    return run


def tables(folder: Path, index: str) -> dict[str, dict[str, Any]]:
    """Return the options of a table with an index, by the path of the table."""
    return {str(folder / index): COMMON | INDEXES[index]}


@pytest.mark.nightly
@pytest.mark.parametrize("index", INDEXES)
def test_upserts_reads_errors_and_deletes_over_connect(
    index: str, run_jobs: Callable[..., Facts], tmp_path: Path
) -> None:
    seen = run_jobs(connect_job=tables(tmp_path, index))["connect_job"]
    assert [Path(path).name for path in seen] == [index]
    assert (tmp_path / index / ".hoodie/metadata/record_index").is_dir() == (index == "record")
    expected = [
        {"id": "a", "part": "x", "ts": 2, "v": {"a": 2, "b": "2"}},
        {"id": "b", "part": "x", "ts": 5, "v": None},
        {"id": "c", "part": "y", "ts": 3, "v": {"a": 3, "b": "3"}},
        {"id": "d", "part": "z", "ts": 1, "v": {"a": 4, "b": "4"}},
    ]
    for facts in seen.values():
        assert facts["session"].startswith("pyspark.sql.connect.")
        assert facts["written"] == [[3, 0], [1, 1]]
        assert facts["read"] == expected
        if DATA_SOURCES.is_available():
            assert facts["format"] == [{name: row[name] for name in ("id", "ts", "v")} for row in expected]
        assert facts["before"] == [{"id": "a", "ts": 1}, {"id": "b", "ts": 5}, {"id": "c", "ts": 3}]
        assert facts["error"]["code"] == "key_null_or_empty"
        assert "'id'" in facts["error"]["message"]
        assert facts["after_error"] == expected
        assert facts["deleted"] == 1


@pytest.mark.nightly  # forty seconds
def test_the_lines_of_a_job_for_hudi_run_over_connect(run_jobs: Callable[..., Facts], tmp_path: Path) -> None:
    seen = run_jobs(enabled_connect_job=str(tmp_path))["enabled_connect_job"]
    assert seen["read"] == [["a", 1], ["b", 2]]
    assert seen["files"] == ["a", "b"]
    assert seen["fields"] == "part"
    # `spark.table` and `spark.read.table`
    assert seen["named"] == [["a", "b"], ["a", "b"]]
    # two queries with a checkpoint each wrote both rows; the repeated batch of the first one wrote nothing
    assert seen["stream"] == [["a", 1], ["a", 1], ["b", 2], ["b", 2]]
    assert seen["copied v long"] == seen["copied v short"] == [["a", 1], ["b", 2]]
    assert seen["restored"] is True
    assert "disabled" in seen


@pytest.mark.nightly
def test_reads_over_connect(run_jobs: Callable[..., Facts], tmp_path: Path) -> None:
    seen = dict(run_jobs(connect_read_job=str(tmp_path))["connect_read_job"])
    assert seen.pop("session").startswith("pyspark.sql.connect.")
    before, after, plan = seen.pop("before"), seen.pop("after"), seen.pop("plan")
    # the plan states why workers read the rows
    assert re.search(r"hoodoo Python workers \[\d+ file slices with changes of rows\]", plan), plan
    counts = {name: len(by_spark) for name, (by_spark, _) in seen.items()}
    of_logs = {"logs": 4, "changes in logs": 4, "read optimized": 4, "changes": 6}
    assert counts == {"many": 400, "as of": 400, "incremental": 8, **of_logs}
    for name, (by_spark, by_arrow) in seen.items():
        assert by_spark == by_arrow, name
    # each query lists the folders again, and must report a missing file
    assert before == 400
    assert "is missing; if a cleaner removed it during the query, read again, or else restore the file" in after


@pytest.mark.nightly
def test_statements_run_over_connect(run_jobs: Callable[..., Facts], tmp_path: Path) -> None:
    facts = run_jobs(connect_statements_job=str(tmp_path))["connect_statements_job"]
    assert facts["session"].startswith("pyspark.sql.connect.")
    for kind in ("cow", "mor"):
        seen = facts[kind]
        assert seen["inserted"] == 3
        # the change of key 3 is older than its stored row
        assert seen["merged"] == [1, 1, 0, 1]
        assert seen["after merge"] == [
            [1, "am", 1.5, 6, "x"],
            [2, "b", 2.5, 5, "x"],
            [3, "c", 3.5, 5, "y"],
            [4, "n", 4.5, 1, "z"],
        ]
        assert seen["sql"] == [1, 0, 1, 0]
        assert [row[:2] for row in seen["after sql"]] == [[1, "am"], [3, "c"], [4, "n"], [5, "I"]]
        assert seen["updated"] == 1
        assert seen["explained"] is True
        assert seen["enabled"] == [[1, "AM", 1.5], [3, "C", 3.5], [4, "N", 9.0]]
    expected = {
        "column": ("StatementError", "'nothing'"),
        "key": ("StatementError", "record key column"),
        "condition": ("StatementError", "record key column 'id'"),
        "function": ("StatementError", "another value when a task is repeated"),
        "twice": ("DataError", "1"),
        "value": ("DataError", "no value"),
        "syntax": ("StatementError", "WHEN"),
    }
    assert set(facts["errors"]) == set(expected)
    for name, (kind, message) in expected.items():
        found, text, unchanged = facts["errors"][name]
        assert (found, unchanged) == (kind, True)
        assert message in text
