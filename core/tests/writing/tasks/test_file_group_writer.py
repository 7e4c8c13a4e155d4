"""File groups that are rewritten, appended to, or created."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from attrs import evolve

from hoodoo.errors import CorruptTableError
from hoodoo.index.bucket_index import bucket_file_id
from hoodoo.writing.data_files.task_attempt import TaskAttempt, WriteToken
from hoodoo.writing.routing.partition_moves import Moves
from hoodoo.writing.routing.task_plan import Distribution, SliceRef
from hoodoo.writing.tasks import file_group_writer
from hoodoo.writing.tasks.file_group_writer import GroupWriter

STORED = [("a", "x", 5, "a5"), ("b", "x", 5, "b5"), ("c", "x", 5, "c5")]


@pytest.fixture
def writer(storage, attempt):
    """Return a function that makes a writer of a plan, with a new attempt."""
    return lambda plan: GroupWriter(plan, plan.rule.make_rule(), TaskAttempt(storage, WriteToken(7)))


@pytest.fixture
def stored(storage, plan_of, writer, records):
    """Return a stored file group of three rows."""
    plan = plan_of()
    [status] = writer(plan).create("x", records(plan, *STORED), 3)
    return SliceRef(status.file_id, "20250101000000000", status.path, status.size)


@pytest.fixture
def read(storage):
    def rows(status):
        table = pq.read_table(f"{storage.uri.removeprefix('file://')}/{status.path}", partitioning=None)
        return list(zip(table["_hoodie_record_key"].to_pylist(), table["v"].to_pylist(), strict=True))

    return rows


def counts(status):
    return status.inserted, status.updated, status.deleted, status.ignored


def test_an_upsert_updates_deletes_inserts_and_ignores(plan_of, writer, records, stored, read):
    plan = plan_of()
    newer = records(
        plan, ("d", "x", 1, "d1"), ("a", "x", 6, "a6"), ("b", "x", 4, "late"), ("c", "x", 9, ""), deletes="c"
    )
    status = writer(plan).rewrite("x", stored, newer, 4)
    assert read(status) == [("a", "a6"), ("b", "b5"), ("d", "d1")]
    assert counts(status) == (1, 1, 1, 1)
    assert (status.file_id, status.previous, status.rows, status.incoming) == (stored.file_id, stored.instant, 3, 4)


@pytest.mark.parametrize("index", ["simple", "bloom"])
def test_keys_that_a_search_has_read_are_not_read_again(plan_of, writer, records, stored, read, monkeypatch, index):
    plan = plan_of(index=index)
    newer = records(
        plan, ("d", "x", 1, "d1"), ("c", "x", 9, ""), ("a", "x", 6, "a6"), ("b", "x", 4, "late"), deletes="c"
    )
    columns = []
    real = file_group_writer.read_encoded
    monkeypatch.setattr(
        file_group_writer, "read_encoded", lambda *given, **more: columns.append(given[2].names) or real(*given, **more)
    )
    monkeypatch.setattr(file_group_writer, "ROW_GROUP_ROWS", 2)
    at_once, again = writer(plan), writer(plan)
    found = at_once.search(newer.keys).locate(stored.path).tolist()
    statuses = [each.rewrite("x", stored, newer, 4) for each in (at_once, again)]

    assert found == [1, 2, 3]
    assert [read(status) for status in statuses] == [[("a", "a6"), ("b", "b5"), ("d", "d1")]] * 2
    assert [counts(status) for status in statuses] == [(1, 1, 1, 1)] * 2
    assert ["_hoodie_record_key" in names for names in columns] == [False, True]


def test_a_search_keeps_the_keys_of_its_own_files_only(plan_of, writer, records, stored):
    plan = plan_of(index="simple")
    newer = records(plan, ("a", "x", 6, "a6"))
    group = writer(plan)
    group.search(newer.keys).locate(stored.path)
    group.search(newer.keys)

    assert group.kept.take(stored.path) is None


def test_a_table_whose_changes_go_to_logs_keeps_no_keys(plan_of, writer, records, stored):
    plan = plan_of(index="simple", table_type="MERGE_ON_READ")
    group = writer(plan)
    group.search(records(plan, ("a", "x", 6, "a6")).keys).locate(stored.path)

    assert group.kept.take(stored.path) is None


def test_a_file_group_that_nothing_changes_keeps_its_file(plan_of, writer, records, stored):
    plan = plan_of()
    status = writer(plan).rewrite("x", stored, records(plan, ("b", "x", 4, "late"), ("z", "x", 9, ""), deletes="z"), 2)
    assert status.path == ""
    assert counts(status) == (0, 0, 0, 2)


def test_an_insert_appends_rows_without_merging(plan_of, writer, records, stored, read):
    plan = plan_of(operation="insert")
    status = writer(plan).rewrite("x", stored, records(plan, ("a", "x", 1, "again")), 1)
    assert read(status) == [("a", "a5"), ("b", "b5"), ("c", "c5"), ("a", "again")]
    assert counts(status) == (1, 0, 0, 0)


def test_rows_move_out_of_and_into_a_file_group(plan_of, writer, records, stored, read):
    plan = plan_of(index="global-simple")
    moved = Moves(pa.array(["a"]), records(plan, ("m", "x", 1, "moved")))
    status = writer(plan).rewrite("x", stored, records(plan), 1, moved)
    assert read(status) == [("b", "b5"), ("c", "c5"), ("m", "moved")]
    assert counts(status)[:3] == (1, 0, 1)


def test_new_file_groups_have_at_most_the_largest_size(plan_of, writer, records, read):
    plan = plan_of(max_file_size=200, distribution=Distribution(1, record_size=100))
    statuses = writer(plan).create("x", records(plan, *STORED), 8)
    assert [read(status) for status in statuses] == [[("a", "a5"), ("b", "b5")], [("c", "c5")]]
    assert [status.incoming for status in statuses] == [8, 0]
    assert len({status.file_id for status in statuses}) == 2


def test_deletes_of_unknown_keys_create_nothing(plan_of, writer, records):
    plan = plan_of()
    [status] = writer(plan).create("x", records(plan, ("a", "x", 1, ""), deletes="a"), 1)
    assert (status.path, status.ignored, status.incoming) == ("", 1, 1)


def test_an_append_writes_a_log_and_leaves_decisions_to_readers(plan_of, writer, records, stored):
    plan = plan_of(table_type="MERGE_ON_READ")
    status = writer(plan).append("x", stored, records(plan, ("b", "x", 4, "late")), 1)
    assert ".log." in status.path
    assert counts(status) == (0, 1, 0, 0)


def test_an_insert_appends_no_deletes(plan_of, writer, records, stored):
    plan = plan_of(table_type="MERGE_ON_READ", operation="insert")
    status = writer(plan).append("x", stored, records(plan, ("b", "x", 4, ""), deletes="b"), 1)
    assert (status.path, status.ignored) == ("", 1)


@pytest.mark.parametrize(("table_type", "log"), [("COPY_ON_WRITE", False), ("MERGE_ON_READ", True)])
def test_a_new_bucket_begins_with_a_log_where_changes_go_to_logs(plan_of, writer, records, table_type, log):
    plan = plan_of(table_type=table_type, index="bucket")
    [status] = writer(plan).create_bucket("x", 3, records(plan, ("a", "x", 1, "1")), 1)
    assert status.file_id[:8] == bucket_file_id(3)[:8] == "00000003"
    assert (".log." in status.path) == log


@pytest.mark.parametrize(("name", "place"), [("_hoodie_commit_time", 0), ("_hoodie_record_key", 2)])
def test_stored_rows_without_keys_or_commit_times_are_damage(plan_of, writer, records, storage, stored, name, place):
    path = f"{storage.uri.removeprefix('file://')}/{stored.path}"
    table = pq.read_table(path, partitioning=None)
    values = table.column(name).to_pylist()
    broken = table.set_column(place, name, pa.array([values[0], None, values[2]]))
    pq.write_table(broken.replace_schema_metadata(None), path)
    plan = plan_of()
    with pytest.raises(CorruptTableError, match=f"'{stored.path}' has rows without {name}") as raised:
        writer(plan).rewrite("x", evolve(stored), records(plan, ("a", "x", 6, "")), 1)
    assert raised.value.file == stored.path
