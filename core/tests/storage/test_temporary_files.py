"""Files that appear as a whole, and remains of a process that is killed while it writes one."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pyarrow as pa
import pytest

from hoodoo.errors import StorageError
from hoodoo.properties import NewKeys, NewTable, create_properties, new_table_properties
from hoodoo.record import KeyConfig
from hoodoo.storage import AlreadyExists, LocalStorage
from hoodoo.storage import temporary_files as temporary
from hoodoo.storage.file_lock import try_flock
from hoodoo.timeline import Timeline
from hoodoo.txn import rollback_pending


@pytest.fixture(params=["unnamed", "named"])
def storage(tmp_path, request, monkeypatch):
    if request.param == "named":
        monkeypatch.setattr(temporary, "_UNNAMED", None)
    return LocalStorage(str(tmp_path / "t"))


def names(storage, folder=".hoodie"):
    return sorted(path.name for path in Path(storage.local_path(folder)).iterdir())


def killed_while_writing(storage, write):
    """Run `write` in a process that is killed once it has written the content of a file."""
    child = os.fork()
    if child == 0:
        written = temporary._write

        def write_and_die(descriptor, body):
            written(descriptor, body)
            os.kill(os.getpid(), signal.SIGKILL)

        temporary._write = write_and_die
        write(storage)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL


def test_a_name_that_is_taken_is_refused_and_nothing_is_left(storage):
    storage.create(".hoodie/f", b"one")
    with pytest.raises(AlreadyExists):
        storage.create(".hoodie/f", b"two")
    storage.replace(".hoodie/f", b"three")
    storage.create(".hoodie/empty", b"")
    assert storage.read(".hoodie/f") == b"three"
    assert names(storage) == ["empty", "f"]


def test_the_mode_of_a_file_follows_the_mask_of_the_process(storage):
    mask = os.umask(0o027)
    try:
        storage.create(".hoodie/f", b"x")
        storage.replace(".hoodie/g", b"x")
    finally:
        os.umask(mask)
    assert {Path(storage.local_path(f".hoodie/{name}")).stat().st_mode & 0o777 for name in "fg"} == {0o640}


def test_what_a_killed_process_leaves_is_removed_by_the_next_write(storage):
    entries = new_table_properties(
        NewTable("t", pa.schema([("id", pa.int64())])),
        NewKeys(KeyConfig(record_key=("id",)), "x.NonpartitionedKeyGenerator"),
    )
    create_properties(storage, entries)
    before = names(storage)
    killed_while_writing(storage, lambda s: s.create(".hoodie/created", b"x" * 100))
    killed_while_writing(storage, lambda s: s.replace(".hoodie/replaced", b"x" * 100))
    left = set(names(storage)) - set(before)
    assert len(left) == (1 if temporary._UNNAMED else 2)
    assert all(name.endswith(".tmp") for name in left)
    # the file of a live process stays
    with temporary._temporary(storage.local_path(".hoodie/live"), b"x") as live:
        rollback_pending(storage, Timeline.load(storage))
        assert set(names(storage)) - set(before) == {Path(live).name, ".hoodoo.lock"}
    assert set(names(storage)) - set(before) == {".hoodoo.lock"}


def test_a_file_that_is_swept_before_it_is_locked_is_written_under_another_name(storage, monkeypatch):
    locked, opened = temporary.fcntl.flock, []

    def swept_first(descriptor, how):
        if not opened:
            opened.append(descriptor)
            [name] = [name for name in names(storage) if name.endswith(".tmp")]
            Path(storage.local_path(f".hoodie/{name}")).unlink()
        locked(descriptor, how)

    storage.create(".hoodie/first", b"")
    monkeypatch.setattr(temporary.fcntl, "flock", swept_first)
    storage.replace(".hoodie/f", b"x")
    assert opened
    assert storage.read(".hoodie/f") == b"x"


def test_a_folder_that_is_not_there_has_nothing_to_sweep(storage):
    storage.sweep("no/such/folder")
    with pytest.raises(StorageError):
        storage.sweep("../elsewhere")


def test_a_lock_is_free_once_it_is_released_whatever_was_forked_meanwhile(tmp_path):
    path = str(tmp_path / "lock")
    lock = try_flock(path, shared=False)
    assert lock is not None
    child = os.fork()
    if child == 0:
        signal.pause()
    try:
        assert try_flock(path, shared=False) is None
        lock.release()
        again = try_flock(path, shared=False)
        assert again is not None
        again.release()
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def test_a_child_does_not_keep_the_lock_of_a_dead_parent(tmp_path):
    path, (reader, writer) = str(tmp_path / "lock"), os.pipe()
    parent = os.fork()
    if parent == 0:
        assert try_flock(path, shared=False) is not None
        child = os.fork()
        if child == 0:
            signal.pause()
        os.write(writer, str(child).encode())
        signal.pause()
    child = int(os.read(reader, 20))
    assert try_flock(path, shared=False) is None
    os.kill(parent, signal.SIGKILL)
    os.waitpid(parent, 0)
    lock = try_flock(path, shared=False)
    os.kill(child, signal.SIGKILL)
    assert lock is not None
    lock.release()
