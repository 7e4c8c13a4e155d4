"""Requirements for every store, tested on local disks, in memory, with servers of S3, Azure and Google, and in HDFS."""

from __future__ import annotations

import pickle
import threading
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hoodoo.errors import StorageError
from hoodoo.storage import AlreadyExists, CompareAndSwapStore, LocalStorage, Missing, RemoteStore, storage_for

pytestmark = pytest.mark.slow

ODD_NAMES = ("a%2Fb/c", "é ü/x#y", "p=a b/*[x]", "k~`|<>^{}", "100%/+&=@,;")


@pytest.fixture(params=["local", "memory", "s3", "azure", "gcs", "hdfs"])
def storage(request, tmp_path):
    if request.param == "local":
        return LocalStorage(str(tmp_path / "table"))
    if request.param == "hdfs":
        return storage_for(f"{request.getfixturevalue('hdfs_folder')}/some/table")
    pytest.importorskip("obstore")
    if request.param == "memory":
        return storage_for(f"memory://{uuid.uuid4().hex}/some/table")
    if request.param == "azure":
        container = request.getfixturevalue("make_container")()
        return storage_for(f"az://{container}/some/table", request.getfixturevalue("azure_options"))
    if request.param == "gcs":
        bucket = request.getfixturevalue("make_gcs_bucket")()
        return storage_for(f"gs://{bucket}/some/table", request.getfixturevalue("gcs_options"))
    bucket = request.getfixturevalue("make_bucket")()
    return storage_for(f"s3://{bucket}/some/table", request.getfixturevalue("s3_options"))


def sizes(infos):
    return {info.path: info.size for info in infos}


def written(storage, path, body):
    with storage.open_output(path) as sink:
        sink.write(body)
    storage.sync(path)


@pytest.mark.parametrize("path", ["../x", "a/../../x", "/etc/passwd", "a//b", "a/./b", "a\0b", "a\\b", "a/", ".."])
def test_paths_that_leave_the_table_are_refused(storage, path):
    for operation in (storage.read, storage.delete, storage.exists, storage.open_output, storage.delete_tree):
        with pytest.raises(StorageError, match="refused"):
            operation(path)


def test_create_is_put_if_absent(storage):
    storage.create("a/b/file", b"one")
    with pytest.raises(AlreadyExists, match="create 'a/b/file'"):
        storage.create("a/b/file", b"two")
    assert storage.read("a/b/file") == b"one"
    assert sizes(storage.list("a/b")) == {"a/b/file": 3}


def test_an_empty_file_is_a_file(storage):
    storage.create("a", b"")
    assert storage.read("a") == b""
    assert storage.exists("a")
    with pytest.raises(AlreadyExists):
        storage.create("a", b"")
    with storage.open_input("a") as source:
        assert source.size() == 0
        assert source.read() == b""


def test_one_of_many_concurrent_creators_wins(storage):
    barrier = threading.Barrier(16)

    def attempt(number):
        barrier.wait()
        try:
            storage.create(".hoodie/1.commit", str(number).encode())
        except AlreadyExists:
            return None
        return number

    with ThreadPoolExecutor(16) as pool:
        won = [number for number in pool.map(attempt, range(16)) if number is not None]
    assert len(won) == 1
    assert storage.read(".hoodie/1.commit") == str(won[0]).encode()


def test_replace_puts_in_any_case(storage):
    storage.replace("x", b"1")
    storage.replace("x", b"22")
    assert storage.read("x") == b"22"
    assert sizes(storage.list("")) == {"x": 2}


@pytest.mark.parametrize("path", ODD_NAMES)
def test_names_stay_as_they_are(storage, path):
    storage.create(path, b"1")
    assert [info.path for info in storage.walk()] == [path]
    assert storage.read(path) == b"1"


def test_delete_and_delete_tree_take_absence_well_and_the_root_is_safe(storage):
    storage.delete("none")
    storage.delete_tree("none")
    for path in ("a/b/c", "a/d", "ab/e"):
        storage.create(path, b"")
    storage.delete_tree("a")
    assert not storage.exists("a")
    assert storage.exists("ab/e")
    storage.delete("ab/e")
    assert list(storage.walk()) == []
    with pytest.raises(StorageError, match="root"):
        storage.delete_tree("")


def test_listing_is_one_level_and_walking_skips_the_tables_own_folder(storage):
    for path in ("f", "p=1/q=2/g", "p=1/h", ".hoodie/x", ".hoodie/.temp/1/y", "p=1/.hoodie/z", "p=10/i"):
        storage.create(path, b"ab")
    assert sizes(storage.list("p=1")) == {"p=1/h": 2}
    assert sizes(storage.list("")) == {"f": 2}
    assert storage.list("absent") == []
    assert sorted(info.path for info in storage.walk()) == ["f", "p=1/.hoodie/z", "p=1/h", "p=1/q=2/g", "p=10/i"]
    assert [info.path for info in storage.walk(".hoodie/.temp")] == [".hoodie/.temp/1/y"]
    assert [info.path for info in storage.walk("p=1/q=2")] == ["p=1/q=2/g"]
    assert list(storage.walk("absent")) == []
    assert storage.exists("p=1/q=2")
    assert not storage.exists("p=")


def test_the_time_of_modification_is_that_of_the_last_write(storage):
    before = datetime.now(UTC)
    storage.create("x", b"1")
    assert before - timedelta(seconds=2) <= storage.modified("x") <= datetime.now(UTC) + timedelta(seconds=2)
    [listed] = storage.list("")
    [walked] = storage.walk()
    assert listed == walked
    assert abs(listed.modified - storage.modified("x").timestamp() * 1000) <= 1000
    with pytest.raises(Missing):
        storage.modified("absent")


def test_what_is_not_there_is_missing(storage):
    for operation in (storage.read, storage.open_input, storage.modified):
        with pytest.raises(Missing, match="'absent'") as caught:
            operation("absent")
        assert isinstance(caught.value, FileNotFoundError)
    assert not storage.exists("absent")


def test_output_is_exclusive_and_readable_after_sync(storage):
    written(storage, "p/data", b"12345")
    with storage.open_input("p/data") as source:
        assert source.read() == b"12345"
    assert sizes(storage.list("p")) == {"p/data": 5}
    for body in (b"", b"6", b"x" * 20_000_000):
        with pytest.raises(AlreadyExists):
            written(storage, "p/data", body)
    assert storage.read("p/data") == b"12345"


@pytest.mark.parametrize("size", [1, 20_000_000])
def test_of_two_outputs_of_one_name_one_succeeds(storage, size):
    with storage.open_output("p/data") as sink:
        sink.write(b"x" * size)
        assert sink.tell() == size
        if isinstance(storage, RemoteStore) and size == 1:
            written(storage, "p/data", b"y")
            assert storage.read("p/data") == b"y"
            with pytest.raises(AlreadyExists):
                sink.close()
        else:
            # the name is taken before the file is closed
            with pytest.raises(AlreadyExists):
                written(storage, "p/data", b"y")
            sink.close()
            assert storage.read("p/data") == b"x" * size


def test_large_outputs_are_read_at_random(storage):
    body = b"".join(number.to_bytes(4, "big") for number in range(5_000_000))  # more than two parts
    with storage.open_output("large") as sink:
        for start in range(0, len(body), 3_000_001):
            sink.write(body[start : start + 3_000_001])
    assert sizes(storage.list("")) == {"large": len(body)}
    with storage.open_input("large") as source:
        assert source.size() == len(body)
        for position, count in ((0, 4), (len(body) - 8, 8), (9_999_999, 1_000_001), (12, 3), (len(body) - 2, 100)):
            source.seek(position)
            assert source.read(count) == body[position : position + count]
        source.seek(len(body))
        assert source.read(1) == b""


def test_parquet_is_written_and_read(storage):
    table = pa.table({"a": range(100_000), "b": [str(n) for n in range(100_000)]})
    with storage.open_output("t.parquet") as sink:
        pq.write_table(table, sink, row_group_size=30_000)
    with storage.open_input("t.parquet") as source:
        assert pq.read_table(source).equals(table)


def test_locks_exclude_each_other_and_a_deleted_lock_guards_nothing(storage):
    first = storage.try_lock("locks/a")
    assert first is not None
    assert storage.read("locks/a")
    assert storage.try_lock("locks/a") is None
    assert storage.try_lock("locks/a", shared=True) is None
    first.renew()
    first.release(delete=True)
    first.release()
    first.renew()
    assert not storage.exists("locks/a")
    shared = storage.try_lock("locks/a", shared=True)
    assert shared is not None
    shared.release()
    again = storage.try_lock("locks/a")
    assert again is not None
    again.release()
    last = storage.try_lock("locks/a")
    assert last is not None
    last.release()


def test_taking_a_lock_sets_the_modification_time_of_its_file(storage):
    storage.try_lock("locks/a").release()
    before = storage.modified("locks/a")
    # stores have whole seconds
    time.sleep(0.01 if isinstance(storage, LocalStorage) else 1.01)
    lock = storage.try_lock("locks/a")
    assert storage.modified("locks/a") > before
    lock.release()


def test_one_of_many_gets_a_lock_and_then_the_next_one(storage):
    storage.try_lock("lock").release()
    barrier = threading.Barrier(8)

    def attempt(_):
        barrier.wait()
        return storage.try_lock("lock")

    for _ in range(3):
        with ThreadPoolExecutor(8) as pool:
            held = [lock for lock in pool.map(attempt, range(8)) if lock is not None]
        assert len(held) == 1
        held[0].release()


def test_a_store_can_be_pickled(storage):
    copy = pickle.loads(pickle.dumps(storage))
    assert copy == storage
    storage.create("x", b"1")
    assert copy.read("x") == b"1"
    assert storage_for(storage.uri, storage.options) == storage


@pytest.fixture
def swapping(storage):
    """Return the store; skip the test if the store has no compare-and-swap."""
    if not isinstance(storage, CompareAndSwapStore):
        pytest.skip("HDFS has no compare-and-swap; its locks are leases of the NameNode")
    return storage


def test_a_swap_puts_in_place_of_the_version_that_was_seen(swapping):
    storage = swapping
    with pytest.raises(Missing):
        storage.versioned("a/lock")
    first = storage.swap("a/lock", b"one", None)
    assert first is not None
    assert storage.swap("a/lock", b"two", None) is None
    assert storage.versioned("a/lock") == (b"one", first)
    second = storage.swap("a/lock", b"two", first)
    assert second is not None
    assert storage.swap("a/lock", b"three", first) is None
    assert storage.versioned("a/lock") == (b"two", second)
    storage.delete("a/lock")
    assert storage.swap("a/lock", b"four", second) is None
    assert not storage.exists("a/lock")


def test_one_of_many_swaps_of_one_version_succeeds(swapping):
    storage = swapping
    version = storage.swap("lock", b"before", None)
    with ThreadPoolExecutor(8) as pool:
        swapped = list(pool.map(lambda n: storage.swap("lock", b"%d" % n, version), range(8)))
    [winner] = [n for n, found in enumerate(swapped) if found is not None]
    assert storage.versioned("lock") == (b"%d" % winner, swapped[winner])
