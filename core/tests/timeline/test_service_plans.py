"""Plans of pending compactions and clusterings: real ones without their completed file, and damaged ones."""

from __future__ import annotations

import io

import fastavro
import pytest

from hoodoo.errors import CorruptTableError, TableChanged
from hoodoo.storage import LocalStorage
from hoodoo.timeline import CompactionOperation, CompactionPlan, Instant, State, Timeline, compaction_plan

T1, T2 = "20240101000001000", "20240101000002000"
COMPACTED = [
    "quickstart_trips_table_mor_avro__v8_trips_8i3u1d",
    "sample_table_mor_avro__v9_txns_simple_nometa",
    "mor9-compaction-done",
]
CLUSTERED = [
    "sample_table_cow__v9_txns_complex_nometa",
    "sample_table_mor_avro__v9_txns_simple_nometa",
    "cow9-clustered",
]

OPERATION = {
    "type": "record",
    "name": "HoodieCompactionOperation",
    "fields": [
        {"name": "baseInstantTime", "type": ["null", "string"]},
        {"name": "deltaFilePaths", "type": ["null", {"type": "array", "items": "string"}]},
        {"name": "dataFilePath", "type": ["null", "string"]},
        {"name": "fileId", "type": ["null", "string"]},
        {"name": "partitionPath", "type": ["null", "string"]},
    ],
}
COMPACTION = {
    "type": "record",
    "name": "HoodieCompactionPlan",
    "fields": [{"name": "operations", "type": ["null", {"type": "array", "items": OPERATION}]}],
}
LOG_ONLY = {
    "baseInstantTime": T1,
    "deltaFilePaths": [f".f-0_{T1}.log.1_0-1-2"],
    "dataFilePath": "",
    "fileId": "f-0",
    "partitionPath": "p",
}


def plan(*operations):
    body = io.BytesIO()
    fastavro.writer(body, COMPACTION, [{"operations": list(operations)}])
    return body.getvalue()


def timeline_of(tmp_path, files):
    storage = LocalStorage(str(tmp_path))
    for name, body in files.items():
        storage.create(f".hoodie/{name}", body)
    return Timeline.load(storage)


def raw(timeline, name):
    (record,) = fastavro.reader(io.BytesIO(timeline.storage.read(f"{timeline.folder}/{name}")))
    return record


def pending(timeline, service):
    """Return the timeline before the services of a kind were completed, and the times of the services."""
    files = timeline.storage.list(timeline.folder)
    names = [info.path.rpartition("/")[2] for info in files]
    found = [name.partition(".")[0] for name in names if name.endswith(f".{service}.requested")]
    assert found
    return Timeline.load(Without(timeline.storage, {f"{time}_" for time in found}), timeline.layout), found


class Without:
    """Storage that does not list the completed files of some instants."""

    def __init__(self, storage, prefixes):
        self._storage = storage
        self._prefixes = tuple(prefixes)

    def list(self, folder):
        files = self._storage.list(folder)
        return [info for info in files if not info.path.rpartition("/")[2].startswith(self._prefixes)]

    def __getattr__(self, name):
        return getattr(self._storage, name)


@pytest.mark.parametrize("name", COMPACTED)
def test_pending_compactions(name, unzipped, timeline_at):
    whole = timeline_at(unzipped(name))
    assert whole.pending_compactions() == {}
    timeline, found = pending(whole, "compaction")
    wanted = {}
    for time in found:
        operations = raw(timeline, f"{time}.compaction.requested")["operations"]
        wanted |= {(o["partitionPath"], o["fileId"]): time for o in operations}
        instant = next(i for i in timeline.pending if i.time == time)
        assert instant == Instant(time, "compaction", State.INFLIGHT)
        for ours, theirs in zip(compaction_plan(timeline, instant).operations, operations, strict=True):
            assert (ours.partition, ours.file_id) == (theirs["partitionPath"], theirs["fileId"])
            assert (ours.base_instant, ours.data_file) == (theirs["baseInstantTime"], theirs["dataFilePath"])
            assert ours.log_files == tuple(theirs["deltaFilePaths"])
            assert all(name.startswith(f".{ours.file_id}_") for name in ours.log_files)
    assert timeline.pending_compactions() == wanted
    assert timeline.as_of(timeline.commits[0].time).pending_compactions() == {}


@pytest.mark.parametrize("name", CLUSTERED)
def test_pending_clustering(name, unzipped, timeline_at):
    whole = timeline_at(unzipped(name))
    assert whole.pending_clustering() == frozenset()
    timeline, (time,) = pending(whole, "clustering")
    groups = raw(timeline, f"{time}.clustering.requested")["clusteringPlan"]["inputGroups"]
    wanted = {(part["partitionPath"], part["fileId"]) for group in groups for part in group["slices"]}
    assert timeline.pending_clustering() == wanted
    # the files that the finished clustering replaced are those that its plan named
    completed = next(instant for instant in whole.commits if instant.time == time)
    replaced = whole.commit_metadata(completed).replaced
    assert {(p, file_id) for p, file_ids in replaced.items() for file_id in file_ids} == wanted


def test_a_pending_overwrite_is_not_a_clustering(unzipped, timeline_at):
    timeline, _ = pending(timeline_at(unzipped("sample_table_cow__v9_txns_complex_nometa")), "replacecommit")
    assert [i.action for i in timeline.pending] == ["replacecommit"]
    assert timeline.pending_clustering() == frozenset()


def test_a_plan_in_layout_1(tmp_path):
    timeline = timeline_of(tmp_path, {f"{T1}.deltacommit": b"{}", f"{T2}.compaction.requested": plan(LOG_ONLY)})
    assert timeline.pending_compactions() == {("p", "f-0"): T2}
    (operation,) = compaction_plan(timeline, timeline.pending[0]).operations
    assert operation.data_file is None
    assert operation.log_files == (f".f-0_{T1}.log.1_0-1-2",)


def test_plans_of_old_writers_hold_whole_paths(tmp_path):
    old = LOG_ONLY | {"dataFilePath": "s3://b/t/p/f-0_1-0-1_2.parquet", "deltaFilePaths": ["s3://b/t/p/.f-0_2.log.1"]}
    timeline = timeline_of(tmp_path, {f"{T2}.compaction.requested": plan(old)})
    (operation,) = compaction_plan(timeline, timeline.pending[0]).operations
    assert (operation.data_file, operation.log_files) == ("f-0_1-0-1_2.parquet", (".f-0_2.log.1",))


def test_an_empty_plan_is_nobodys(tmp_path):
    files = {
        f"{T1}.compaction.requested": b"",
        f"{T1}.compaction.inflight": b"",
        f"{T2}.replacecommit.requested": b"",
    }
    timeline = timeline_of(tmp_path, files)
    assert len(timeline.pending) == 2
    assert timeline.pending_compactions() == {}
    assert timeline.pending_clustering() == frozenset()


@pytest.mark.parametrize(
    "body",
    [
        plan(LOG_ONLY)[:-20],
        b"x",
        b"{}",
        plan(LOG_ONLY | {"fileId": None}),
        plan(LOG_ONLY | {"fileId": "../f-0"}),
        plan(LOG_ONLY | {"partitionPath": "../p"}),
        plan(LOG_ONLY | {"deltaFilePaths": [".."]}),
        plan(LOG_ONLY | {"dataFilePath": "a\0b"}),
    ],
)
def test_a_damaged_plan_is_named(tmp_path, body):
    timeline = timeline_of(tmp_path, {f"{T2}.compaction.requested": body})
    with pytest.raises(CorruptTableError) as caught:
        timeline.pending_compactions()
    assert caught.value.file == f".hoodie/{T2}.compaction.requested"
    assert caught.value.file in str(caught.value)


def test_two_pending_compactions_of_one_file_group(tmp_path):
    files = {f"{time}.compaction.requested": plan(LOG_ONLY) for time in (T1, T2)}
    with pytest.raises(CorruptTableError, match=f"{T1} and {T2} are both pending"):
        timeline_of(tmp_path, files).pending_compactions()


def test_a_plan_that_is_gone(tmp_path):
    timeline = timeline_of(tmp_path, {f"{T1}.compaction.inflight": b""})
    with pytest.raises(TableChanged, match=r"compaction\.requested"):
        timeline.pending_compactions()


def test_a_plan_that_is_written_reads_the_same(tmp_path):
    operations = (
        CompactionOperation("p=1", "f-0", "20260101000000000", "f-0_0-0-0_20260101000000000.parquet", (".f_1.log.1",)),
        CompactionOperation("", "g-0", None, None, ()),
    )
    storage = LocalStorage(str(tmp_path))
    requested = Instant("20260102000000000", "compaction", State.REQUESTED)
    storage.create(f".hoodie/{requested.file_name}", CompactionPlan(operations).to_avro())
    assert compaction_plan(Timeline.load(storage), requested) == CompactionPlan(operations)
