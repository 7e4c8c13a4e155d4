"""Writes whose tasks have all rows of a partition."""

from __future__ import annotations

from hoodoo.testing.engine import write_arrow

OPTIONS = {"table_name": "t", "record_key": "id", "partition_by": "p", "ordering": "ts"}


def counts(statuses):
    return [
        tuple(getattr(status, name) for name in ("inserted", "updated", "deleted", "ignored", "incoming"))
        for status in statuses
    ]


def test_stored_keys_are_updated_and_new_ones_fill_up_the_small_file(storage, rows, plan_of, slices_at, written):
    write_arrow(rows(("a", "x", 1, "1"), ("b", "x", 5, "1")), storage.uri, OPTIONS)
    slices = slices_at()
    [status] = written(plan_of(slices), ("a", "x", 2, "2"), ("b", "x", 4, "late"), ("c", "x", 1, "1"))
    assert status.file_id == slices["x"][0].file_id
    assert counts([status]) == [(1, 1, 0, 1, 3)]
    assert status.rows == 3


def test_new_keys_begin_a_file_group_where_none_is_small(storage, rows, plan_of, slices_at, written):
    write_arrow(rows(("a", "x", 1, "1")), storage.uri, OPTIONS)
    statuses = written(plan_of(slices_at(), small_file_limit=0), ("a", "x", 2, "2"), ("c", "x", 1, "1"))
    assert counts(statuses) == [(0, 1, 0, 0, 1), (1, 0, 0, 0, 1)]
    assert statuses[0].file_id != statuses[1].file_id


def test_rows_that_lost_to_others_of_their_batch_are_counted_as_incoming(plan_of, written):
    [status] = written(plan_of(), ("a", "x", 1, "1"), ("a", "x", 2, "2"), ("a", "x", 3, "3"))
    assert counts([status]) == [(1, 0, 0, 0, 3)]


def test_each_key_is_inserted_once_per_row_without_a_merge(storage, rows, plan_of, slices_at, written):
    write_arrow(rows(("a", "x", 1, "1")), storage.uri, OPTIONS)
    [status] = written(plan_of(slices_at(), operation="insert"), ("a", "x", 2, "2"), ("a", "x", 3, "3"))
    assert counts([status]) == [(2, 0, 0, 0, 2)]
    assert status.rows == 3


def test_a_batch_of_which_nothing_is_left_leaves_a_status(storage, rows, plan_of, slices_at, written):
    write_arrow(rows(("a", "x", 1, "1")), storage.uri, OPTIONS)
    [status] = written(plan_of(slices_at(), operation="insert", dup_policy="drop"), ("a", "x", 2, "2"))
    assert status.path == ""
    assert counts([status]) == [(0, 0, 0, 1, 1)]


def test_changes_of_a_merge_on_read_table_go_to_logs_and_new_keys_to_base_files(
    storage, rows, plan_of, slices_at, written
):
    options = {"table_type": "MERGE_ON_READ", "small_file_limit": 0}
    write_arrow(rows(("a", "x", 1, "1")), storage.uri, OPTIONS | options)
    log, base = written(plan_of(slices_at(), **options), ("a", "x", 2, "2"), ("c", "x", 1, "1"))
    assert ".log." in log.path
    assert base.path.endswith(".parquet")


def test_a_bulk_insert_writes_new_file_groups_only(storage, rows, plan_of, slices_at, written):
    write_arrow(rows(("a", "x", 1, "1")), storage.uri, OPTIONS)
    slices = slices_at()
    statuses = written(plan_of(slices, operation="bulk_insert"), ("a", "x", 2, "2"), ("b", "y", 2, "2"))
    assert sorted(status.partition for status in statuses) == ["x", "y"]
    assert slices["x"][0].file_id not in {status.file_id for status in statuses}


def test_a_delete_partition_names_partitions_and_writes_nothing(storage, rows, plan_of, written):
    write_arrow(rows(("a", "x", 1, "1")), storage.uri, OPTIONS)
    statuses = written(plan_of(operation="delete_partition"), ("a", "x", 1, ""), ("b", "x", 1, ""), ("c", "y", 1, ""))
    assert sorted((status.partition, status.path, status.incoming) for status in statuses) == [
        ("x", "", 2),
        ("y", "", 1),
    ]
