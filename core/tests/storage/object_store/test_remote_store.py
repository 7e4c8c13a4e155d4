"""One listing in place of several requests, and contents that are not read twice."""

from __future__ import annotations

import uuid
from collections import Counter
from datetime import UTC, datetime

import pytest

from hoodoo.errors import StorageError
from hoodoo.storage import LocalStorage, Missing, RemoteStore, listed_at_once, storage_for

obstore = pytest.importorskip("obstore")
remote_store = pytest.importorskip("hoodoo.storage.object_store.remote_store")

PROPERTIES = ".hoodie/hoodie.properties"


@pytest.fixture
def storage():
    remote_store.known_bodies.clear()
    return storage_for(f"memory://{uuid.uuid4().hex}/t")


@pytest.fixture
def requests(monkeypatch):
    """Return a counter of requests by the name of obstore's function."""
    counts = Counter()

    def counted(name):
        function = getattr(obstore, name)

        def call(*given, **named):
            counts[name] += 1
            return function(*given, **named)

        monkeypatch.setattr(obstore, name, call)

    for name in ("get", "head", "list", "list_with_delimiter", "put", "delete"):
        counted(name)
    return counts


def paths(infos):
    return sorted(info.path for info in infos)


def test_a_local_storage_is_not_listed_ahead(tmp_path):
    storage = LocalStorage(str(tmp_path))
    assert not isinstance(storage, RemoteStore)
    assert listed_at_once(storage) is storage


def test_one_request_answers_listings_existence_and_times(storage, requests):
    for path in ("a/1", "b", ".hoodie/1.commit", ".hoodie/.temp/1/m"):
        storage.create(path, b"x")
    requests.clear()
    listing = listed_at_once(storage)

    assert not requests
    assert paths(listing.list(".hoodie")) == [".hoodie/1.commit"]
    assert paths(listing.walk()) == ["a/1", "b"]
    assert paths(listing.walk(".hoodie/.temp")) == [".hoodie/.temp/1/m"]
    assert listing.exists("a")
    assert not listing.exists("c")
    assert abs((listing.modified("b") - datetime.now(UTC)).total_seconds()) < 60
    with pytest.raises(Missing, match="'c'"):
        listing.modified("c")
    assert requests == {"list": 1}


def test_a_repeated_call_asks_the_store(storage):
    storage.create(".hoodie/1.commit", b"x")
    listing = listed_at_once(storage)
    assert paths(listing.list(".hoodie")) == [".hoodie/1.commit"]
    storage.create(".hoodie/2.commit", b"x")

    assert paths(listing.list(".hoodie")) == [".hoodie/1.commit", ".hoodie/2.commit"]
    storage.delete(".hoodie/1.commit")
    assert listing.exists(".hoodie/1.commit")
    assert not listing.exists(".hoodie/1.commit")


def test_a_listing_of_a_folder_answers_for_this_folder_only(storage, requests):
    storage.create(".hoodie/1.commit", b"x")
    storage.create("a/1", b"x")
    requests.clear()
    listing = listed_at_once(storage, ".hoodie")

    assert paths(listing.list("a")) == ["a/1"]
    assert requests == {"list_with_delimiter": 1}
    assert paths(listing.list(".hoodie")) == [".hoodie/1.commit"]
    assert requests == {"list_with_delimiter": 1, "list": 1}


def test_a_large_folder_is_not_listed_ahead(storage):
    for number in range(1000):
        storage.create(f"a/{number:04}", b"")
    assert storage.list_if_small("") is None
    listing = listed_at_once(storage)
    assert len(listing.list("a")) == 1000
    storage.delete("a/0007")
    assert len(storage.list_if_small("")) == 999


def test_a_content_that_this_process_wrote_or_read_is_not_read_again(storage, requests):
    storage.create(PROPERTIES, b"ours")
    requests.clear()
    assert listed_at_once(storage).read(PROPERTIES) == b"ours"
    assert requests == {"list": 1}
    storage.replace(PROPERTIES, b"theirs")
    requests.clear()
    assert listed_at_once(storage).read(PROPERTIES) == b"theirs"
    assert requests == {"list": 1, "get": 1}
    assert listed_at_once(storage).read(PROPERTIES) == b"theirs"
    assert requests == {"list": 2, "get": 1}


@pytest.mark.parametrize("path", ["a.parquet", ".hoodie/.temp/1/writer"])
def test_other_contents_are_not_kept(storage, requests, path):
    storage.create(path, b"x")
    requests.clear()
    for _ in range(2):
        assert listed_at_once(storage).read(path) == b"x"
    assert requests == {"get": 2}


def test_kept_contents_are_limited(storage):
    large = b"x" * (200 * 1024)
    for number in range(100):
        storage.create(f".hoodie/{number}.commit", large)
    kept = remote_store.known_bodies
    assert sum(map(len, kept._bodies.values())) <= 16 * 1024 * 1024
    storage.create(".hoodie/huge.commit", large * 2)
    assert len(large) * 2 not in map(len, kept._bodies.values())


def test_a_listing_changes_nothing(storage):
    with pytest.raises(StorageError, match="does not change"):
        listed_at_once(storage).create("a", b"")


def test_files_are_deleted_together(storage, requests):
    for path in ("a", "b", "c"):
        storage.create(path, b"")
    requests.clear()
    storage.delete_files(["a", "c"])
    assert requests == {"delete": 1}
    storage.delete_files(["a", "b"])
    assert not list(storage.walk())
