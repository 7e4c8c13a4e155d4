"""A write from its batch to its commit, and its plan."""

from __future__ import annotations

import uuid

import pytest
from attrs import define, field

import hoodoo
from hoodoo.errors import DataError
from hoodoo.options import parse
from hoodoo.storage import storage_for
from hoodoo.testing.engine import ArrowBatch
from hoodoo.txn import begin, held_write
from hoodoo.writing.data_files import returned_files
from hoodoo.writing.prepare.prepare import GROUPS
from hoodoo.writing.write import write_batch

OPTIONS = {"table_name": "t", "record_key": "id", "partition_by": "p", "ordering": "ts"}


@define
class Observed:
    """A batch that keeps the plans of its writes, and may fail."""

    batch: ArrowBatch
    error: Exception | None = None
    runs_here: bool = True
    plans: list = field(factory=list)
    statuses: list = field(factory=list)

    @property
    def schema(self):
        return self.batch.schema

    statement = None
    marks = ()

    def at(self, timeline):
        return self

    def parallelism(self):
        return self.batch.parallelism()

    def tasks(self):
        return self.batch.tasks()

    def run(self, plan, **more):
        self.plans.append(plan)
        statuses = self.batch.run(plan, **more)
        self.statuses += statuses
        if self.error is not None:
            raise self.error
        return statuses


@pytest.fixture
def write(storage, rows):
    """Return a function that writes rows, and returns the result and the plan, or None if the write made no plan."""

    def run(*values, mode="append", error=None, cores=2, before_commit=None, **options):
        batch = Observed(ArrowBatch(rows(*values), cores), error)
        given = parse({**OPTIONS, **options}, GROUPS)
        written = write_batch(batch, storage, given, mode, before_commit=before_commit)
        return written, batch.plans[0] if batch.plans else None

    return run


def test_a_write_is_a_commit_on_the_timeline(storage, write):
    written, plan = write(("a", "x", 1, "1"), ("b", "y", 1, "1"))
    assert written.commit.instant == plan.instant == written.timeline.commits[-1].time
    assert (written.commit.rows_inserted, written.commit.files) == (2, 2)
    assert hoodoo.Table(storage.uri).to_arrow().num_rows == 2


@pytest.fixture
def write_by_executors(rows, monkeypatch):
    """Return a function that writes rows to a store in memory as tasks of Spark do, and returns the batch."""
    monkeypatch.setattr(held_write, "LONGEST_HOLD", 600)
    storage = storage_for(f"memory://{uuid.uuid4().hex}/t")

    def run(*values, error=None, **options):
        batch = Observed(ArrowBatch(rows(*values), 2), error, runs_here=False)
        write_batch(batch, storage, parse({**OPTIONS, **options}, GROUPS), "append")
        return batch

    run.storage = storage
    return run


@pytest.mark.parametrize("table_type", ["COPY_ON_WRITE", "MERGE_ON_READ"])
def test_executors_return_the_files_of_a_small_write(write_by_executors, table_type):
    storage = write_by_executors.storage
    first = write_by_executors(("a", "x", 1, "1"), ("b", "y", 1, "1"), table_type=table_type)
    assert first.plans[0].returned_bytes == 0
    assert [status.returned for status in first.statuses] == [None, None]
    second = write_by_executors(("a", "x", 2, "2"), ("c", "z", 1, "1"))
    assert second.plans[0].returned_bytes > 0
    assert {status.partition: status.returned.file.new_in for status in second.statuses} == {"x": None, "z": "z"}
    for status in second.statuses:
        assert storage.read(status.path) == status.returned.body
        assert len(status.returned.body) == status.size
    assert storage.exists("z/.hoodie_partition_metadata")
    assert list(storage.walk(".hoodie/.temp")) == []
    found = hoodoo.Table(storage.uri).to_arrow().select(["id", "v"]).to_pylist()
    assert sorted((row["id"], row["v"]) for row in found) == [("a", "2"), ("b", "1"), ("c", "1")]


def test_executors_store_files_that_are_too_large_to_be_returned(write_by_executors, monkeypatch):
    storage = write_by_executors.storage
    write_by_executors(("a", "x", 1, "1"))
    monkeypatch.setattr(held_write, "LONGEST_HOLD", 0.1)
    monkeypatch.setattr(returned_files, "MOST_BYTES_OF_TASK", 1)
    second = write_by_executors(("a", "x", 2, "2"))
    assert [status.returned for status in second.statuses] == [None]
    assert list(storage.walk(".hoodie/.temp")) == []
    assert hoodoo.Table(storage.uri).to_arrow()["v"].to_pylist() == ["2"]


def test_a_bulk_insert_by_executors_returns_nothing(write_by_executors):
    """No task of a bulk insert returns a file to the driver, because Spark chooses the number of tasks."""
    write_by_executors(("a", "x", 1, "1"))
    second = write_by_executors(("b", "x", 1, "1"), operation="bulk_insert")
    assert second.plans[0].returned_bytes == 0
    assert [status.returned for status in second.statuses] == [None]


def test_a_file_that_did_not_change_is_not_returned(write_by_executors):
    write_by_executors(("a", "x", 1, "1"))
    second = write_by_executors(("a", "x", 1, "1"), operation="delete")
    third = write_by_executors(("b", "x", 1, "1"), operation="delete")
    assert second.statuses[0].returned is not None
    assert [(status.path, status.returned) for status in third.statuses] == [("", None)]


def test_the_write_of_executors_that_fails_leaves_the_table_as_it_was(write_by_executors):
    storage = write_by_executors.storage
    write_by_executors(("a", "x", 1, "1"))
    files = {info.path for info in storage.walk()}
    with pytest.raises(DataError):
        write_by_executors(("a", "x", 2, "2"), error=DataError("no"))
    assert {info.path for info in storage.walk()} == files


def test_the_plan_has_the_stored_slices_by_slot(write):
    write(("a", "x", 1, "1"), ("b", "y", 1, "1"))
    _, plan = write(("a", "x", 2, "2"))
    assert {partition: list(slots) for partition, slots in plan.slices.items()} == {"x": [0], "y": [0]}


def test_an_overwrite_sees_no_slices_and_replaces_them(storage, write):
    write(("a", "x", 1, "1"), ("b", "y", 1, "1"))
    written, plan = write(("c", "x", 1, "1"), operation="insert_overwrite")
    assert plan.slices == {}
    assert written.timeline.commits[-1].action == "replacecommit"
    assert sorted(hoodoo.Table(storage.uri).to_arrow()["id"].to_pylist()) == ["b", "c"]


@pytest.mark.parametrize(("partitions", "shares"), [("x", True), ("xyz", False)])
def test_tasks_share_partitions_where_the_last_commit_touched_fewer_than_there_are_cores(write, partitions, shares):
    write(*((f"k{name}", name, 1, "") for name in partitions))
    _, plan = write(("a", "x", 2, "2"), cores=2)
    assert plan.distribution.shares_partitions == shares
    assert plan.distribution.searchers == 2


@pytest.mark.parametrize(("table_type", "action"), [("COPY_ON_WRITE", "commit"), ("MERGE_ON_READ", "deltacommit")])
def test_the_action_follows_the_type_of_the_table(write, table_type, action):
    written, _ = write(("a", "x", 1, "1"), table_type=table_type)
    assert written.timeline.commits[-1].action == action


def test_a_write_that_fails_leaves_the_table_as_it_was(storage, write):
    write(("a", "x", 1, "1"))
    files = {info.path for info in storage.walk()}
    with pytest.raises(DataError):
        write(("a", "x", 2, "2"), error=DataError("no"))
    assert {info.path for info in storage.walk()} == files
    assert hoodoo.Table(storage.uri).to_arrow()["v"].to_pylist() == ["1"]


def test_a_first_write_that_fails_leaves_no_table(storage, write):
    with pytest.raises(DataError):
        write(("a", "x", 1, "1"), error=DataError("no"))
    assert not storage.exists(".hoodie")
    assert list(storage.walk()) == []


def test_what_runs_before_the_commit_may_refuse_it(storage, write):
    seen = []

    def refuse(transaction, metadata):
        seen.append([stat.partition_path for stat in metadata.stats()])
        raise DataError("refused")

    with pytest.raises(DataError, match="refused"):
        write(("a", "x", 1, "1"), before_commit=refuse)
    assert seen == [["x"]]
    assert not storage.exists(".hoodie")


def test_mode_ignore_writes_nothing_to_a_table(write):
    write(("a", "x", 1, "1"))
    written, plan = write(("a", "x", 2, "2"), mode="ignore")
    assert (written.commit.instant, written.commit.operation, plan) == (None, "ignore", None)


def test_a_write_with_the_id_of_an_earlier_one_is_that_one(write):
    first, _ = write(("a", "x", 1, "1"), write_id="once")
    again, plan = write(("a", "x", 1, "1"), write_id="once")
    assert again.commit.instant == first.commit.instant
    assert plan is None


def test_a_twin_that_commits_before_this_attempt_begins_is_the_write(storage, write, monkeypatch):
    """A write returns the commit of an abandoned driver, made between the search for the write id and its begin."""
    write(("a", "x", 1, "1"))
    commits = []

    def begin_late(*arguments, **more):
        if not commits:
            commits.append(None)
            commits.append(write(("b", "x", 1, "1"), operation="insert", write_id="once")[0].commit)
        return begin(*arguments, **more)

    monkeypatch.setattr(hoodoo.writing.write, "begin", begin_late)
    mine, plan = write(("b", "x", 1, "1"), operation="insert", write_id="once")
    assert mine.commit == commits[1]
    assert plan is None
    table = hoodoo.Table(storage.uri)
    assert sorted(table.to_arrow()["id"].to_pylist()) == ["a", "b"]
    assert table.timeline.pending == ()


def test_named_partitions_are_removed_without_running_a_task(storage, write):
    write(("a", "x", 1, "1"), ("b", "y", 1, "1"))
    _, plan = write(operation="delete_partition", partitions_to_delete="x*")
    assert plan is None
    assert hoodoo.Table(storage.uri).to_arrow()["id"].to_pylist() == ["b"]


def test_an_overwrite_replaces_named_partitions_that_have_no_rows_in_it(write, storage):
    write(("a", "p1", 1, "v"), ("b", "p2", 1, "v"), ("c", "p3", 1, "v"), ("d", "p4", 1, "v"))
    options = {"operation": "insert_overwrite", "partitions_to_overwrite": ["p2", "p3", "none"]}
    written, _ = write(("e", "p1", 1, "v"), ("f", "p2", 1, "v"), **options)

    replaced = written.timeline.commit_metadata(written.timeline.commits[-1]).replaced
    assert sorted(partition for partition, groups in replaced.items() if groups) == ["p1", "p2", "p3"]
    rows = hoodoo.Table.of(storage).to_arrow(["id", "p"]).sort_by("id").to_pydict()
    assert rows == {"id": ["d", "e", "f"], "p": ["p4", "p1", "p2"]}
