"""A Spark Connect session writes and reads like a classic one. It needs a separate process."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hoodoo.spark.pyspark_version import DATA_SOURCES

pytest.importorskip("grpc", reason="Spark Connect needs the extra pyspark[connect]")

pytestmark = pytest.mark.spark

COMMON = {"table_name": "t", "record_key": "id", "partition_by": "part", "ordering": "ts"}
INDEXES = {"bucket": {"index": "bucket", "buckets": 2}, "simple": {"index": "simple"}}


@pytest.mark.representatives(index=["simple"])
@pytest.mark.parametrize("index", INDEXES)
@pytest.mark.usefixtures("connect_port")
def test_upserts_reads_errors_and_deletes_over_connect(
    index: str, run_script: Callable[..., dict[str, Any]], tmp_path: Path
) -> None:
    tables = {str(tmp_path / index): COMMON | INDEXES[index]}
    seen = run_script("connect_job.py", json.dumps(tables))
    assert set(seen) == set(tables)
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


@pytest.mark.usefixtures("connect_port")
def test_the_lines_of_a_job_for_hudi_run_over_connect(
    run_script: Callable[..., dict[str, Any]], tmp_path: Path
) -> None:
    facts = run_script("enabled_connect_job.py", tmp_path)
    assert facts["read"] == [["a", 1], ["b", 2]]
    assert facts["files"] == ["a", "b"]
    assert facts["fields"] == "part"
    # `spark.table` and `spark.read.table`
    assert facts["named"] == [["a", "b"], ["a", "b"]]
    # two queries with a checkpoint each wrote both rows; the repeated batch of the first one wrote nothing
    assert facts["stream"] == [["a", 1], ["a", 1], ["b", 2], ["b", 2]]
    assert facts["copied v long"] == facts["copied v short"] == [["a", 1], ["b", 2]]
    assert facts["restored"] is True
    assert "disabled" in facts


@pytest.mark.nightly
@pytest.mark.usefixtures("connect_port")
def test_statements_run_over_connect(run_script: Callable[..., dict[str, Any]], tmp_path: Path) -> None:
    facts = run_script("connect_statements_job.py", tmp_path)
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
