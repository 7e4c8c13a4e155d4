"""LocalStorage: paths stay inside the table, operations are atomic, and errors name failures."""

from __future__ import annotations

import os
import pickle
import sys
import threading
from pathlib import Path

import pytest

from hoodoo.errors import StorageError, UnsupportedTable
from hoodoo.storage import AlreadyExists, LocalStorage, Missing, storage_for


@pytest.fixture
def storage(tmp_path):
    return LocalStorage(str(tmp_path / "table"))


@pytest.mark.parametrize(
    "path", ["../x", "a/../../x", "/etc/passwd", "a//b", "a/./b", "a\0b", "a\\b", "C:/x", "a/", "./a", ".."]
)
def test_paths_that_leave_the_table_are_refused(storage, path):
    for operation in (storage.read, storage.delete, storage.exists, storage.open_output, storage.delete_tree):
        with pytest.raises(StorageError, match="refused"):
            operation(path)


def test_a_symbolic_link_that_leaves_the_table_is_refused(storage, tmp_path):
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret").write_text("s")
    storage.create("a/file", b"")
    (tmp_path / "table" / "a" / "link").symlink_to(tmp_path / "outside")
    with pytest.raises(StorageError, match="symbolic link"):
        storage.read("a/link/secret")
    with pytest.raises(StorageError, match="symbolic link"):
        list(storage.walk())


def test_a_root_that_is_itself_behind_a_link_is_fine(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "alias").symlink_to(tmp_path / "real")
    storage = LocalStorage(str(tmp_path / "alias"))
    storage.create("x", b"1")
    assert storage.read("x") == b"1"
    assert [info.path for info in storage.walk()] == ["x"]


def test_create_is_put_if_absent_and_leaves_no_temporary_file(storage, tmp_path):
    storage.create("a/b/file", b"one")
    with pytest.raises(AlreadyExists, match="create 'a/b/file'"):
        storage.create("a/b/file", b"two")
    assert storage.read("a/b/file") == b"one"
    assert [path.name for path in (tmp_path / "table" / "a" / "b").iterdir()] == ["file"]


def test_one_of_many_concurrent_creators_wins(storage):
    won = []

    def attempt(number):
        try:
            storage.create(".hoodie/1.commit", str(number).encode())
        except AlreadyExists:
            return
        won.append(number)

    threads = [threading.Thread(target=attempt, args=(n,)) for n in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(won) == 1
    assert storage.read(".hoodie/1.commit") == str(won[0]).encode()


def test_replace_puts_in_any_case(storage):
    storage.replace("x", b"1")
    storage.replace("x", b"22")
    assert storage.read("x") == b"22"
    assert [(info.path, info.size) for info in storage.list("")] == [("x", 2)]


def test_the_checksum_that_hadoop_wrote_goes_with_the_content(storage, tmp_path):
    checksum = tmp_path / "table" / "a" / ".file.crc"
    for change in (lambda: storage.replace("a/file", b"other"), lambda: storage.delete("a/file")):
        storage.replace("a/file", b"content")
        checksum.write_bytes(b"crc")
        change()
        assert not checksum.exists()


def test_delete_and_delete_tree_take_absence_well_and_the_root_is_safe(storage):
    storage.delete("none")
    storage.delete_tree("none")
    storage.create("a/b/c", b"")
    storage.create("a/d", b"")
    storage.delete_tree("a")
    assert not storage.exists("a")
    with pytest.raises(StorageError, match="root"):
        storage.delete_tree("")


def test_listing_is_one_level_and_walking_skips_the_tables_own_folder(storage):
    for path in ("f", "p=1/q=2/g", "p=1/h", ".hoodie/x", ".hoodie/.temp/1/y", "p=1/.hoodie/z"):
        storage.create(path, b"ab")
    assert [(info.path, info.size) for info in storage.list("p=1")] == [("p=1/h", 2)]
    assert storage.list("absent") == []
    assert sorted(storage.names("p=1")) == [".hoodie", "h", "q=2"]
    assert storage.names("absent") == []
    assert sorted(info.path for info in storage.walk()) == ["f", "p=1/.hoodie/z", "p=1/h", "p=1/q=2/g"]
    assert [info.path for info in storage.walk(".hoodie/.temp")] == [".hoodie/.temp/1/y"]


def test_output_is_exclusive_and_readable_after_sync(storage):
    with storage.open_output("p/data") as sink:
        sink.write(b"12345")
    storage.sync("p/data")
    with storage.open_input("p/data") as source:
        assert source.read() == b"12345"
    with pytest.raises(AlreadyExists):
        storage.open_output("p/data")


@pytest.fixture
def calls(monkeypatch, tmp_path):
    """Return the list of the calls that make files durable or name them: `fsync` or `link`, with the file's path.

    The path is "" for a file without a name, or outside of the table.
    """
    seen, link, fsync = [], os.link, os.fsync

    def watched_link(source, target, **how):
        link(source, target, **how)
        seen.append(("link", os.path.relpath(target, tmp_path / "table")))

    def watched_fsync(descriptor):
        fsync(descriptor)
        path = str(Path(f"/proc/self/fd/{descriptor}").readlink())
        inside = path.startswith(f"{tmp_path}/table/") and not path.endswith("(deleted)")
        seen.append(("fsync", os.path.relpath(path, tmp_path / "table") if inside else ""))

    monkeypatch.setattr(os, "link", watched_link)
    monkeypatch.setattr(os, "fsync", watched_fsync)
    return seen


@pytest.mark.skipif(sys.platform != "linux", reason="/proc names the file of a descriptor")
def test_content_is_durable_before_its_name_and_both_before_the_call_returns(storage, calls):
    storage.create("p/mark", b"")
    calls.clear()
    storage.create("p/commit", b"content")
    # the content has no name, or another one, while it is written
    *content, link, folder = calls
    assert (link, folder) == (("link", "p/commit"), ("fsync", "p"))
    assert content
    assert all(call == "fsync" and path not in ("p", "p/commit") for call, path in content)
    calls.clear()
    with storage.open_output("p/data") as sink:
        sink.write(b"12345")
    storage.sync("p/data")
    assert calls == [("fsync", "p/data"), ("fsync", "p")]
    calls.clear()
    storage.create("p/q/commit", b"content")
    assert ("fsync", "p") in calls, "the name of a new folder"


def test_failures_name_operation_path_and_reason(storage, monkeypatch):
    with pytest.raises(Missing, match="read 'absent': No such file"):
        storage.read("absent")
    with pytest.raises(FileNotFoundError):
        storage.open_input("absent")

    def full(*_args, **_kwargs):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StorageError, match="create 'x': No space left on device") as caught:
        storage.create("x", b"1")
    assert caught.value.errno == 28
    monkeypatch.undo()
    assert storage.list("") == []


def test_locks_exclude_each_other_and_a_deleted_lock_guards_nothing(storage):
    first = storage.try_lock("locks/a")
    assert first is not None
    assert storage.try_lock("locks/a") is None
    assert storage.try_lock("locks/a", shared=True) is None
    first.release(delete=True)
    first.release()
    assert not storage.exists("locks/a")
    second = storage.try_lock("locks/a", shared=True)
    third = storage.try_lock("locks/a", shared=True)
    assert second is not None
    assert third is not None
    second.release()
    third.release()


def test_a_lock_is_free_once_its_process_is_killed(storage):
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        storage.try_lock("lock")
        os.write(writer, b"x")
        threading.Event().wait()
    os.read(reader, 1)
    assert storage.try_lock("lock") is None
    os.kill(child, 9)
    os.waitpid(child, 0)
    lock = storage.try_lock("lock")
    assert lock is not None
    lock.release()


def test_storage_can_be_pickled(storage):
    storage.create("x", b"1")
    assert pickle.loads(pickle.dumps(storage)).read("x") == b"1"


def test_storage_for_takes_paths_and_file_uris(tmp_path):
    root = tmp_path / "a b#c%"
    assert storage_for(root) == storage_for(str(root)) == LocalStorage(str(root))
    assert storage_for(storage_for(root).uri) == LocalStorage(str(root))
    assert storage_for(f"file:{tmp_path}/x") == LocalStorage(f"{tmp_path}/x")
    assert storage_for(f"file://localhost{tmp_path}/x") == LocalStorage(f"{tmp_path}/x")


@pytest.mark.parametrize("uri", ["viewfs://nn/t", "dbfs:/t", "file://host/t", "s3://key:secret@bucket/t", "s3:///t"])
def test_other_schemes_are_named(uri):
    with pytest.raises(UnsupportedTable, match=r"s3|dbfs|hdfs|host"):
        storage_for(uri)
