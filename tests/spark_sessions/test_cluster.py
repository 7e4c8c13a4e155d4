"""Executors that die during a write: Spark's retry completes the write, or nothing of it remains."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

import hoodoo
from tests.support.installed import write_distribution

pytestmark = [
    pytest.mark.spark,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="finds the executor under /proc"),
]

JOBS = Path(__file__).parent / "jobs"
OPTIONS = {"table_name": "t", "record_key": "key", "partition_by": "part", "merger": "deadly"}
TABLES = {
    "bucket": OPTIONS | {"index": "bucket", "buckets": 2},
    # no partition: tasks share it, and rows are shuffled twice
    "shared": {k: v for k, v in OPTIONS.items() if k != "partition_by"} | {"index": "simple"},
}


@pytest.fixture
def deadly_merger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Install the merger as a distribution on the path of the script and of its executors."""
    site = tmp_path / "site"
    source = (JOBS / "deadly_merger.py").read_text()
    write_distribution(site, "deadly", "deadly_merger", source, "[hoodoo.merger]\ndeadly = deadly_merger\n")
    monkeypatch.setenv("PYTHONPATH", str(site))


@pytest.mark.nightly
@pytest.mark.parametrize("table", TABLES)
@pytest.mark.usefixtures("deadly_merger")
def test_writes_survive_a_killed_executor_and_leave_nothing_where_they_cannot(
    run_script: Callable[..., dict[str, Any]], tmp_path: Path, table: str
) -> None:
    shots = tmp_path / "shots"
    shots.mkdir()
    tables = {str(tmp_path / table): TABLES[table]}
    facts = run_script("cluster_job.py", json.dumps(tables), shots)
    assert set(facts) == set(tables)
    for path, seen in facts.items():
        check_retry(path, seen)
        check_failure(path, seen)


def check_retry(path: str, seen: dict[str, Any]) -> None:
    """Check a write that lost an executor: each file group once, no other files, and the expected rows."""
    table = hoodoo.Table(path)
    [instant] = [i for i in table.timeline.commits if i.time == seen["lost_one"]]
    stats = list(table.timeline.commit_metadata(instant).stats())
    assert len({stat.file_id for stat in stats}) == len(stats)
    assert {stat.path for stat in stats} == of_instant(seen["left"], seen["lost_one"])
    lost = of_instant(seen["begun"], seen["lost_one"]) - {stat.path for stat in stats}
    assert lost, "the executor died before it had begun a file"
    expected = {f"k{n}": 2 if n >= 200 else 1 for n in range(600)}
    assert rows(path, seen["lost_one"]) == expected


def check_failure(path: str, seen: dict[str, Any]) -> None:
    """Check a write whose every attempt lost an executor: it left no file, and the next write succeeded."""
    assert "error" in seen, "the write succeeded although every attempt was killed"
    named = {
        stat.path
        for instant in hoodoo.Table(path).timeline.commits
        if instant.time < seen["next"]
        for stat in hoodoo.Table(path).timeline.commit_metadata(instant).stats()
    }
    assert set(seen["left"]) == named
    assert [instant.time for instant in hoodoo.Table(path).timeline.commits] == [
        seen["created"],
        seen["lost_one"],
        seen["next"],
    ]
    assert rows(path, seen["next"]) == {f"k{n}": 4 if n < 100 else 2 if n >= 200 else 1 for n in range(600)}


def of_instant(files: Iterable[str], instant: str) -> set[str]:
    """Return the base files that were written for an instant."""
    return {file for file in files if f"_{instant}" in file}


def rows(path: str, instant: str) -> dict[str, int]:
    """Return values by key as of an instant; a key that is stored twice is an error."""
    table = hoodoo.Table(path).to_arrow(["key", "v"], as_of=instant)
    found = dict(zip(table["key"].to_pylist(), table["v"].to_pylist(), strict=True))
    assert len(found) == table.num_rows
    return found
