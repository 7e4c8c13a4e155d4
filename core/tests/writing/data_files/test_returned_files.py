"""Data files that a task returns to the driver."""

from __future__ import annotations

import threading
import uuid

import pytest
from attrs import evolve

from hoodoo.errors import CommitError
from hoodoo.storage import storage_for
from hoodoo.txn import markers
from hoodoo.txn.markers import list_markers, open_markers
from hoodoo.writing.data_files.data_file import DataFile, ReturnedFile
from hoodoo.writing.data_files.returned_files import ReturnedFiles, returned_bytes, store_returned
from hoodoo.writing.file_status import FileStatus

pytest.importorskip("obstore")

INSTANT = "20260101000000000"
FILE = DataFile(INSTANT, "x/f.parquet", "CREATE", "x")
OTHER = DataFile(INSTANT, "x/g.parquet", "MERGE")


@pytest.fixture
def remote():
    return storage_for(f"memory://{uuid.uuid4().hex}/t")


@pytest.fixture
def short_wait(monkeypatch):
    """Let tasks wait for a moment only until their write is published."""
    wait = markers.wait_for_markers
    monkeypatch.setattr(
        "hoodoo.writing.data_files.returned_files.wait_for_markers", lambda *given: wait(*given, timeout=0.01)
    )


def write(files, file, *parts):
    """Write a file and return what `finish` returns."""
    files.begin(file)
    assert files.is_announced(file)
    output = files.open_output(file.path)
    for part in parts:
        output.write(part)
    assert output.tell() == sum(map(len, parts))
    output.close()
    files.sync(file.path)
    return files.finish(file)


def stored(storage):
    return sorted(info.path for info in storage.walk())


def test_small_files_are_returned_and_nothing_is_stored(remote):
    files = ReturnedFiles(remote, 10)
    assert write(files, FILE, b"123", b"45") == ReturnedFile(FILE, b"12345")
    assert write(files, OTHER, b"67890") == ReturnedFile(OTHER, b"67890")
    assert stored(remote) == []


def test_a_removed_file_is_not_returned_and_leaves_its_room(remote):
    files = ReturnedFiles(remote, 5)
    files.begin(FILE)
    with files.open_output(FILE.path) as output:
        output.write(b"12345")
    files.delete(FILE.path)
    assert files.finish(FILE) is None
    assert write(files, OTHER, b"67890") == ReturnedFile(OTHER, b"67890")
    assert stored(remote) == []


def test_a_file_without_room_is_stored_when_the_write_is_published(remote):
    files = ReturnedFiles(remote, 5)
    assert write(files, OTHER, b"1234") == ReturnedFile(OTHER, b"1234")
    publication = threading.Timer(0.2, open_markers, (remote, INSTANT, "test"))
    publication.start()
    assert write(files, FILE, b"5", b"67", b"89") is None
    publication.join()
    assert remote.read(FILE.path) == b"56789"
    assert list_markers(remote, INSTANT) == [(FILE.path, "CREATE")]
    assert remote.exists("x/.hoodie_partition_metadata")


def test_a_stored_file_is_removed_from_the_store(remote):
    files = ReturnedFiles(remote, 1)
    open_markers(remote, INSTANT, "test")
    files.begin(OTHER)
    with files.open_output(OTHER.path) as output:
        output.write(b"12345")
    assert remote.exists(OTHER.path)
    files.delete(OTHER.path)
    assert not remote.exists(OTHER.path)


def test_a_task_whose_driver_has_ended_stores_nothing(remote, short_wait):
    files = ReturnedFiles(remote, 1)
    with pytest.raises(CommitError, match=r"'x/f\.parquet' was not written: the writer of commit \d+ did not"):
        write(files, FILE, b"12345")
    assert stored(remote) == []


def test_a_file_that_cannot_be_stored_fails_once(remote, monkeypatch):
    """The writer of a base file writes a footer when it is aborted; the task does not wait a second time."""
    waits = []

    def failing(*given):
        waits.append(given)
        raise CommitError("not published")

    monkeypatch.setattr("hoodoo.writing.data_files.returned_files.wait_for_markers", failing)
    files = ReturnedFiles(remote, 1)
    files.begin(FILE)
    output = files.open_output(FILE.path)
    with pytest.raises(CommitError, match="not published"):
        output.write(b"12345")
    output.write(b"footer")
    output.close()
    files.delete(FILE.path)
    assert files.finish(FILE) is None
    assert len(waits) == 1
    assert stored(remote) == []


def test_the_driver_stores_what_tasks_returned(remote):
    open_markers(remote, INSTANT, "test")
    nothing = FileStatus.nothing_written("x", 1)
    statuses = [evolve(nothing, returned=ReturnedFile(file, file.path.encode())) for file in (FILE, OTHER)]
    store_returned(remote, [*statuses, nothing])
    assert {path: remote.read(path) for path in (FILE.path, OTHER.path)} == {
        FILE.path: b"x/f.parquet",
        OTHER.path: b"x/g.parquet",
    }
    assert list_markers(remote, INSTANT) == [(FILE.path, "CREATE"), (OTHER.path, "MERGE")]
    assert remote.exists("x/.hoodie_partition_metadata")


def test_the_driver_stores_nothing_for_a_write_that_was_rolled_back(remote):
    status = evolve(FileStatus.nothing_written("x", 1), returned=ReturnedFile(OTHER, b"1"))
    with pytest.raises(CommitError, match="rolled back"):
        store_returned(remote, [status])
    assert stored(remote) == []


def test_all_tasks_together_return_a_limited_number_of_bytes():
    assert returned_bytes(4) == 1024 * 1024
    assert returned_bytes(1024) * 1024 == 64 * 1024 * 1024
