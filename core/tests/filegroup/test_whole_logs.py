"""Reading of logs in a remote store: one read of each small log."""

from __future__ import annotations

from collections import Counter

import pyarrow as pa
import pytest
from attrs import field, frozen

from hoodoo import Table
from hoodoo.filegroup import whole_logs
from hoodoo.filegroup.whole_logs import with_whole_logs
from hoodoo.storage import Missing, ReadOnlyStorage, name_of, storage_for
from hoodoo.testing.engine import write_arrow

OPTIONS = {"table_name": "t", "record_key": "id", "ordering": "n", "table_type": "MERGE_ON_READ", "table_version": 9}


@frozen
class Remote(ReadOnlyStorage):
    """Storage that counts its reads; a storage other than a local one counts as remote."""

    reads: Counter[tuple[str, str]] = field(factory=Counter)

    def read(self, path: str) -> bytes:
        self.reads["read", name_of(path)] += 1
        return self.base.read(path)

    def open_input(self, path: str) -> pa.NativeFile:
        self.reads["open", name_of(path)] += 1
        return self.base.open_input(path)


@pytest.fixture
def local(tmp_path):
    """Return the storage of a table with one file slice, which has two logs."""
    for number in range(3):
        rows = pa.table({"id": [1, 2, 3], "n": [number] * 3})
        write_arrow(rows, tmp_path / "t", {**OPTIONS, "compact_inline": False})
    return storage_for(tmp_path / "t")


@pytest.fixture
def file_slice(local):
    [found] = Table(local.uri).file_slices()
    return found


def sizes(file_slice):
    return {log.path: log.size for log in file_slice.logs}


def test_each_small_log_is_read_once(local, file_slice):
    remote = Remote(local)
    logs = with_whole_logs(remote, sizes(file_slice))
    for _ in range(3):
        for log in file_slice.logs:
            assert logs.open_input(log.path).read() == local.read(log.path)
    assert remote.reads == {("read", name_of(log.path)): 1 for log in file_slice.logs}
    assert len(file_slice.logs) == 2


def test_large_logs_and_other_files_are_read_in_parts(local, file_slice, monkeypatch):
    remote = Remote(local)
    first, second = file_slice.logs
    for largest, most in ((first.size - 1, 10**9), (10**9, first.size - 1)):
        monkeypatch.setattr(whole_logs, "_LARGEST", largest)
        monkeypatch.setattr(whole_logs, "_MOST", most)
        with_whole_logs(remote, {first.path: first.size}).open_input(first.path)
    monkeypatch.setattr(whole_logs, "_LARGEST", 10**9)
    monkeypatch.setattr(whole_logs, "_MOST", first.size + second.size - 1)
    logs = with_whole_logs(remote, sizes(file_slice))
    for path in (first.path, second.path, file_slice.path):
        logs.open_input(path)
    names = [name_of(path) for path in (first.path, second.path, file_slice.path)]
    assert remote.reads == {
        ("open", names[0]): 2,
        ("read", names[0]): 1,
        ("open", names[1]): 1,
        ("open", names[2]): 1,
    }


def test_a_local_storage_is_returned_itself(local, file_slice):
    assert with_whole_logs(local, sizes(file_slice)) is local


def test_a_missing_log_is_missing(local):
    remote = Remote(local)
    with pytest.raises(Missing):
        with_whole_logs(remote, {"none.log": 5}).open_input("none.log")
