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
