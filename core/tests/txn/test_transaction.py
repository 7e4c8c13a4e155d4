"""Transactions: begin, reconciliation, commit and conflicts."""

from __future__ import annotations

import json
import logging
from datetime import UTC, datetime, timedelta

import pyarrow as pa
import pytest

from hoodoo.errors import CommitConflict, CommitError, CommitStateUnknown, StorageError
from hoodoo.storage import AlreadyExists, LocalStorage
from hoodoo.timeline import Timeline, following_instant, utc_now
from hoodoo.timeline.codec.avro_file import read_record
from hoodoo.txn import (
    ClockBehind,
    Coordination,
    begin,
    create_marker,
    list_markers,
    marker_exists,
    rollback_pending,
    table_lock,
)
from hoodoo.txn.heartbeat import HeartbeatPace, is_alive
from hoodoo.txn.markers import are_markers_open
from hoodoo.txn.transaction import WRITER_KEY


def names(storage):
    return {info.path.rpartition("/")[2] for info in storage.list(".hoodie")} - {"hoodie.properties", ".hoodoo.lock"}


def test_a_commit_goes_through_three_files_and_leaves_no_traces(storage, table):
    instant = table.write(storage, "one")
    assert names(storage) == {f"{instant.time}.commit.requested", f"{instant.time}.inflight", f"{instant.time}.commit"}
    assert storage.list(".hoodie/.heartbeat") == []
    assert list(storage.walk(".hoodie/.temp")) == []
    assert storage.read(f".hoodie/{instant.time}.commit.requested") == b""
    document = json.loads(storage.read(f".hoodie/{instant.time}.commit"))
    assert document["operationType"] == "UPSERT"
    assert document["extraMetadata"][WRITER_KEY]
    assert table.rows(storage) == [(1, "one"), (2, "one"), (3, "one")]


def test_another_reader_reads_the_table(storage, table):
    hudi = pytest.importorskip("hudi")
    for value in ("one", "two"):
        table.write(storage, value)
    with begin(storage, Timeline.load(storage)) as unfinished:
        table.write_file(storage, unfinished.time, "a", [9], "never")
        batches = hudi.HudiTableBuilder.from_base_uri(storage.uri).build().read()
        read = pa.Table.from_batches([pa.record_batch(batch) for batch in batches]).to_pylist()
    assert sorted((row["id"], row["value"], row["_hoodie_record_key"]) for row in read) == [
        (1, "two", "1"),
        (2, "two", "2"),
        (3, "two", "3"),
    ]
    assert {row["_hoodie_partition_path"] for row in read} == {"a", "b"}


def test_a_replace_commit_hides_groups(storage, table):
    hudi = pytest.importorskip("hudi")
    table.write(storage, "one")
    timeline = Timeline.load(storage)
    gone = {
        p: tuple(s.file_id for s in stats)
        for p, stats in timeline.commit_metadata(timeline.commits[0]).write_stats.items()
    }
    with begin(storage, timeline, "replacecommit", "INSERT_OVERWRITE_TABLE") as transaction:
        requested = f".hoodie/{transaction.time}.replacecommit.requested"
        assert read_record(storage.read(requested), requested)["clusteringPlan"] is None
        stat = table.write_file(storage, transaction.time, "a", [7], "new")
        transaction.commit(table.metadata(stat, operation="INSERT_OVERWRITE_TABLE", replaced=gone))
    assert table.rows(storage) == [(7, "new")]
    batches = hudi.HudiTableBuilder.from_base_uri(storage.uri).build().read()
    assert [row["id"] for batch in batches for row in pa.record_batch(batch).to_pylist()] == [7]


def test_instants_increase_when_the_clock_stands_still(storage, table):
    def clock():
        return datetime(2024, 2, 29, 23, 59, 59, 999000, UTC)

    times = []
    for _ in range(3):
        with begin(storage, Timeline.load(storage), coordination=Coordination(clock)) as transaction:
            times.append(transaction.time)
            transaction.commit(table.metadata())
    assert times == ["20240229235959999", "20240301000000000", "20240301000000001"]


def test_an_instant_that_another_writer_takes_meanwhile_is_left_to_it(storage):
    class Racing(LocalStorage):
        def create(self, path, body):
            if path.endswith(".commit.requested") and not self.exists(path) and not raced:
                raced.append(path)
                super().create(path, b"theirs")
            super().create(path, body)

    raced = []
    with begin(Racing(storage.root), Timeline.load(storage)) as transaction:
        assert raced
        assert transaction.time not in raced[0]
        assert storage.read(raced[0]) == b"theirs"


def test_a_block_that_raises_or_forgets_to_commit_is_rolled_back(storage, table):
    table.write(storage, "one")

    def fails():
        with begin(storage, Timeline.load(storage)) as transaction:
            table.write_file(storage, transaction.time, "a", [1], "two")
            raise RuntimeError("boom")

    with pytest.raises(RuntimeError, match="boom"):
        fails()
    with begin(storage, Timeline.load(storage)) as transaction:
        table.write_file(storage, transaction.time, "a", [1], "two")
    assert table.rows(storage) == [(1, "one"), (2, "one"), (3, "one")]
    assert len([info for info in storage.walk() if info.path.endswith(".parquet")]) == 2
    timeline = Timeline.load(storage)
    assert [i.action for i in timeline.instants] == ["commit", "rollback", "rollback"]
    assert timeline.pending == ()


def test_attempts_that_do_not_count_are_deleted_before_the_commit(storage, table):
    with begin(storage, Timeline.load(storage)) as transaction:
        counted = table.write_file(storage, transaction.time, "a", [1], "x", file_id="f-0", token="0-0-1")
        stray = table.write_file(storage, transaction.time, "a", [1], "x", file_id="f-0", token="0-0-2")
        create_marker(storage, transaction.time, "a/never-written_0-0-3_1.parquet", "CREATE")
        assert len(list_markers(storage, transaction.time)) == 3
        transaction.commit(table.metadata(counted))
    assert storage.exists(counted.path)
    assert not storage.exists(stray.path)
    assert table.rows(storage) == [(1, "x")]


def test_a_late_attempt_finds_out_that_it_lost(storage, table):
    with begin(storage, Timeline.load(storage)) as transaction:
        create_marker(storage, transaction.time, "a/x.parquet", "MERGE")
        assert transaction.reconcile([]) == ["a/x.parquet"]
        assert not marker_exists(storage, transaction.time, "a/x.parquet", "MERGE")
        with pytest.raises(CommitError, match="may not be written"):
            create_marker(storage, transaction.time, "a/y.parquet", "CREATE")
        assert list_markers(storage, transaction.time) == []


def test_no_marker_without_an_open_commit(storage):
    with pytest.raises(CommitError, match="rolled back"):
        create_marker(storage, "20240101000000000", "a/x.parquet", "CREATE")
    assert not are_markers_open(storage, "20240101000000000")
    assert not storage.exists(".hoodie/.temp/20240101000000000")


def test_two_writers_of_one_file_group_conflict_and_the_second_is_rolled_back(storage, table):
    table.write(storage, "one")
    timeline = Timeline.load(storage)
    with begin(storage, timeline) as late:
        winner = table.write(storage, "two")
        previous = next(s for s in timeline.commit_metadata(timeline.commits[0]).stats() if s.partition_path == "a")
        stat = table.write_file(storage, late.time, "a", [1], "lost", file_id=previous.file_id)
        with pytest.raises(CommitConflict, match=f"commit {winner.time} changed file group '{previous.file_id}'"):
            late.commit(table.metadata(stat))
    assert not storage.exists(stat.path)
    assert table.rows(storage) == [(1, "two"), (2, "two"), (3, "two")]
    assert Timeline.load(storage).pending == ()


def test_writers_of_different_groups_both_commit(storage, table):
    timeline = Timeline.load(storage)
    with begin(storage, timeline) as one, begin(storage, timeline) as two:
        first = table.write_file(storage, one.time, "a", [1], "x")
        second = table.write_file(storage, two.time, "a", [2], "y")
        two.commit(table.metadata(second))
        one.commit(table.metadata(first))
    assert table.rows(storage) == [(1, "x"), (2, "y")]


@pytest.mark.parametrize("city", ["a", "b"])
def test_two_new_groups_of_one_bucket_conflict(storage, table, city):
    timeline = Timeline.load(storage)
    with begin(storage, timeline) as one, begin(storage, timeline) as two:
        first = table.write_file(storage, one.time, "a", [1], "x", file_id="00000003-aaaa-0")
        second = table.write_file(storage, two.time, city, [1], "y", file_id="00000003-bbbb-0")
        one.commit(table.metadata(first), bucketed=True)
        if city == "a":
            with pytest.raises(CommitConflict, match="00000003-aaaa-0"):
                two.commit(table.metadata(second), bucketed=True)
        else:
            two.commit(table.metadata(second), bucketed=True)


def test_a_write_that_was_rolled_back_by_somebody_cannot_commit(storage, table):
    with begin(storage, Timeline.load(storage)) as transaction:
        stat = table.write_file(storage, transaction.time, "a", [1], "x")
        storage.delete(f".hoodie/{transaction.time}.inflight")
        storage.delete(f".hoodie/{transaction.time}.commit.requested")
        with pytest.raises(CommitError, match="was rolled back"):
            transaction.commit(table.metadata(stat))
    assert table.rows(storage) == []


def test_a_lost_answer_to_the_last_step_is_no_failure(storage, table):
    class Lossy(LocalStorage):
        def create(self, path, body):
            super().create(path, body)
            if path.endswith(".commit"):
                raise AlreadyExists(f"create '{path}': tried twice")

    with begin(Lossy(storage.root), Timeline.load(storage)) as transaction:
        stat = table.write_file(storage, transaction.time, "a", [1], "x")
        transaction.commit(table.metadata(stat))
    assert table.rows(storage) == [(1, "x")]


def test_an_outcome_that_cannot_be_known_deletes_nothing(storage, table):
    class Unreachable(LocalStorage):
        def create(self, path, body):
            if path.endswith(".commit"):
                raise StorageError("timeout")
            super().create(path, body)

        def read(self, path):
            if path.endswith(".commit"):
                raise StorageError("timeout")
            return super().read(path)

    transaction = begin(Unreachable(storage.root), Timeline.load(storage))
    stat = table.write_file(storage, transaction.time, "a", [1], "x")
    with pytest.raises(CommitStateUnknown, match="check the timeline"), transaction:
        transaction.commit(table.metadata(stat))
    assert storage.exists(stat.path)
    assert [i.time for i in Timeline.load(storage).pending] == [transaction.time]
    # its writer is dead, so that the next one rolls it back
    assert rollback_pending(storage) == (transaction.time,)
    assert not storage.exists(stat.path)


def test_a_foreign_commit_under_our_instant_deletes_nothing(storage, table):
    transaction = begin(storage, Timeline.load(storage))
    stat = table.write_file(storage, transaction.time, "a", [1], "x")
    path = f".hoodie/{transaction.time}.commit"

    class Sudden(LocalStorage):
        def create(self, name, body):
            if name == path:
                super().create(name, b"{}")
            super().create(name, body)

    transaction.storage = Sudden(storage.root)
    with pytest.raises(CommitStateUnknown, match="another writer"), transaction:
        transaction.commit(table.metadata(stat))
    assert storage.exists(stat.path)


def test_traces_that_cannot_be_removed_do_not_undo_a_commit(storage, table, caplog):
    class Stubborn(LocalStorage):
        def delete_tree(self, path):
            raise StorageError(f"delete_tree '{path}': Permission denied")

    with caplog.at_level(logging.WARNING), begin(Stubborn(storage.root), Timeline.load(storage)) as transaction:
        stat = table.write_file(storage, transaction.time, "a", [1], "x")
        transaction.commit(table.metadata(stat))
    assert "could not be deleted" in caplog.text
    assert table.rows(storage) == [(1, "x")]
    assert not is_alive(storage, transaction.timeline, transaction.instant, HeartbeatPace(), utc_now())


def test_the_lock_is_waited_for_and_then_given_up_by_name(storage):
    with table_lock(storage), pytest.raises(CommitError, match=r"\.hoodoo\.lock"), table_lock(storage, timeout=0.05):
        pytest.fail("two holders")
    with table_lock(storage, timeout=0):
        pass


def test_a_transaction_ends_once(storage, table):
    with begin(storage, Timeline.load(storage)) as transaction:
        transaction.commit(table.metadata())
        with pytest.raises(CommitError, match="already committed or rolled back"):
            transaction.commit(table.metadata())
    with pytest.raises(ValueError, match="compaction"):
        begin(storage, Timeline.load(storage), "compaction")


def test_a_clock_that_is_minutes_behind_is_warned_of(storage, table):
    with begin(storage, Timeline.load(storage)) as transaction:
        transaction.commit(table.metadata())
    first = transaction.time

    def late():
        return utc_now() - timedelta(minutes=10)

    with (
        pytest.warns(ClockBehind, match=rf"{first} \(UTC\), is 10 min ahead"),
        begin(storage, Timeline.load(storage), coordination=Coordination(late)) as transaction,
    ):
        transaction.commit(table.metadata())
    assert transaction.time == following_instant(first)


@pytest.mark.parametrize("damage", ["gone", "cut"])
def test_a_write_whose_file_does_not_exist_any_more_is_not_committed(storage, table, damage):
    table.write(storage, "old")
    with begin(storage, Timeline.load(storage)) as transaction:
        stats = [table.write_file(storage, transaction.time, "a", [n], "new") for n in range(6)]
        if damage == "gone":
            storage.delete(stats[4].path)
        else:
            storage.replace(stats[4].path, storage.read(stats[4].path)[:-1])
        with pytest.raises(
            CommitConflict, match=rf"'{stats[4].path}' (is missing|has \d+ bytes in place of \d+); this write"
        ):
            transaction.commit(table.metadata(*stats))
    assert table.rows(storage) == [(1, "old"), (2, "old"), (3, "old")]
    assert not any(storage.exists(stat.path) for stat in stats)
    assert Timeline.load(storage).pending == ()
