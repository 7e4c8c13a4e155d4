"""Tables in stores with buckets: written, changed, read and rolled back by the local engine."""

from __future__ import annotations

import threading

import pyarrow as pa
import pytest

from hoodoo import Table
from hoodoo.archived_timeline import load_timeline
from hoodoo.errors import CommitConflict, CommitError, DataError, NotATable, TableExists
from hoodoo.properties import load_properties
from hoodoo.storage import storage_for
from hoodoo.testing.engine import write_arrow
from hoodoo.txn import begin

from .small_table import FIRST, TABLE, rows, stored

pytestmark = pytest.mark.slow


@pytest.fixture(params=["COPY_ON_WRITE", "MERGE_ON_READ"])
def options(request, store):
    return {**TABLE, "table_type": request.param, **store.options}


@pytest.fixture
def path(store):
    return store.new_location()


def test_a_table_is_written_changed_and_read_as_of_every_commit(path, options):
    first = write_arrow(FIRST, path, options)
    second = write_arrow(rows((2, "a b", "TWO"), (4, "d", "four"), ts=2), path, options)
    write_arrow(rows((1, "a b", ""), ts=3), path, {**options, "operation": "delete"})

    assert stored(path, options) == {2: "TWO", 3: "three", 4: "four"}
    assert stored(path, options, as_of=second.instant) == {1: "one", 2: "TWO", 3: "three", 4: "four"}
    assert stored(path, options, as_of=first.instant) == {1: "one", 2: "two", 3: "three"}
    assert [commit.instant for commit in Table(path, options).history()][1:] == [second.instant, first.instant]


def test_another_reader_finds_the_same_rows(path, options, store):
    if options["table_type"] == "MERGE_ON_READ":
        pytest.skip("one is enough: what is in the files does not depend on the store")
    hudi = pytest.importorskip("hudi")
    write_arrow(FIRST, path, options)
    write_arrow(rows((2, "a b", "TWO"), ts=2), path, options)
    builder = hudi.HudiTableBuilder.from_base_uri(path).with_storage_options(
        {"allow_http": "true", **store.environment}
    )
    table = pa.Table.from_batches(builder.build().read())

    assert sorted(zip(table["id"].to_pylist(), table["v"].to_pylist(), strict=True)) == [
        (1, "one"),
        (2, "TWO"),
        (3, "three"),
    ]


def test_logs_are_compacted(path, options):
    if options["table_type"] == "COPY_ON_WRITE":
        pytest.skip("such tables have no logs")
    write_arrow(FIRST, path, options)
    write_arrow(rows((2, "a b", "TWO"), ts=2), path, options)

    assert Table(path, options).compact() is not None
    assert stored(path, options, query_type="read_optimized") == {1: "one", 2: "TWO", 3: "three"}


def test_a_failed_write_leaves_the_table_and_no_file_of_its_own(path, options):
    write_arrow(FIRST, path, options)
    storage = storage_for(path, options)
    before = {info.path for info in storage.walk()}
    with pytest.raises(DataError):
        write_arrow(rows((2, "a b", "TWO"), (None, "d", "x"), ts=2), path, options)

    assert {info.path for info in storage.walk() if info.path.endswith((".parquet", ".log"))} <= before
    assert stored(path, options) == {1: "one", 2: "two", 3: "three"}
    write_arrow(rows((2, "a b", "TWO"), ts=2), path, options)
    assert stored(path, options)[2] == "TWO"


def test_what_a_dead_writer_left_is_rolled_back_once_its_lease_has_ended(path, options, monkeypatch):
    write_arrow(FIRST, path, options)
    storage = storage_for(path, options)
    timeline = load_timeline(storage, load_properties(storage))
    dead = begin(storage, timeline, "commit", "UPSERT")
    # a process that has ended does not do this
    lease = dead._heartbeat._lock
    dead._heartbeat._stopped.set()
    lease._ended.set()

    write_arrow(rows((2, "a b", "TWO"), ts=2), path, options)
    assert dead.time in {instant.time for instant in Table(path, options).timeline.pending}
    clock = pytest.importorskip("hoodoo.storage.object_store.lease_lock")
    now = clock._now()
    monkeypatch.setattr(clock, "_now", lambda: now + 60)
    write_arrow(rows((3, "c", "THREE"), ts=3), path, options)

    assert dead.time not in {instant.time for instant in Table(path, options).timeline.pending}
    assert stored(path, options) == {1: "one", 2: "TWO", 3: "THREE"}


def test_of_two_writers_at_once_none_loses_rows(path, options):
    write_arrow(FIRST, path, options)
    barrier, outcomes = threading.Barrier(2), {}

    def work(number):
        change = rows((number, "a b", f"by {number}"), ts=2)
        barrier.wait()
        try:
            write_arrow(change, path, options)
            outcomes[number] = "committed"
        except (CommitConflict, CommitError):
            outcomes[number] = "refused"

    threads = [threading.Thread(target=work, args=(number,)) for number in (1, 2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert "committed" in outcomes.values()
    found = stored(path, options)
    for number, before in ((1, "one"), (2, "two")):
        assert found[number] == (f"by {number}" if outcomes[number] == "committed" else before)


def test_no_option_of_the_store_is_stored(path, options, store):
    write_arrow(FIRST, path, options)
    write_arrow(rows((2, "a b", "TWO"), ts=2), path, options)
    storage = storage_for(path, options)
    files = [*storage.walk(), *storage.walk(".hoodie")]

    assert len(files) > 8
    for info in files:
        body = storage.read(info.path)
        for value in [*store.options.values(), *store.secrets]:
            if value != "us-east-1":
                assert value.encode() not in body, info.path


def test_options_come_from_the_environment(path, options, store, monkeypatch):
    for name, value in store.environment.items():
        monkeypatch.setenv(name, value)
    without = {key: value for key, value in options.items() if key not in store.options}
    write_arrow(FIRST, path, without)

    assert stored(path, {}) == {1: "one", 2: "two", 3: "three"}


def test_modes_see_what_is_there(path, options):
    with pytest.raises(NotATable, match=path):
        Table(path, options)
    write_arrow(FIRST, path, options)
    with pytest.raises(TableExists, match=path):
        write_arrow(FIRST, path, options, mode="errorifexists")
    write_arrow(rows((9, "z", "nine"), ts=2), path, options, mode="overwrite")
    assert stored(path, options) == {9: "nine"}
