"""Timelines that Apache Hudi wrote, in both layouts, compared with their files read without hoodoo."""

from __future__ import annotations

import io
import json
from collections import Counter

import fastavro
import pytest

from hoodoo.timeline import CommitMetadata, CommitOutline, State

OPERATIONS = {
    "quickstart_trips_table_mor_avro__v6_trips_8i1u": "UPSERTx1 UPSERT_PREPPEDx1",
    "quickstart_trips_table_mor_avro__v8_trips_8i3u1d": "UPSERTx1 DELETE_PREPPEDx2 UPSERT_PREPPEDx3 COMPACTx1",
    "sample_table_cow__v8_nonpartitioned": "UPSERTx2",
    "sample_table_cow__v9_timebasedkeygen_epochmillis": "DELETE_PREPPEDx1 INSERTx2 UPSERT_PREPPEDx1",
    "sample_table_cow__v9_txns_complex_nometa": (
        "CLUSTERx1 INSERTx5 INSERT_OVERWRITEx1 DELETE_PREPPEDx2 UPSERT_PREPPEDx3"
    ),
    "sample_table_cow__v9_txns_simple_overwrite": "INSERTx2 INSERT_OVERWRITE_TABLEx1",
    "sample_table_mor_avro__v9_nonpartitioned_rollback": "INSERTx2",
    "sample_table_mor_avro__v9_txns_simple_nometa": (
        "UPSERT_PREPPEDx3 INSERTx5 COMPACTx1 INSERT_OVERWRITEx1 DELETE_PREPPEDx2 CLUSTERx1"
    ),
    "sample_table_mor_parquet__v6_nonpartitioned_rollback": "UPSERTx2",
    "sample_table_mor_parquet__v6_simplekeygen_nonhivestyle_overwritetable": "UPSERTx2 INSERT_OVERWRITE_TABLEx1",
    "mor6-overwrite-by-0.15.0": "UPSERTx4 INSERT_OVERWRITEx1 DELETE_PARTITIONx1",
    "mor6-rolled-back-by-0.15.0": "INSERTx1 UPSERTx2",
    "cow9-clustered": "INSERTx3 CLUSTERx1 UPSERTx1",
    "mor9-compaction-done": "INSERTx1 UPSERTx4 DELETEx1 COMPACTx1",
    "mor9-merge-into": "UPSERTx2 UPSERT_PREPPEDx1",
}
"""The operations that created the tables, as recorded when they were collected, or as golden tables describe them."""


def raw(timeline, instant):
    """Return a commit's file as the standard library or fastavro reads it."""
    body = timeline.read(instant)
    if timeline.layout == 1:
        return json.loads(body)
    (record,) = fastavro.reader(io.BytesIO(body))
    return record


def test_every_file_of_the_folder_is_an_instant(table):
    names = {info.path.rpartition("/")[2] for info in table.storage.list(table.folder)} - {"hoodie.properties"}
    # Hadoop keeps a checksum next to each file of a local file system
    names = {name for name in names if not name.endswith(".crc")}
    assert {instant.file_name for instant in table.instants} <= names
    requested = {instant.at(state).file_name for instant in table.instants for state in State}
    # a completed instant does not remember what its service was called before
    services = {name for name in names if ".compaction." in name or ".clustering." in name}
    assert names - services <= requested
    assert table.pending == ()


@pytest.mark.parametrize("name", sorted(OPERATIONS))
def test_operations(name, unzipped, timeline_at):
    timeline = timeline_at(unzipped(name))
    found = Counter(timeline.commit_metadata(instant).operation_type for instant in timeline.commits)
    assert found == Counter({word: int(n) for word, _, n in (w.rpartition("x") for w in OPERATIONS[name].split())})


def test_commits_say_what_their_files_say(table):
    for instant in table.commits:
        wanted = raw(table, instant)
        metadata = table.commit_metadata(instant)
        assert metadata.operation_type == wanted["operationType"]
        assert metadata.extra_metadata == wanted["extraMetadata"]
        assert metadata.compacted == wanted["compacted"]
        assert metadata.replaced == as_tuples(wanted.get("partitionToReplaceFileIds"))
        assert (metadata.replaced is not None) == (instant.action == "replacecommit")
        stats = [(p, stat) for p, stats in wanted["partitionToWriteStats"].items() for stat in stats]
        assert len(list(metadata.stats())) == len(stats)
        for ours, (partition, stat) in zip(metadata.stats(), stats, strict=True):
            assert ours.file_id == stat["fileId"]
            assert ours.path == stat["path"]
            assert ours.partition_path == stat["partitionPath"] == partition
            assert ours.prev_commit == stat["prevCommit"]
            assert (ours.num_writes, ours.num_deletes) == (stat["numWrites"], stat["numDeletes"])
            assert (ours.num_update_writes, ours.num_inserts) == (stat["numUpdateWrites"], stat["numInserts"])
            assert ours.file_size_in_bytes == stat["fileSizeInBytes"]
            assert ours.total_create_time == stat["runtimeStats"]["totalCreateTime"]
            assert ours.total_upsert_time == stat["runtimeStats"]["totalUpsertTime"]
            assert ours.base_file == stat.get("baseFile")
            assert ours.log_files == tuple(stat.get("logFiles") or ())
            assert bool(ours.log_files) == (".log." in stat["path"])


def test_commits_say_the_same_in_short(table):
    for instant in table.commits:
        metadata, summary = table.commit_metadata(instant), table.commit_outline(instant)
        assert summary == CommitOutline.of(metadata)
        assert [(f.path, f.log_offset) for f in summary.written()] == [
            (stat.path, stat.extra.get("logOffset")) for stat in metadata.stats()
        ]


def as_tuples(replaced):
    return replaced and {partition: tuple(file_ids) for partition, file_ids in replaced.items()}


def test_commits_are_written_as_they_were_read(table):
    for instant in table.commits:
        metadata = table.commit_metadata(instant)
        if table.layout == 1:
            assert json.loads(metadata.to_json()) == raw(table, instant)
        else:
            body = metadata.to_avro()
            (record,) = fastavro.reader(io.BytesIO(body))
            assert record == raw(table, instant)
            assert CommitMetadata.from_avro(body, "again") == metadata


def test_completion_times_follow_their_instants(table_2):
    assert table_2.commits
    for instant in table_2.completed:
        assert instant.completion_time is not None
        assert instant.completion_time > instant.time
    assert table_2.last_time == max(instant.completion_time for instant in table_2.completed)
    for instant in table_2.commits:
        assert table_2.completion_time_of(instant.time) == instant.completion_time
    first, last = table_2.commits[0], table_2.commits[-1]
    # as the other reader's incremental read: from the first instant's time on, and up to the last one's
    assert table_2.commits_between(first.time, last.time) == table_2.commits[:-1]
