"""Storage of a folder: its paths are relative to the folder, and no path leaves it."""

from __future__ import annotations

import pytest

from hoodoo.errors import StorageError
from hoodoo.storage import AlreadyExists, LocalStorage, Missing, SubfolderStorage


@pytest.fixture
def storages(tmp_path):
    base = LocalStorage(str(tmp_path / "table"))
    return base, SubfolderStorage(base, ".hoodie/metadata")


def test_paths_are_relative_to_the_folder(storages):
    base, own = storages
    own.create("files/a", b"one")
    base.create("outside", b"two")
    assert base.read(".hoodie/metadata/files/a") == b"one"
    assert own.read("files/a") == b"one"
    assert own.size("files/a") == 3
    assert [(info.path, info.size) for info in own.list("files")] == [("files/a", 3)]
    assert own.uri == f"{base.uri}/.hoodie/metadata"
    with own.open_output("files/b") as sink:
        sink.write(b"four")
    own.sync("files/b")
    with own.open_input("files/b") as source:
        assert source.read() == b"four"
    own.replace("files/b", b"5")
    assert own.read("files/b") == b"5"
    assert own.modified("files/b") == base.modified(".hoodie/metadata/files/b")
    assert own.local_path("files/b") == base.local_path(".hoodie/metadata/files/b")
    with pytest.raises(AlreadyExists):
        own.create("files/b", b"")
    own.delete("files/b")
    assert not own.exists("files/b")
    own.sweep("files")
    own.delete_tree("files")
    assert not base.exists(".hoodie/metadata/files")
    with pytest.raises(Missing):
        own.read("outside")


def test_a_walk_leaves_out_the_own_timeline_only(storages):
    _, own = storages
    own.create(".hoodie/timeline/1.commit", b"{}")
    own.create("files/a", b"one")
    own.create("b", b"one")
    assert sorted(info.path for info in own.walk()) == ["b", "files/a"]
    assert [info.path for info in own.walk("files")] == ["files/a"]


@pytest.mark.parametrize("path", ["../x", "/etc/passwd", "a//b", "a/../../../x"])
def test_paths_that_leave_the_folder_are_refused(storages, path):
    for operation in (storages[1].read, storages[1].delete, storages[1].exists, storages[1].delete_tree):
        with pytest.raises(StorageError, match="refused"):
            operation(path)


def test_a_lock_is_that_of_the_path(storages):
    base, own = storages
    lock = own.try_lock("lock")
    assert lock is not None
    assert base.try_lock(".hoodie/metadata/lock") is None
    lock.release()
