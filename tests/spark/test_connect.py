"""A Spark Connect session writes and reads as a classic one does. It needs a process of its own."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("grpc", reason="Spark Connect needs the extra pyspark[connect]")

pytestmark = pytest.mark.spark

COMMON = {"table_name": "t", "record_key": "id", "partition_by": "part", "ordering": "ts"}
INDEXES = [{"index": "bucket", "buckets": 2}, {"index": "simple"}]


@pytest.mark.parametrize("index", INDEXES, ids=lambda index: index["index"])
def test_write_read_and_error_over_connect(
    run_script: Callable[..., dict[str, Any]], tmp_path: Path, index: dict[str, Any]
) -> None:
    facts = run_script("connect_job.py", tmp_path / "table", json.dumps(COMMON | index))
    assert facts["session"].startswith("pyspark.sql.connect.")
    assert facts["written"] == [[3, 0], [1, 1]]
    expected = [
        {"id": "a", "part": "x", "ts": 2, "v": {"a": 2, "b": "2"}, "t": None},
        {"id": "b", "part": "x", "ts": 5, "v": None, "t": None},
        {"id": "c", "part": "y", "ts": 3, "v": {"a": 3, "b": "3"}, "t": None},
        {"id": "d", "part": "z", "ts": 1, "v": {"a": 4, "b": "4"}, "t": None},
    ]
    assert facts["read"] == expected
    assert facts["format"] == [{name: row[name] for name in ("id", "ts", "v")} for row in expected]
    assert facts["before"] == [{"id": "a", "ts": 1}, {"id": "b", "ts": 5}, {"id": "c", "ts": 3}]
    kind, _, message = facts["error"]
    assert kind == "DataError"
    assert "id" in message
    assert facts["after_error"] == expected
