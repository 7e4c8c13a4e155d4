"""A read-only storage reads what its base has, and refuses every change."""

from __future__ import annotations

import pytest

from hoodoo.errors import StorageError
from hoodoo.storage import LocalStorage, ReadOnlyStorage


@pytest.fixture
def base(tmp_path):
    storage = LocalStorage(str(tmp_path))
    storage.create("a/b", b"body")
    return storage


def test_reads_are_those_of_the_base(base):
    storage = ReadOnlyStorage(base)
    assert storage.read("a/b") == b"body"
    assert (storage.exists("a/b"), storage.exists("a/c"), storage.size("a/b")) == (True, False, 4)
    assert storage.modified("a/b") == base.modified("a/b")
    assert list(storage.list("a")) == list(base.list("a"))
    assert list(storage.walk()) == list(base.walk())
    assert (storage.uri, storage.options, storage.local_path("a/b")) == (base.uri, base.options, base.local_path("a/b"))
    with storage.open_input("a/b") as file:
        assert file.read() == b"body"


@pytest.mark.parametrize(
    "change",
    [
        lambda s: s.create("a/c", b""),
        lambda s: s.replace("a/b", b""),
        lambda s: s.delete("a/b"),
        lambda s: s.delete_tree("a"),
        lambda s: s.open_output("a/c"),
        lambda s: s.sync("a"),
        lambda s: s.sweep("a"),
        lambda s: s.try_lock("a/b", shared=True),
    ],
)
def test_changes_are_refused(base, change):
    with pytest.raises(StorageError, match="the table is opened for reading only") as caught:
        change(ReadOnlyStorage(base))
    assert caught.value.code == "read_only"
    assert base.read("a/b") == b"body"
    assert not base.exists("a/c")
