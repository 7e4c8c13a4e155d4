"""Files that a clean deletes, and files that it must not delete."""

from __future__ import annotations

import io
from datetime import UTC, datetime, timedelta

import fastavro
import pytest

from hoodoo.errors import CorruptTableError, OptionError, UnsupportedTable
from hoodoo.filegroup.clean_plan import CleanPlan
from hoodoo.options import CleanOptions
from hoodoo.service import clean
from hoodoo.storage import name_of
from hoodoo.timeline import CompactionOperation, CompactionPlan, utc_now
from hoodoo.timeline.codec.avro_file import write_record
from hoodoo.timeline.codec.service_schemas import CLEANER_PLAN
from hoodoo.txn import Coordination, begin

SAVEPOINT = {
    "type": "record",
    "name": "HoodieSavepointMetadata",
    "fields": [
        {"name": "savepointedBy", "type": "string"},
        {
            "name": "partitionMetadata",
            "type": {
                "type": "map",
                "values": {
                    "type": "record",
                    "name": "HoodieSavepointPartitionMetadata",
                    "fields": [{"name": "savepointDataFile", "type": {"type": "array", "items": "string"}}],
                },
            },
        },
    ],
}


def of(files, commit):
    """Return the base files of a commit."""
    return {path for path in files if path.endswith(f"_{commit.instant}.parquet")}


def record(storage, path):
    (found,) = fastavro.reader(io.BytesIO(storage.read(path)))
    return found


def test_nothing_to_clean_leaves_no_instant(written):
    table = written()
    assert [table.write([n, n + 10], n) for n in range(3)]
    before = table.files()
    assert table.table.clean() is None
    assert table.table.clean(commits_retained=3) is None
    # every commit has created new file groups
    assert table.files() == before
    assert table.actions() == ["commit"] * 3


def test_by_commits(written):
    table = written()
    commits = [table.write([0, 1], n) for n in range(5)]
    before = table.files()
    result = table.table.clean(commits_retained=2)
    # the last two commits are kept, and what counted before the first of them
    assert result.earliest_retained == commits[3].instant
    assert set(result.files) == of(before, commits[0]) | of(before, commits[1])
    assert table.files() == before - set(result.files)
    table.check()
    for commit in commits[3:]:
        assert table.rows(as_of=commit.instant) == table.states[commit.instant]
    with pytest.raises(OptionError, match=f"only commits before {commits[3].instant} need"):
        table.rows(as_of=commits[2].instant)
    assert table.table.clean(commits_retained=2) is None
    assert {name_of(i.path) for i in table.storage.list("x")} > {".hoodie_partition_metadata"}


def test_what_the_timeline_says(written):
    """Plan and metadata, decoded by another reader, have the same values in the same fields as Hudi's own."""
    table = written()
    commits = [table.write([0], n) for n in range(3)]
    (gone,) = of(table.files(), commits[0])
    result = table.table.clean(commits_retained=1)
    folder = f".hoodie/{result.instant}.clean"
    plan = record(table.storage, f"{folder}.requested")
    assert plan == record(table.storage, f"{folder}.inflight")
    assert plan["earliestInstantToRetain"] == {
        "timestamp": commits[2].instant,
        "action": "commit",
        "state": "COMPLETED",
    }
    assert plan["filePathsToBeDeletedPerPartition"] == {
        "x": [{"filePath": f"{table.storage.uri}/{gone}", "isBootstrapBaseFile": False}]
    }
    assert (plan["policy"], plan["version"]) == ("KEEP_LATEST_COMMITS", 2)
    done = record(table.storage, folder)
    assert done["earliestCommitToRetain"] == done["lastCompletedCommitTimestamp"] == commits[2].instant
    assert (done["startCleanTime"], done["totalFilesDeleted"], done["version"]) == (result.instant, 1, 2)
    assert done["partitionMetadata"] == {
        "x": {
            "partitionPath": "x",
            "policy": "KEEP_LATEST_COMMITS",
            "deletePathPatterns": [name_of(gone)],
            "successDeleteFiles": [name_of(gone)],
            "failedDeleteFiles": [],
            "isPartitionDeleted": False,
        }
    }


def test_by_versions(written):
    table = written()
    commits = [table.write([0], n) for n in range(4)]
    table.write([1], 9)
    before = table.files()
    result = table.table.clean(clean_policy="keep_latest_file_versions", file_versions_retained=2)
    assert result.earliest_retained is None
    assert set(result.files) == of(before, commits[0]) | of(before, commits[1])
    table.check()
    with pytest.raises(CorruptTableError, match="cleaner"):
        table.rows(as_of=commits[0].instant)


def test_by_hours(written):
    table = written()
    commits = [table.write([0], n) for n in range(3)]
    options = CleanOptions(clean_policy="KEEP_LATEST_BY_HOURS", hours_retained=2)

    def at(hours):
        return lambda: datetime.now(UTC) + timedelta(hours=hours)

    assert clean(table.storage, options, coordination=Coordination(at(1))) is None
    result = clean(table.storage, options, coordination=Coordination(at(3)))
    # the last commit, and what counted in the hours before it
    assert result.earliest_retained == commits[2].instant
    assert len(result.files) == 1
    table.check()


def test_replaced_groups_are_deleted_when_no_reader_needs_them(written):
    table = written()
    first = table.write([0, 1], 1)
    table.write([0, 3], 2, operation="insert_overwrite_table")
    table.write([5], 3)
    before = table.files()
    assert table.table.clean(commits_retained=2) is None
    table.write([5], 4)
    result = table.table.clean(commits_retained=2)
    assert set(result.files) == of(before, first)
    table.check()
    table.write([7], 5)
    table.check()


def test_logs_go_with_their_slice(written):
    table = written(table_type="MERGE_ON_READ")
    table.write([0, 1], 0)
    table.write([0], 1)
    logs = {path for path in table.files() if ".log." in path}
    assert len(logs) == 1
    first = table.files()
    table.table.compact()
    table.write([0], 2)
    assert table.table.clean(commits_retained=2) is None
    table.table.compact()
    # the compaction is a retained commit and begins a slice; the slice before it remains, and earlier slices are
    # deleted
    result = table.table.clean(commits_retained=1)
    assert set(result.files) == {path for path in first if path.startswith("x/")}
    table.check()


def test_a_savepoint_keeps_its_slices(written):
    table = written()
    commits = [table.write([0, 1], n) for n in range(4)]
    (kept,) = (path for path in of(table.files(), commits[1]) if path.startswith("x/"))
    body = {"savepointedBy": "", "partitionMetadata": {"x": {"savepointDataFile": [name_of(kept)]}}}
    table.storage.create(f".hoodie/{commits[1].instant}.savepoint", write_record(SAVEPOINT, body))
    before = table.files()
    result = table.table.clean(commits_retained=1)
    assert set(result.files) == of(before, commits[0]) | of(before, commits[1]) - {kept}
    table.check()


def test_a_savepoint_of_a_file_outside_the_table_is_damage(written):
    table = written()
    commits = [table.write([0], n) for n in range(3)]
    body = {"savepointedBy": "", "partitionMetadata": {"../y": {"savepointDataFile": ["f.parquet"]}}}
    table.storage.create(f".hoodie/{commits[1].instant}.savepoint", write_record(SAVEPOINT, body))
    with pytest.raises(CorruptTableError) as caught:
        table.table.clean(commits_retained=1)
    assert caught.value.file == f".hoodie/{commits[1].instant}.savepoint"


def test_a_pending_compaction_keeps_what_it_merges(written):
    """A clean keeps the files of a pending compaction, even if their slice is not the latest of its file group."""
    table = written(table_type="MERGE_ON_READ")
    table.write([0, 1], 0)
    table.write([0], 1)
    merged = next(s for s in table.table.file_slices() if s.logs)
    table.table.compact()
    table.write([0, 1], 2)
    table.table.compact()
    operation = CompactionOperation(
        "x", merged.file_id, merged.base_instant, name_of(merged.path), (name_of(merged.logs[0].path),)
    )
    time = table.table.timeline.last_time
    table.storage.create(f".hoodie/{int(time) + 1}.compaction.requested", CompactionPlan((operation,)).to_avro())
    result = table.table.clean(commits_retained=1)
    assert set(merged.paths) <= table.files()
    assert result is None or not set(merged.paths) & set(result.files)


def test_a_write_in_progress_keeps_what_it_reads(written):
    table = written()
    commits = [table.write([0], n) for n in range(3)]
    with begin(table.storage, table.table.timeline):
        table.write([2], 3)
        for n in range(4, 8):
            table.write([0], n)
        before = table.files()
        result = table.table.clean(commits_retained=1)
        assert result.earliest_retained == commits[2].instant
        assert set(result.files) == of(before, commits[0])
    result = table.table.clean(commits_retained=1)
    assert commits[2].instant not in "".join(table.files())
    table.check()


def test_a_clean_that_was_interrupted_is_finished(written):
    table = written()
    commits = [table.write([0], n) for n in range(3)]
    (old,), (live,) = (of(table.files(), commits[n]) for n in (0, 2))
    # the table was restored since the plan was made, so that one of its files counts
    plan = CleanPlan("KEEP_LATEST_COMMITS", (commits[1].instant, "commit"), commits[2].instant, (old, live))
    time = str(int(table.table.timeline.last_time) + 1)
    table.storage.create(f".hoodie/{time}.clean.requested", plan.to_avro("file:/moved/since"))
    result = table.table.clean()
    assert (result.instant, result.files) == (time, (old,))
    assert table.actions()[-1] == "clean"
    assert not table.table.timeline.pending
    table.check()


def test_a_clean_that_another_writer_carries_out_is_left_alone(written):
    """Hudi fails if another writer completes its clean, so hoodoo waits until the clean's writer counts as dead."""
    table = written()
    commits = [table.write([0], n) for n in range(3)]
    (old,) = of(table.files(), commits[0])
    plan = CleanPlan("KEEP_LATEST_COMMITS", (commits[1].instant, "commit"), commits[2].instant, (old,))
    time = str(int(table.table.timeline.last_time) + 1)
    ours = plan.to_avro("file:/t")
    assert b"hoodoo.version" in ours
    table.storage.create(f".hoodie/{time}.clean.requested", ours.replace(b"hoodoo.version", b"hudies.version"))
    assert table.table.clean(commits_retained=1) is None
    assert old in table.files()
    result = clean(table.storage, CleanOptions(), coordination=Coordination(lambda: utc_now() + timedelta(seconds=121)))
    assert (result.instant, result.files) == (time, (old,))
    table.check()


def test_a_clean_without_a_plan_is_forgotten(written):
    table = written()
    table.write([0], 0)
    time = str(int(table.table.timeline.last_time) + 1)
    table.storage.create(f".hoodie/{time}.clean.requested", b"")
    table.storage.create(f".hoodie/{time}.clean.inflight", b"")
    assert table.table.clean() is None
    assert len(table.actions()) == 2
    later = Coordination(lambda: utc_now() + timedelta(seconds=121))
    assert clean(table.storage, CleanOptions(), coordination=later) is None
    assert table.actions() == ["commit"]


@pytest.mark.parametrize(
    ("partition", "path"), [("x", "file:/t/x/notes.txt"), ("../other", "file:/t/a_1-0-1_2024.parquet"), ("", "")]
)
def test_a_plan_that_names_other_files_is_refused(written, partition, path):
    table = written()
    table.write([0], 0)
    plan = {"policy": "x", "filePathsToBeDeletedPerPartition": {partition: [{"filePath": path}]}}
    time = str(int(table.table.timeline.last_time) + 1)
    table.storage.create(f".hoodie/{time}.clean.requested", write_record(CLEANER_PLAN, plan))
    with pytest.raises(CorruptTableError, match="to delete") as caught:
        table.table.clean()
    assert caught.value.file == f".hoodie/{time}.clean.requested"
    table.check()


def test_a_table_without_the_metadata_table_that_it_names_is_refused(written):
    table = written()
    for number in range(3):
        table.write([number], number)
    properties = table.storage.read(".hoodie/hoodie.properties")
    table.storage.replace(".hoodie/hoodie.properties", properties + b"hoodie.table.metadata.partitions=files\n")
    with pytest.raises(UnsupportedTable, match=r"has no '\.hoodie/metadata'"):
        table.table.clean()
    with pytest.raises(UnsupportedTable, match=r"has no '\.hoodie/metadata'"):
        table.table.archive(keep_min_commits=1, keep_max_commits=2)
