"""The id of a write is found in the archive, whose files with instants are read once."""

from __future__ import annotations

import pyarrow as pa
import pytest
from attrs import define, field

import hoodoo
from hoodoo.archived_timeline import Archive
from hoodoo.archived_timeline.extra_metadata import find_by_extra
from hoodoo.errors import CorruptTableError
from hoodoo.storage import LocalStorage
from hoodoo.testing.engine import write_arrow
from hoodoo.timeline import Timeline
from hoodoo.txn import WRITE_ID_KEY, find_archived, find_committed

WRITES = 14
OPTIONS = {
    "table_name": "t",
    "record_key": "id",
    "keep_min_commits": 3,
    "keep_max_commits": 4,
    "commits_retained": 1,
}


@define
class Counting:
    """A storage that counts the calls for each file that read its content or return its size."""

    inner: LocalStorage
    opened: dict[str, int] = field(factory=dict)

    def __getattr__(self, name):
        method = getattr(self.inner, name)
        if name not in ("read", "read_range", "open_input", "size"):
            return method

        def counted(path, *arguments):
            self.opened[path] = self.opened.get(path, 0) + 1
            return method(path, *arguments)

        return counted


@pytest.fixture(params=[6, 9])
def history(request, tmp_path):
    """Write a table whose first commits are archived, and return its path and the instants by write id."""
    path, instants = str(tmp_path / "t"), {}
    for number in range(WRITES):
        commit = append(path, number, table_version=request.param)
        instants[f"write-{number}"] = commit.instant
    return path, instants


def append(path, number, **options):
    rows = pa.table({"id": [f"k{number}"], "v": [number]})
    return write_arrow(rows, path, {**OPTIONS, "operation": "insert", "write_id": f"write-{number}", **options})


def values(path):
    return sorted(hoodoo.Table(path).to_arrow(["v"])["v"].to_pylist())


def test_each_archived_write_is_found_by_its_id(history):
    path, instants = history
    timeline = hoodoo.Table(path).timeline
    archived = {write_id for write_id in instants if find_committed(timeline, write_id) is None}
    assert len(archived) >= WRITES - 5
    found = {write_id: find_archived(timeline, write_id) for write_id in archived}
    assert {write_id: instant.time for write_id, instant in found.items()} == {i: instants[i] for i in archived}
    assert find_archived(timeline, "write-99") is None


def test_a_repeated_write_writes_nothing_after_its_commit_was_archived(history):
    path, instants = history
    before = values(path)
    again = append(path, 0)
    assert again.instant == instants["write-0"]
    assert again.rows_inserted == 1
    assert values(path) == before == list(range(WRITES))


def test_a_file_of_the_archive_is_read_once(history, monkeypatch):
    path, _ = history
    # the writes of this process searched it too
    monkeypatch.setattr("hoodoo.archived_timeline.extra_metadata._known", {})
    timeline = hoodoo.Table(path).timeline
    storage = Counting(timeline.storage)

    def search(write_id):
        return find_by_extra(storage, timeline.layout, timeline.archive_folder, WRITE_ID_KEY, write_id)

    assert search("none") is None
    first = dict(storage.opened)
    assert first
    assert search("write-0") is not None
    # the list of valid files is read each time
    data = {path for path in first if "manifest" not in path and not path.endswith("_version_")}
    assert data
    assert {path: storage.opened[path] for path in data} == {path: first[path] for path in data}


def test_another_key_and_a_table_without_an_archive(history, tmp_path):
    path, _ = history
    timeline = hoodoo.Table(path).timeline
    assert find_by_extra(timeline.storage, timeline.layout, timeline.archive_folder, "schema.x", "write-0") is None
    empty = LocalStorage(str(tmp_path / "empty"))
    assert Archive(Timeline.load(empty, timeline.layout)).find_by_extra(WRITE_ID_KEY, "write-0") is None


def test_a_missing_file_of_the_archive_is_an_error_with_its_name(history):
    path, _ = history
    timeline = hoodoo.Table(path).timeline
    if timeline.layout == 1:
        pytest.skip("no list of the files exists in layout 1")
    storage = timeline.storage
    [gone, *_] = [info.path for info in storage.list(timeline.archive_folder) if info.path.endswith(".parquet")]
    storage.delete(gone)
    with pytest.raises(CorruptTableError) as error:
        find_by_extra(storage, 2, timeline.archive_folder, WRITE_ID_KEY, "none")
    assert gone in str(error.value)
