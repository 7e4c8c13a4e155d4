"""Rollback of the files of failed writers, and files that it must not touch."""

from __future__ import annotations

import io
import os
import signal
from datetime import timedelta

import fastavro
import pytest

from hoodoo.errors import CommitError, CorruptTableError
from hoodoo.storage import Missing
from hoodoo.timeline import Timeline, utc_now
from hoodoo.timeline.codec.avro_file import read_record, write_record
from hoodoo.timeline.codec.service_schemas import REQUESTED_REPLACE, ROLLBACK_PLAN
from hoodoo.txn import Coordination, begin, rollback, rollback_pending

EARLY = "20200101000000000"
LATER = Coordination(lambda: utc_now() + timedelta(seconds=121))
"""The coordination of a writer that regards writers without a current heartbeat as dead."""


def abandon(storage, table, *, city="a"):
    """Leave a write pending after its data file, like a dead process; return the instant time and the write stat."""
    transaction = begin(storage, Timeline.load(storage))
    stat = table.write_file(storage, transaction.time, city, [1], "half")
    transaction._heartbeat.release()
    return transaction.time, stat


def parquet_files(storage):
    return {info.path for info in storage.walk() if info.path.endswith(".parquet")}


def test_a_failed_write_is_cleared_away_and_recorded(storage, table):
    table.write(storage, "one")
    before = parquet_files(storage)
    time, stat = abandon(storage, table)
    assert table.rows(storage) == [(1, "one"), (2, "one"), (3, "one")]
    assert rollback_pending(storage) == (time,)
    assert parquet_files(storage) == before
    timeline = Timeline.load(storage)
    assert timeline.pending == ()
    assert time not in {i.time for i in timeline.instants}
    recorded = timeline.instants[-1]
    assert recorded.action == "rollback"
    record = read_record(timeline.read(recorded), "x")
    assert record["commitsRollback"] == [time]
    assert record["totalFilesDeleted"] == 1
    assert record["partitionMetadata"]["a"]["successDeleteFiles"] == [f"{storage.uri}/{stat.path}"]
    assert not storage.exists(f".hoodie/.temp/{time}")
    assert not storage.exists(f".hoodie/.heartbeat/{time}")
    assert rollback_pending(storage) == ()
    table.write(storage, "two")
    assert table.rows(storage) == [(1, "two"), (2, "two"), (3, "two")]


def test_a_write_rolls_back_failed_ones_as_it_begins(storage, table):
    table.write(storage, "one")
    before = parquet_files(storage)
    time, _ = abandon(storage, table)
    with begin(storage, Timeline.load(storage), repairs=True) as transaction:
        assert parquet_files(storage) == before
        current = transaction.take_current_timeline()
        assert [instant.action for instant in current.instants] == ["commit", "rollback"]
        assert time < current.instants[-1].time < transaction.time


def test_the_timeline_after_a_commit_is_the_one_that_is_stored(storage, table):
    for first in (True, False):
        with begin(storage, Timeline.load(storage)) as transaction:
            transaction.commit(table.metadata(table.write_file(storage, transaction.time, "a", [1], f"{first}")))
        committed, stored = transaction.committed_timeline(), Timeline.load(storage)
        assert (committed.instants, committed.commits) == (stored.instants, stored.commits)
        assert (committed.first_time, committed.last_time) == (stored.first_time, stored.last_time)


def test_without_markers_the_files_are_found_by_listing(storage, table):
    time, stat = abandon(storage, table)
    storage.delete_tree(f".hoodie/.temp/{time}")
    assert rollback_pending(storage) == (time,)
    assert not storage.exists(stat.path)


def test_a_writer_that_is_alive_is_left_alone(storage, table):
    with begin(storage, Timeline.load(storage)) as transaction:
        stat = table.write_file(storage, transaction.time, "a", [1], "x")
        assert rollback_pending(storage) == ()
        transaction.commit(table.metadata(stat))
    assert table.rows(storage) == [(1, "x")]


def test_a_writer_in_another_process_lives_until_it_is_killed(storage, table):
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        transaction = begin(storage, Timeline.load(storage))
        table.write_file(storage, transaction.time, "a", [1], "half")
        os.write(writer, transaction.time.encode())
        signal.pause()
    time = os.read(reader, 100).decode()
    assert rollback_pending(storage) == ()
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    assert rollback_pending(storage) == (time,)
    assert parquet_files(storage) == set()


def test_a_completed_instant_is_never_rolled_back(storage, table):
    instant = table.write(storage, "one")
    with pytest.raises(CommitError, match="completed"):
        rollback(storage, instant.time)
    assert len(table.rows(storage)) == 3
    assert not rollback(storage, EARLY)


def test_a_pending_rollback_of_a_completed_instant_deletes_nothing(storage, table):
    instant = table.write(storage, "one")
    plan = {"instantToRollback": {"commitTime": instant.time, "action": "commit"}, "RollbackRequests": []}
    storage.create(".hoodie/20990101000000000.rollback.requested", write_record(ROLLBACK_PLAN, plan))
    with pytest.raises(CommitError, match="which is completed"):
        rollback_pending(storage)
    assert len(table.rows(storage)) == 3


def plan_for(time, partition, uri):
    request = {"partitionPath": partition, "filesToBeDeleted": [uri]}
    return {"instantToRollback": {"commitTime": time, "action": "commit"}, "RollbackRequests": [request]}


@pytest.mark.parametrize(
    ("partition", "uri"),
    [("..", "file:/x/f-0_0-1-1_{time}.parquet"), ("a", "file:/t/a/f-0_0-1-1_20200101000000000.parquet")],
)
def test_a_plan_that_names_foreign_files_is_refused(storage, table, partition, uri):
    time, stat = abandon(storage, table)
    plan = plan_for(time, partition, uri.format(time=time))
    storage.create(".hoodie/20990101000000000.rollback.requested", write_record(ROLLBACK_PLAN, plan))
    with pytest.raises(CorruptTableError, match="of the rollback"):
        rollback_pending(storage)
    assert storage.exists(stat.path)


def hudis(schema, record):
    """Return the bytes of an Avro file as Hudi writes it, without the entry that marks files of hoodoo."""
    body = io.BytesIO()
    fastavro.writer(body, fastavro.parse_schema(dict(schema)), [record], codec="null")
    return body.getvalue()


def test_a_rollback_that_another_writer_began_is_finished(storage, table):
    time, stat = abandon(storage, table)
    plan = plan_for(time, "a", f"file:/old/place/{stat.path}")
    storage.create(".hoodie/20990101000000000.rollback.requested", hudis(ROLLBACK_PLAN, plan))
    storage.create(".hoodie/20990101000000000.rollback.inflight", b"")
    assert rollback_pending(storage, coordination=LATER) == ()
    assert not storage.exists(stat.path)
    timeline = Timeline.load(storage)
    assert timeline.pending == ()
    assert [i.time for i in timeline.instants] == ["20990101000000000"]


def test_a_rollback_that_another_writer_carries_out_is_left_alone(storage, table):
    """Hudi does not hold a lock during its rollback, and fails if another writer completes the rollback."""
    time, stat = abandon(storage, table)
    plan = plan_for(time, "a", f"file:/t/{stat.path}")
    storage.create(".hoodie/20990101000000000.rollback.requested", hudis(ROLLBACK_PLAN, plan))
    storage.create(".hoodie/20990101000000000.rollback.inflight", b"")
    pending = Timeline.load(storage).pending
    assert rollback_pending(storage) == ()
    assert Timeline.load(storage).pending == pending
    assert storage.exists(stat.path)
    # with a heartbeat the write continues as long as the heartbeat is renewed
    storage.create(".hoodie/.heartbeat/20990101000000000", b"")
    os.utime(storage.local_path(".hoodie/.heartbeat/20990101000000000"), (0, (utc_now().timestamp() + 60)))
    assert rollback_pending(storage, coordination=LATER) == ()
    assert Timeline.load(storage).pending == pending


def test_a_rollback_of_ours_is_finished_at_once(storage, table):
    time, stat = abandon(storage, table)
    plan = write_record(ROLLBACK_PLAN, plan_for(time, "a", f"file:/t/{stat.path}"))
    storage.create(".hoodie/20990101000000000.rollback.requested", plan)
    assert rollback_pending(storage) == ()
    assert not storage.exists(stat.path)
    assert Timeline.load(storage).pending == ()


@pytest.mark.parametrize("torn", [None, b"", b"Obj\x01torn"])
def test_a_rollback_whose_plan_was_torn_is_planned_again(storage, table, torn):
    time, stat = abandon(storage, table)
    if torn is not None:
        storage.create(".hoodie/20990101000000000.rollback.requested", torn)
    storage.create(".hoodie/20990101000000000.rollback.inflight", b"")
    assert rollback_pending(storage) == (time,)
    assert not storage.exists(stat.path)
    assert rollback_pending(storage, coordination=LATER) == ()
    assert Timeline.load(storage).pending == ()
    with pytest.raises(Missing):
        storage.read(".hoodie/20990101000000000.rollback.inflight")


def test_services_of_other_writers_are_left_alone(storage):
    clustering = write_record(REQUESTED_REPLACE, {"operationType": "CLUSTER", "clusteringPlan": {}})
    storage.create(f".hoodie/{EARLY}.replacecommit.requested", clustering)
    storage.create(".hoodie/20200101000000001.compaction.requested", b"x")
    assert rollback_pending(storage) == ()
    assert len(Timeline.load(storage).pending) == 2


def test_a_failed_overwrite_of_another_writer_is_rolled_back(storage):
    storage.create(f".hoodie/{EARLY}.replacecommit.requested", write_record(REQUESTED_REPLACE, {}))
    storage.create(f".hoodie/{EARLY}.replacecommit.inflight", b"{}")
    storage.create(f"a/f-0_0-1-1_{EARLY}.parquet", b"")
    # a writer without a heartbeat may be alive as long as it has changed the timeline lately
    assert rollback_pending(storage) == ()
    assert rollback_pending(storage, coordination=LATER) == (EARLY,)
    assert parquet_files(storage) == set()
