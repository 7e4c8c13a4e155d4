"""The same protocol in both timeline layouts: names, encodings, completion times; read by the package `hudi`."""

from __future__ import annotations

import io
import json
from datetime import UTC, datetime

import fastavro
import pyarrow as pa
import pytest

from hoodoo.filegroup import file_slices
from hoodoo.storage import AlreadyExists, LocalStorage
from hoodoo.timeline import CommitMetadata
from hoodoo.txn import Coordination, begin, create_marker, rollback, rollback_pending

versions = pytest.mark.parametrize("version", [6, 9])


@pytest.fixture
def made(tmp_path, table):
    def make(version, table_type="COPY_ON_WRITE"):
        storage = LocalStorage(str(tmp_path / f"v{version}"))
        table.create(storage, version, table_type)
        return storage

    return make


@pytest.fixture
def slices(made, table):
    """Create a merge-on-read table of version 6; return its storage, its timeline, and its two file slices."""
    storage = made(6, "MERGE_ON_READ")
    table.write(storage, "old")
    timeline = table.load(storage)
    return storage, timeline, *file_slices(storage, timeline)


def names(storage, version):
    folder = ".hoodie" if version == 6 else ".hoodie/timeline"
    found = {info.path.rpartition("/")[2] for info in storage.list(folder)}
    return {name for name in found if name[0] == "2"}


def rows_of_hudi(storage):
    hudi = pytest.importorskip("hudi")
    batches = hudi.HudiTableBuilder.from_base_uri(storage.uri).build().read()
    rows = [row for batch in batches for row in pa.record_batch(batch).to_pylist()]
    return sorted((row["id"], row["value"]) for row in rows)


def record(body):
    [found] = fastavro.reader(io.BytesIO(body))
    return found


@versions
@pytest.mark.parametrize("action", ["commit", "deltacommit", "replacecommit"])
def test_the_three_files_of_an_instant(made, table, version, action):
    storage = made(version)
    timeline = table.load(storage)
    with begin(storage, timeline, action, "UPSERT") as transaction:
        stat = table.write_file(storage, transaction.time, "a", [1], "x")
        replaced = {"a": ()} if action == "replacecommit" else None
        done = transaction.commit(table.metadata(stat, replaced=replaced))
    time, inflight = transaction.time, "inflight" if action == "commit" else f"{action}.inflight"
    ended = time if version == 6 else f"{time}_{done.completion_time}"
    assert names(storage, version) == {f"{time}.{action}.requested", f"{time}.{inflight}", f"{ended}.{action}"}
    if version == 9:
        assert done.completion_time > time
    requested, begun, completed = (
        storage.read(f"{timeline.folder}/{name}")
        for name in (f"{time}.{action}.requested", f"{time}.{inflight}", f"{ended}.{action}")
    )
    if action == "replacecommit":
        assert record(requested) == dict.fromkeys(("operationType", "clusteringPlan", "extraMetadata", "version"))
    else:
        assert requested == b""
    read = json.loads if version == 6 else record
    assert read(begun)["operationType"] == "UPSERT"
    stats = read(completed)["partitionToWriteStats"]["a"]
    assert [entry["path"] for entry in stats] == [stat.path]
    assert ("partitionToReplaceFileIds" in read(completed)) == (action == "replacecommit")
    assert rows_of_hudi(storage) == table.rows(storage) == [(1, "x")]


@versions
def test_times_increase_when_the_clock_does_not_move(made, table, version):
    def clock():
        return datetime(2024, 2, 29, 23, 59, 59, 999000, UTC)

    storage = made(version)
    times = []
    for _ in range(2):
        with begin(storage, table.load(storage), coordination=Coordination(clock)) as transaction:
            instant = transaction.commit(table.metadata())
            times += [instant.time, instant.completion_time]
    expected = ["20240229235959999", "20240301000000000", "20240301000000001", "20240301000000002"]
    assert [time for time in times if time] == (expected if version == 9 else expected[:2])


@versions
def test_writers_that_overlap_complete_in_the_order_in_which_they_end(made, table, version):
    storage = made(version)
    timeline = table.load(storage)
    with begin(storage, timeline) as early, begin(storage, timeline) as late:
        first = late.commit(table.metadata(table.write_file(storage, late.time, "b", [2], "y")))
        second = early.commit(table.metadata(table.write_file(storage, early.time, "a", [1], "x")))
    assert first.time > second.time
    assert first.completed_at < second.completed_at if version == 9 else first.completed_at > second.completed_at
    assert rows_of_hudi(storage) == [(1, "x"), (2, "y")]


@versions
@pytest.mark.parametrize("torn", [False, True])
def test_a_failed_delta_commit_is_rolled_back(made, table, version, torn):
    """In version 6 a command in a new log revokes a whole log; torn logs and logs of later versions are deleted."""
    storage = made(version, "MERGE_ON_READ")
    table.write(storage, "old")
    timeline = table.load(storage)
    transaction = begin(storage, timeline, "deltacommit")
    [city_a, _] = file_slices(storage, timeline)
    log = table.log_rows(storage, transaction.time, city_a, [1], "half")
    if torn:
        path = storage.local_path(log.path)
        with open(path, "r+b") as file:  # noqa: PTH123
            file.truncate(200)
    table.write_file(storage, transaction.time, "c", [9], "half")
    transaction._heartbeat.release()
    assert rollback_pending(storage, timeline) == (transaction.time,)

    [done] = [i for i in table.load(storage).instants if i.action == "rollback"]
    metadata = record(table.load(storage).read(done))
    assert metadata["commitsRollback"] == [transaction.time]
    assert metadata["instantsRollback"] == [{"commitTime": transaction.time, "action": "deltacommit"}]
    part = metadata["partitionMetadata"]["a"]
    if version == 6 and not torn:
        assert storage.exists(log.path)
        assert part["logFilesFromFailedCommit"] == {f"{storage.uri}/{log.path}": log.file_size_in_bytes}
        command = f"a/.{city_a.file_id}_{city_a.base_instant}.log.2_1-0-1"
        assert part["rollbackLogFiles"] == {f"{storage.uri}/{command}": 117}
        assert part["successDeleteFiles"] == []
        assert len(storage.read(command)) == 117
    else:
        assert not storage.exists(log.path)
        assert part["successDeleteFiles"] == [f"{storage.uri}/{log.path}"]
        assert part["rollbackLogFiles"] == {}
    assert rows_of_hudi(storage) == [(1, "old"), (2, "old"), (3, "old")]

    # no writer reuses the instant of a log, and the next log of the slice is valid
    timeline = table.load(storage)
    with begin(storage, timeline, "deltacommit") as transaction:
        [city_a, _] = file_slices(storage, timeline)
        transaction.commit(table.metadata(table.log_rows(storage, transaction.time, city_a, [1], "new")))
    assert rows_of_hudi(storage) == [(1, "new"), (2, "old"), (3, "old")]


@versions
def test_logs_of_a_failed_commit_are_found_without_its_markers(made, table, version):
    storage = made(version, "MERGE_ON_READ")
    table.write(storage, "old")
    timeline = table.load(storage)
    transaction = begin(storage, timeline, "deltacommit")
    [city_a, city_b] = file_slices(storage, timeline)
    log = table.log_rows(storage, transaction.time, city_a, [1], "half")
    # what another writer is writing just now must stay
    other = begin(storage, timeline, "deltacommit")
    theirs = table.log_rows(storage, other.time, city_b, [3], "theirs")
    storage.delete_tree(f".hoodie/.temp/{transaction.time}")
    transaction._heartbeat.release()
    assert rollback_pending(storage, timeline) == (transaction.time,)
    assert storage.exists(log.path) == (version == 6)
    other.commit(table.metadata(theirs))
    assert rows_of_hudi(storage) == [(1, "old"), (2, "old"), (3, "theirs")]


def test_a_log_that_others_wrote_to_is_not_deleted(slices, table):
    """A log to which Hudi appended can have blocks of a completed commit and of a failed one; it is not deleted."""
    storage, timeline, city_a, _ = slices
    with begin(storage, timeline, "deltacommit") as transaction:
        log = table.log_rows(storage, transaction.time, city_a, [1], "new")
        transaction.commit(table.metadata(log))
    failed = begin(storage, timeline, "deltacommit")
    half = table.log_rows(storage, failed.time, city_a, [2], "half", token="0-0-1")
    body = storage.read(half.path)
    storage.replace(log.path, storage.read(log.path) + body[: len(body) // 2])
    storage.delete(half.path)
    storage.delete_tree(f".hoodie/.temp/{failed.time}")
    failed._heartbeat.release()
    rollback_pending(storage, timeline)
    assert storage.exists(log.path)
    assert rows_of_hudi(storage) == [(1, "new"), (2, "old"), (3, "old")]


@versions
def test_a_rollback_of_an_instant_that_is_not_there_does_nothing(made, table, version):
    storage = made(version)
    assert not rollback(storage, "20200101000000000", table.load(storage))


@versions
def test_another_folder_of_the_timeline_is_kept_to(tmp_path, table, version):
    """Writes use the folder of the timeline that a table may name in layout 2."""
    storage = LocalStorage(str(tmp_path / "t"))
    table.create(storage, version)
    timeline = table.load(storage)
    if version == 9:
        storage.create(".hoodie/elsewhere/mark", b"")
        timeline = type(timeline).load(storage, 2, ".hoodie/elsewhere")
    with begin(storage, timeline) as transaction:
        table.write_file(storage, transaction.time, "a", [1], "x")
    assert {i.action for i in timeline.reloaded().instants} == {"rollback"}
    with begin(storage, timeline) as transaction:
        transaction.commit(CommitMetadata("UPSERT"))
    assert [i.action for i in timeline.reloaded().commits] == ["commit"]
    if version == 9:
        assert not storage.exists(".hoodie/timeline")


def test_the_log_of_another_writer_is_not_deleted_for_its_name(slices, table):
    """In earlier releases two writers could choose one name: the loser must not delete the file of the winner."""
    storage, timeline, city_a, _ = slices
    winner = begin(storage, timeline, "deltacommit")
    loser = begin(storage, timeline, "deltacommit")
    log = table.log_rows(storage, winner.time, city_a, [1], "new")
    body = storage.read(log.path)
    create_marker(storage, loser.time, log.path, "APPEND")
    with pytest.raises(AlreadyExists):
        storage.open_output(log.path)
    # the winner has written half of its block by then
    storage.replace(log.path, body[:50])
    loser.rollback()
    assert storage.read(log.path) == body[:50]
    storage.replace(log.path, body)
    winner.commit(table.metadata(log))
    assert rows_of_hudi(storage) == [(1, "new"), (2, "old"), (3, "old")]


def test_the_header_of_a_torn_block_names_its_writer(slices, table):
    """Without markers, the instant in the header of a torn log names its writer, even if a row contains another."""
    storage, timeline, city_a, city_b = slices
    failed = begin(storage, timeline, "deltacommit")
    other = begin(storage, timeline, "deltacommit")
    ours = table.log_rows(storage, failed.time, city_a, [1], "half")
    theirs = table.log_rows(storage, other.time, city_b, [3], failed.time)
    whole = storage.read(theirs.path)
    for log in (ours, theirs):
        storage.replace(log.path, storage.read(log.path)[:-20])
    for time in (failed.time, other.time):
        storage.delete_tree(f".hoodie/.temp/{time}")
    failed._heartbeat.release()
    assert rollback_pending(storage, timeline) == (failed.time,)
    assert not storage.exists(ours.path)
    assert storage.read(theirs.path) == whole[:-20]
    storage.replace(theirs.path, whole)
    other.commit(table.metadata(theirs))
    assert rows_of_hudi(storage) == [(1, "old"), (2, "old"), (3, failed.time)]
