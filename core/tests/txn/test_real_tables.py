"""Commits and rollbacks on tables of Hudi, read by the package `hudi`."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from hoodoo.errors import TableChanged
from hoodoo.filegroup import file_slices
from hoodoo.properties import load_properties
from hoodoo.storage import LocalStorage
from hoodoo.timeline import CommitMetadata, Instant, State, Timeline, utc_now
from hoodoo.timeline.codec.avro_file import read_record
from hoodoo.txn import Coordination, begin, drop_metadata_table, rollback_pending
from hoodoo.txn.rollback.execution import undo
from hoodoo.txn.rollback.rollback_plan import RollbackPlan

hudi = pytest.importorskip("hudi")

ROLLED_BACK = "sample_table_mor_parquet__v6_nonpartitioned_rollback"

LATER = Coordination(lambda: utc_now() + timedelta(seconds=121))


@pytest.fixture
def unpacked(real_table):
    return lambda name: LocalStorage(str(real_table(name)))


def keys(storage):
    batches = hudi.HudiTableBuilder.from_base_uri(storage.uri).build().read()
    return sorted(key for batch in batches for key in batch.column("_hoodie_record_key").to_pylist())


def load(storage):
    properties = load_properties(storage)
    return Timeline.load(storage, properties.layout_version, properties.timeline_folder)


@pytest.mark.parametrize(
    "name",
    [
        "sample_table_cow__v6_complexkeygen_hivestyle",
        "sample_table_cow__v9_txns_simple_meta",
        "sample_table_mor_avro__v9_txns_complex_meta",
        "sample_table_mor_parquet__v6_complexkeygen_hivestyle",
        "mor6-by-0.15.0",
        "cow9-clustered",
        "mor9-archived",
    ],
)
def test_a_group_is_replaced_in_a_table_of_hudi(unpacked, name):
    storage = unpacked(name)
    before = keys(storage)
    had = bool(load_properties(storage).metadata_partitions)
    assert drop_metadata_table(storage) == had
    assert not drop_metadata_table(storage)
    assert load_properties(storage).metadata_partitions == ()
    assert not storage.exists(".hoodie/metadata")
    assert keys(storage) == before

    timeline = load(storage)
    last = timeline.last_time
    gone = file_slices(storage, timeline)[0]
    schema = timeline.commit_outline(timeline.commits[-1]).schema
    with begin(storage, timeline, "replacecommit", "DELETE_PARTITION") as transaction:
        replaced = {gone.partition: (gone.file_id,)}
        done = transaction.commit(CommitMetadata("DELETE_PARTITION", {}, {"schema": schema}, replaced))
    assert done.time > last
    left = keys(storage)
    assert 0 < len(left) < len(before)
    assert set(left) < set(before)

    with begin(storage, load(storage), "deltacommit") as transaction:
        pass
    assert load(storage).pending == ()
    assert rollback_pending(storage, load(storage)) == ()
    assert keys(storage) == left


def test_a_plan_of_hudi_is_read_and_written_alike(unpacked):
    """Hudi's plan and metadata of a rollback in version 6, with a base file and a log, compared with hoodoo's."""
    storage = unpacked(ROLLED_BACK)
    timeline = load(storage)
    [done] = [i for i in timeline.instants if i.action == "rollback"]
    requested = read_record(timeline.read(done.at(State.REQUESTED)), "plan")
    plan = RollbackPlan.from_record(requested, "plan")
    plan.check(done.time)
    root = Path(requested["RollbackRequests"][0]["filesToBeDeleted"][0]).parent
    # Hudi writes some of the URIs with their scheme, and others without
    assert without_scheme(plan.to_record(str(root))) == without_scheme(requested)

    metadata = read_record(timeline.read(done), "metadata")
    [command] = metadata["partitionMetadata"][""]["rollbackLogFiles"]
    name = command.rpartition("/")[2]
    written = storage.read(name)
    storage.delete(name)
    # the log that was written since was the third
    made = undo(timeline, plan, done.time)
    [ours] = made["partitionMetadata"][""]["rollbackLogFiles"]
    assert ours.rpartition("/")[2] == name.replace(".log.2_", ".log.4_")
    # hoodoo's has a checksum
    assert len(storage.read(ours.rpartition("/")[2])) == len(written) + 12 == 117
    made["partitionMetadata"][""]["rollbackLogFiles"][ours] = 105
    made["timeTakenInMillis"] = metadata["timeTakenInMillis"]
    assert without_scheme(made, storage.uri, ours) == without_scheme(metadata, f"file:{root}", command)


def without_scheme(value, root="", command=""):
    """Return the record with file names instead of URIs, and a placeholder for the command's file."""
    if isinstance(value, dict):
        return {without_scheme(k, root, command): without_scheme(v, root, command) for k, v in value.items()}
    if isinstance(value, list):
        return [without_scheme(v, root, command) for v in value]
    if isinstance(value, str) and "/" in value:
        return "COMMAND" if value == command else value.rpartition("/")[2]
    return value


def test_a_rollback_that_hudi_began_is_finished(unpacked):
    storage = unpacked(ROLLED_BACK)
    rows = keys(storage)
    timeline = load(storage)
    [done] = [i for i in timeline.instants if i.action == "rollback"]
    plan = RollbackPlan.from_record(read_record(timeline.read(done.at(State.REQUESTED)), "plan"), "plan")
    storage.delete(timeline.path_of(done))
    failed = Instant(plan.time, plan.action, State.INFLIGHT)
    storage.create(timeline.path_of(failed), b"{}")
    for name in [info.path for info in storage.list("") if ".log.2_" in info.path]:
        storage.delete(name)
    # its writer may be alive as long as it has changed the timeline lately
    assert rollback_pending(storage, timeline) == ()
    assert timeline.read(failed) == b"{}"
    assert rollback_pending(storage, timeline, coordination=LATER) == ()
    with pytest.raises(TableChanged):
        timeline.read(failed)
    assert load(storage).pending == ()
    assert keys(storage) == rows
