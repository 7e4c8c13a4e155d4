"""An emptied log is damage, also if an archived commit wrote it."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

import hoodoo
from hoodoo.errors import CorruptTableError
from hoodoo.reading.slice.log_corruption import SkippedCorruption
from hoodoo.testing.engine import write_arrow

ARCHIVING = {"commits_retained": 1, "keep_min_commits": 2, "keep_max_commits": 3}


def rows(value: int, *keys: str) -> pa.Table:
    return pa.table({"id": list(keys), "v": pa.array([value] * len(keys), pa.int64())})


@pytest.mark.parametrize("version", [6, 9])
def test_an_emptied_log_of_an_archived_commit(version: int, tmp_path: Path) -> None:
    options = {"table_name": "t", "record_key": "id", "merger": "commit-time", "table_type": "merge-on-read"}
    options |= {"table_version": version, "compact_inline": False}
    write_arrow(rows(1, "a", "b"), tmp_path, options)
    write_arrow(rows(1, "a"), tmp_path, {**options, "operation": "delete"})
    [log] = tmp_path.glob(".*.log.*")
    for value in range(2, 6):
        write_arrow(rows(value, "b"), tmp_path, {**options, **ARCHIVING})
    commits = hoodoo.Table(tmp_path).timeline.commits
    assert len(commits) <= 3, "the delete is archived"
    assert hoodoo.Table(tmp_path).to_arrow().column("id").to_pylist() == ["b"]
    log.write_bytes(b"")
    with pytest.raises(CorruptTableError, match="is empty, but an archived commit wrote to it"):
        hoodoo.Table(tmp_path).to_arrow()
    with pytest.warns(SkippedCorruption, match="on_corrupt is 'skip'"):
        assert hoodoo.Table(tmp_path).to_arrow(on_corrupt="skip").num_rows == 2
