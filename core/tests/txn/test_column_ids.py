"""Ids of columns in commits: later writes keep them, and a write that overlaps with a change of names conflicts."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pytest

import hoodoo
from hoodoo.errors import CommitConflict
from hoodoo.options import parse
from hoodoo.plugin import default_catalogue
from hoodoo.schema.column_ids import LATEST, ColumnsChange
from hoodoo.schema.evolution import changed_columns
from hoodoo.storage import storage_for
from hoodoo.testing.engine import ArrowBatch, write_arrow
from hoodoo.timeline import CommitMetadata
from hoodoo.txn import begin
from hoodoo.writing.prepare.prepare import GROUPS
from hoodoo.writing.write import write_batch

ROWS = pa.table({"id": ["a", "b"], "v": pa.array([1, 2], pa.int64())})
OPTIONS = {"table_name": "t", "record_key": "id"}


def change(path: Path, change: ColumnsChange) -> None:
    batch = ArrowBatch(changed_columns(hoodoo.Table(path).schema, change).empty_table())
    batch.marks = (change,)
    options = parse({"operation": "upsert"}, GROUPS)
    write_batch(batch, storage_for(path), options, "append", catalogue=default_catalogue())


def ids(path: Path) -> list[dict[str, int]]:
    """Return the ids of the data columns in each commit that has some."""
    timeline = hoodoo.Table(path).timeline
    texts = [timeline.commit_outline(instant).extra_metadata.get(LATEST) for instant in timeline.commits]
    return [{each["name"]: each["id"] for each in json.loads(text)["fields"][5:]} for text in texts if text]


def histories(path: Path) -> list[str]:
    return sorted(file.name.partition(".")[0] for file in (path / ".hoodie/.schema").iterdir())


def test_a_table_whose_columns_kept_their_names_has_no_ids(tmp_path: Path) -> None:
    path = tmp_path / "t"
    write_arrow(ROWS, path, OPTIONS)
    write_arrow(ROWS.append_column("w", [[1, 2]]), path, OPTIONS)
    assert ids(path) == []
    assert not (path / ".hoodie/.schema").exists()


def test_each_later_commit_has_ids_and_a_history(tmp_path: Path) -> None:
    path = tmp_path / "t"
    write_arrow(ROWS, path, OPTIONS)
    change(path, ColumnsChange({"v": "w"}))
    write_arrow(ROWS.append_column("w", pa.array([5, 6], pa.int64())), path, OPTIONS)
    write_arrow(ROWS.slice(0, 1).select(["id"]), path, {**OPTIONS, "operation": "delete"})
    write_arrow(ROWS.select(["id"]), path, {**OPTIONS, "operation": "insert_overwrite_table"})
    expected = {"id": 5, "w": 6}
    assert ids(path) == [expected, *[{**expected, "v": 7}] * 3]
    times = [instant.time for instant in hoodoo.Table(path).timeline.commits]
    assert histories(path) == times[1:]
    newest = json.loads((path / f".hoodie/.schema/{times[-1]}.schemacommit").read_bytes())
    assert [version["version_id"] for version in newest["schemas"]] == [int(times[2]), int(times[1]), 0]


def test_histories_of_archived_commits_are_removed(tmp_path: Path) -> None:
    path = tmp_path / "t"
    write_arrow(ROWS, path, OPTIONS)
    change(path, ColumnsChange({"v": "w"}))
    few = {"keep_min_commits": 2, "keep_max_commits": 3, "commits_retained": 1}
    for number in range(5):
        write_arrow(pa.table({"id": ["c"], "w": pa.array([number], pa.int64())}), path, {**OPTIONS, **few})
    table = hoodoo.Table(path)
    first = table.timeline.first_time
    assert first is not None
    assert min(histories(path)) >= first
    assert sorted(row["w"] for row in table.to_arrow(["w"]).to_pylist()) == [1, 2, 4]


def test_a_write_that_did_not_see_other_names_is_a_conflict(tmp_path: Path) -> None:
    path = tmp_path / "t"
    write_arrow(ROWS, path, OPTIONS)
    storage, timeline = storage_for(path), hoodoo.Table(path).timeline
    late = begin(storage, timeline, "commit", "UPSERT")
    change(path, ColumnsChange({"v": "w"}))
    with pytest.raises(CommitConflict, match="changed the names or the ids of columns"):
        late.commit(CommitMetadata("UPSERT", {}, {"schema": "{}"}))
    assert hoodoo.Table(path).schema.names == ["id", "w"]


def test_null_is_permitted_without_ids(tmp_path: Path) -> None:
    path = tmp_path / "t"
    schema = pa.schema([("id", pa.string()), pa.field("v", pa.int64(), nullable=False)])
    write_arrow(ROWS.cast(schema), path, OPTIONS)
    assert not hoodoo.Table(path).schema.field("v").nullable
    change(path, ColumnsChange(nullable=["v"]))
    write_arrow(pa.table({"id": ["b", "c"], "v": pa.array([None, 3], pa.int64())}), path, OPTIONS)
    assert sorted(hoodoo.Table(path).to_arrow(["id", "v"]).to_pylist(), key=str) == [
        {"id": "a", "v": 1},
        {"id": "b", "v": None},
        {"id": "c", "v": 3},
    ]
    assert ids(path) == []


def test_a_moved_column_keeps_its_id(tmp_path: Path) -> None:
    path = tmp_path / "t"
    write_arrow(ROWS, path, OPTIONS)
    change(path, ColumnsChange(added={"w": pa.field("w", pa.int64())}, placed={"v": "", "w": "v"}))
    assert hoodoo.Table(path).schema.names == ["v", "w", "id"]
    assert ids(path) == [{"v": 6, "w": 7, "id": 5}]
    assert hoodoo.Table(path).to_arrow(["v"]).num_rows == 2
