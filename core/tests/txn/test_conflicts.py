"""Conflicts of overlapping writes, interleaved and in processes: one of two conflicting writes gets an error."""

from __future__ import annotations

import multiprocessing
import re
import threading

import pytest

from hoodoo.errors import CommitConflict
from hoodoo.filegroup import file_slices
from hoodoo.storage import LocalStorage
from hoodoo.timeline import CommitMetadata, CompactionOperation, CompactionPlan, Instant, State, WriteStat
from hoodoo.timeline.codec.avro_file import write_record
from hoodoo.timeline.codec.service_schemas import REQUESTED_REPLACE
from hoodoo.txn import begin, schedule, start
from hoodoo.txn.conflicts import Write, find_conflict

versions = pytest.mark.parametrize("version", [6, 9])


@pytest.fixture(params=[6, 9])
def storage(request, tmp_path, table):
    storage = LocalStorage(str(tmp_path / "table"))
    table.create(storage, request.param, "MERGE_ON_READ")
    table.write(storage, "old")
    return storage


def stat(path, *, inserts=0, updates=0, file_id=None):
    partition, _, name = path.rpartition("/")
    file_id = file_id or re.sub(r"^\.|_.*", "", name)
    return WriteStat(file_id, path, partition, num_inserts=inserts, num_update_writes=updates)


def new_group(instant, partition="a", file_id="f-0", inserts=1):
    return stat(f"{partition}/{file_id}_0-0-0_{instant}.parquet", inserts=inserts)


def put(storage, written):
    """Create the file of a write stat without content, and return the stat."""
    storage.replace(written.path, b"")
    return written


def commit_of(table, storage, *stats, timeline, operation="UPSERT", replaced=None, **how):
    """Commit files without content, and return the completed instant."""
    action = "replacecommit" if replaced is not None else "commit"
    with begin(storage, timeline, action) as transaction:
        made = [put(storage, s(transaction.time) if callable(s) else s) for s in stats]
        return transaction.commit(table.metadata(*made, operation=operation, replaced=replaced), **how)


@pytest.mark.parametrize(
    ("theirs", "new_keys", "conflict"),
    [
        ({"partition": "a"}, None, None),
        ({"partition": "a"}, "partition", "inserted new keys into partition 'a'"),
        ({"partition": "b"}, "partition", None),
        ({"partition": "b"}, "table", "inserted new keys into partition 'b'"),
        ({"partition": "a", "inserts": 0}, "partition", None),
        ({"partition": "a", "inserts": 0}, "table", None),
    ],
)
def test_new_keys_that_may_be_the_same(storage, table, theirs, new_keys, conflict):
    timeline = table.load(storage)
    winner = commit_of(table, storage, lambda t: new_group(t, file_id="g-0", **theirs), timeline=timeline)

    def lose():
        return commit_of(table, storage, new_group, timeline=timeline, new_keys=new_keys)

    if conflict is None:
        lose()
    else:
        with pytest.raises(CommitConflict, match=f"commit {winner.time} {conflict}.*run it again on the new state"):
            lose()
        # on the new state the write succeeds
        commit_of(table, storage, new_group, timeline=table.load(storage), new_keys=new_keys)


def test_a_write_without_new_keys_has_no_conflict(storage, table):
    timeline = table.load(storage)
    commit_of(table, storage, lambda t: new_group(t, file_id="g-0"), timeline=timeline)
    commit_of(table, storage, lambda t: new_group(t, inserts=0), timeline=timeline, new_keys="table")


@pytest.mark.parametrize("operation", ["COMPACT", "CLUSTER", "LOG_COMPACT"])
def test_services_bring_no_new_keys(storage, table, operation):
    timeline = table.load(storage)
    commit_of(table, storage, lambda t: new_group(t, file_id="g-0"), timeline=timeline, operation=operation)
    commit_of(table, storage, new_group, timeline=timeline, new_keys="table")


def test_a_partition_that_is_replaced_as_a_whole(storage, table):
    timeline = table.load(storage)
    winner = commit_of(table, storage, lambda t: new_group(t, file_id="g-0"), timeline=timeline)
    with pytest.raises(CommitConflict, match=f"commit {winner.time} wrote to partition 'a', which this write replaces"):
        commit_of(table, storage, new_group, timeline=timeline, replaced={"a": ("x-0",)})
    commit_of(table, storage, lambda t: new_group(t, "b"), timeline=timeline, replaced={"b": ("x-0",)})


def test_a_group_that_another_replaced(storage, table):
    timeline = table.load(storage)
    old = next(s for s in file_slices(storage, timeline) if s.partition == "a")
    winner = commit_of(table, storage, timeline=timeline, replaced={"a": (old.file_id,)})
    with pytest.raises(CommitConflict, match=f"replacecommit {winner.time} changed file group '{old.file_id}'"):
        commit_of(table, storage, lambda t: new_group(t, file_id=old.file_id), timeline=timeline)


def plan_of(old, logs=()):
    operation = CompactionOperation(
        old.partition, old.file_id, old.base_instant, old.path.rpartition("/")[2], tuple(logs)
    )
    return CompactionPlan((operation,)).to_avro()


def test_a_pending_compaction_lets_logs_pass_and_nothing_else(storage, table):
    timeline = table.load(storage)
    old = next(s for s in file_slices(storage, timeline) if s.partition == "a")
    planned = schedule(storage, timeline, "compaction", lambda now, time: plan_of(old))
    assert planned.state is State.REQUESTED
    known = table.load(storage)
    assert known.pending_compactions() == {("a", old.file_id): planned.time}
    with pytest.raises(CommitConflict, match=f"compaction {planned.time} is going to compact .* after"):
        commit_of(table, storage, lambda t: new_group(t, file_id=old.file_id), timeline=known)
    named = planned.time if known.layout == 1 else "20990101000000000"
    log = stat(f"a/.{old.file_id}_{named}.log.1_0-0-0", updates=1)
    commit_of(table, storage, log, timeline=known)


def test_a_log_that_did_not_know_of_a_compaction(storage, table):
    """The log conflicts in version 6, where its name selects the old slice; in version 9 its completion time counts."""
    timeline = table.load(storage)
    old = next(s for s in file_slices(storage, timeline) if s.partition == "a")
    log = stat(f"a/.{old.file_id}_{old.base_instant}.log.1_0-0-0", updates=1)
    instant = schedule(storage, timeline, "compaction", lambda now, time: plan_of(old))
    if timeline.layout == 1:
        with pytest.raises(CommitConflict, match="is going to compact"):
            commit_of(table, storage, log, timeline=timeline)
    with start(storage, table.load(storage), instant) as compaction:
        compaction.commit(
            table.metadata(put(storage, new_group(compaction.time, file_id=old.file_id)), operation="COMPACT")
        )
    if timeline.layout == 1:
        with pytest.raises(CommitConflict, match=f"commit {instant.time} changed file group"):
            commit_of(table, storage, log, timeline=timeline)
    else:
        commit_of(table, storage, log, timeline=timeline)


def test_in_version_6_a_compaction_waits_for_delta_commits(storage, table):
    timeline = table.load(storage)
    with begin(storage, timeline, "deltacommit") as transaction:
        if timeline.layout == 1:
            with pytest.raises(CommitConflict, match=f"deltacommit {transaction.time} is in progress"):
                schedule(storage, timeline, "compaction", lambda now, time: b"x")
        else:
            assert schedule(storage, timeline, "compaction", lambda now, time: None) is None


def test_what_a_compaction_overlaps_with(storage, table):
    """Logs may be completed during a compaction; another writer cannot execute the same compaction."""
    timeline = table.load(storage)
    old = next(s for s in file_slices(storage, timeline) if s.partition == "a")
    instant = schedule(storage, timeline, "compaction", lambda now, time: plan_of(old))
    with start(storage, timeline, instant) as compaction:
        with pytest.raises(CommitConflict, match="another writer is executing"):
            start(storage, timeline, instant)
        named = instant.time if timeline.layout == 1 else "20990101000000000"
        log = stat(f"a/.{old.file_id}_{named}.log.1_0-0-0", updates=1)
        commit_of(table, storage, log, timeline=table.load(storage))
        done = compaction.commit(
            table.metadata(put(storage, new_group(instant.time, file_id=old.file_id)), operation="COMPACT")
        )
    assert done.completed_action == "commit"
    assert table.load(storage).pending == ()


def test_groups_that_are_going_to_be_clustered(storage, table):
    timeline = table.load(storage)
    old = next(s for s in file_slices(storage, timeline) if s.partition == "a")
    plan = {"inputGroups": [{"slices": [{"fileId": old.file_id, "partitionPath": "a"}]}]}
    action = "replacecommit" if timeline.layout == 1 else "clustering"
    requested = Instant("20200101000000000", action, State.REQUESTED)
    storage.create(timeline.path_of(requested), write_record(REQUESTED_REPLACE, {"clusteringPlan": plan}))
    with pytest.raises(CommitConflict, match=f"{action} 20200101000000000 is going to cluster .* after"):
        commit_of(table, storage, lambda t: new_group(t, file_id=old.file_id), timeline=timeline)
    commit_of(table, storage, new_group, timeline=timeline)


def test_a_write_without_overlap_has_no_conflict(storage, table):
    timeline = table.load(storage)
    write = Write(Instant("20990101000000000", "commit"), CommitMetadata("UPSERT"), new_keys="table")
    assert find_conflict(timeline, frozenset(timeline.commits), write) is None


def contend(root, name, barrier, results):
    """Insert a new key with a simple index, in a process: look up keys, wait for the other processes, and commit."""
    from hoodoo.properties import load_properties
    from hoodoo.timeline import Timeline

    storage = LocalStorage(root)
    properties = load_properties(storage)
    losses = 0
    while True:
        timeline = Timeline.load(storage, properties.layout_version, properties.timeline_folder)
        known = {
            s.file_id
            for i in timeline.commits
            for s in timeline.commit_metadata(i).stats()
            if s.partition_path == "new"
        }
        if not losses:
            barrier.wait(60)
        if known:
            results.put((name, losses, "found"))
            return
        try:
            with begin(storage, timeline) as transaction:
                path = f"new/{name}-0_0-0-0_{transaction.time}.parquet"
                done = CommitMetadata("UPSERT", {"new": (put(storage, stat(path, inserts=1)),)})
                transaction.commit(done, new_keys="partition")
        except CommitConflict as conflict:
            losses += 1
            assert "run it again on the new state" in str(conflict)  # noqa: PT017  # in another process
        else:
            results.put((name, losses, "inserted"))
            return


def test_processes_that_insert_the_same_new_key(storage, table):
    """All search before any of them commits: one inserts the key, the others fail once and then find it."""
    context = multiprocessing.get_context("fork")
    count = 4
    barrier, results = context.Barrier(count), context.Queue()
    processes = [context.Process(target=contend, args=(storage.root, f"w{n}", barrier, results)) for n in range(count)]
    for process in processes:
        process.start()
    outcomes = sorted(results.get(timeout=120)[1:] for _ in processes)
    for process in processes:
        process.join(60)
    assert outcomes == [(0, "inserted"), *[(1, "found")] * (count - 1)]
    timeline = table.load(storage)
    assert timeline.pending == ()
    inserted = [s for i in timeline.commits for s in timeline.commit_metadata(i).stats() if s.partition_path == "new"]
    assert len(inserted) == 1


def test_threads_that_change_one_group_lose_no_change(storage, table):
    """Four writers increase a counter: each retries until it has succeeded twice."""
    total, barrier, failures = 8, threading.Barrier(4), []

    def raise_twice(name):
        barrier.wait(60)
        for _ in range(2):
            while True:
                timeline = table.load(storage)
                last = timeline.commit_metadata(timeline.commits[-1])
                count = int(last.extra_metadata.get("count", 0)) + 1
                try:
                    with begin(storage, timeline) as transaction:
                        done = table.metadata(put(storage, new_group(transaction.time)))
                        extra = {**done.extra_metadata, "count": str(count), "by": name}
                        transaction.commit(CommitMetadata("UPSERT", done.write_stats, extra))
                    break
                except CommitConflict:
                    continue
                except BaseException as error:
                    failures.append(error)
                    raise

    threads = [threading.Thread(target=raise_twice, args=(f"t{n}",)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    timeline = table.load(storage)
    ordered = timeline.commits_between(None, None)
    counts = [timeline.commit_metadata(i).extra_metadata.get("count") for i in ordered]
    assert counts == [None, *map(str, range(1, total + 1))]
