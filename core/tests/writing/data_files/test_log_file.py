"""A log file of a delta commit."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from attrs import evolve

from hoodoo.format.log import BlockType, block_columns, decode_data, decode_deletes, read_blocks
from hoodoo.schema.meta_columns import META_COLUMNS, with_meta
from hoodoo.txn.markers import list_markers
from hoodoo.writing.data_files.log_file import write_log
from hoodoo.writing.data_files.task_attempt import TaskAttempt, WriteToken
from hoodoo.writing.routing.task_plan import SliceRef
from hoodoo.writing.write_spec import StatementSpec

INSTANT = "20260101000000000"
STORED = SliceRef("f-0", "20250101000000000", "x/f.parquet", 1, "20250101000000000", 3, (".old",))


@pytest.fixture
def write(storage, attempt, records):
    """Return a function that writes records to a log in a new attempt, and returns its status and its blocks."""

    def make(plan, ref, *values, deletes=(), bare=False, leaving=None):
        newer = records(plan, *values, deletes=deletes, bare=bare)
        status = write_log(plan, TaskAttempt(storage, WriteToken(7)), "x", ref, newer, 9, leaving)
        return status, list(read_blocks(storage, status.path))

    return make


@pytest.fixture
def plan(plan_of):
    return plan_of(table_type="MERGE_ON_READ", log_format="parquet")


def test_rows_and_deletes_are_two_blocks(storage, attempt, plan, write):
    status, blocks = write(plan, STORED, ("a", "x", 1, "1"), ("b", "x", 5, "2"), deletes="b")
    assert [block.type for block in blocks] == [BlockType.PARQUET_DATA, BlockType.DELETE]
    assert {block.instant for block in blocks} == {INSTANT}
    [rows] = decode_data(storage, blocks[0], with_meta(plan.table.schema))
    [row] = rows.to_pylist()
    assert (row["_hoodie_record_key"], row["v"], row["_hoodie_file_name"]) == ("a", "1", "f-0")
    assert row["_hoodie_commit_seqno"] == f"{INSTANT}_7_0"
    [gone] = decode_deletes(storage, blocks[1], [pa.int64()]).to_pylist()
    assert gone == {"record_key": "b", "partition_path": "x", "ordering_0": 5, "unordered": False}
    assert (status.rows, status.updated, status.inserted, status.deleted, status.incoming) == (1, 1, 0, 1, 9)
    assert status.size == storage.size(status.path)


@pytest.mark.parametrize(("version", "kind"), [(6, "APPEND"), (8, "CREATE"), (9, "CREATE")])
def test_the_kind_of_the_marker_is_that_of_hudi(storage, plan_of, write, version, kind):
    """From version 8 on the marker is CREATE, because Hudi refuses to roll back such a log with a marker APPEND."""
    plan = plan_of(table_type="MERGE_ON_READ", table_version=version)
    status, _ = write(plan, STORED, ("a", "x", 1, "1"))
    assert list_markers(storage, INSTANT) == [(status.path, kind)]


def test_avro_is_the_other_format(plan_of, write):
    plan = plan_of(table_type="MERGE_ON_READ", log_format="avro")
    _, blocks = write(plan, STORED, ("a", "x", 1, "1"))
    assert [block.type for block in blocks] == [BlockType.AVRO_DATA]


@pytest.mark.parametrize("log_format", ["avro", "parquet"])
def test_records_that_lack_columns_are_a_block_of_their_own(plan_of, records, storage, attempt, log_format):
    plan = plan_of(table_type="MERGE_ON_READ", log_format=log_format)
    statement = StatementSpec(("update", "insert"), ("", ""), lacking=("p", "v"))
    plan = evolve(plan, operation=evolve(plan.operation, statement=statement))
    newer = records(plan, ("a", "x", 1, None), ("b", "x", 2, "2"), ("c", "x", 3, None), deletes="c")
    has = np.array([False, True, True])
    newer = evolve(newer.source, present={"p": has, "v": has}, partial=~has).records()
    status = write_log(plan, TaskAttempt(storage, WriteToken(7)), "x", STORED, newer, 3)
    whole, partial, deletes = read_blocks(storage, status.path)
    assert (whole.is_partial, partial.is_partial, deletes.type) == (False, True, BlockType.DELETE)
    assert set(block_columns(storage, partial)) == {*META_COLUMNS, "id", "ts"}
    [row] = next(decode_data(storage, partial, with_meta(plan.table.schema))).to_pylist()
    assert (row["_hoodie_record_key"], row["_hoodie_commit_seqno"]) == ("a", f"{INSTANT}_7_1")
    assert (row["id"], row["ts"], row["v"]) == ("a", 1, None)
    assert (status.rows, status.updated, status.deleted) == (2, 2, 1)


def test_a_log_is_named_after_its_slice_in_layout_1_and_after_its_instant_in_layout_2(plan_of, write):
    status, _ = write(plan_of(table_type="MERGE_ON_READ"), STORED, ("a", "x", 1, "1"))
    assert status.path.startswith("x/.f-0_20250101000000000.log.3_7-")
    assert status.base_file == "f.parquet"
    assert status.log_files == (".old", status.path.removeprefix("x/"))
    status, _ = write(plan_of(table_type="MERGE_ON_READ", table_version=9), STORED, ("a", "x", 1, "1"))
    assert status.path.startswith(f"x/.f-0_{INSTANT}.log.1_7-")
    assert status.base_file == ""
    assert status.log_files == (status.path.removeprefix("x/"),)


def test_rows_of_a_slice_that_begins_with_a_log_are_inserted(plan, write):
    status, _ = write(plan, SliceRef("f-0", INSTANT, "", 0), ("a", "x", 1, "1"))
    assert (status.inserted, status.updated) == (1, 0)
    assert status.path.startswith(f"x/.f-0_{INSTANT}.log.1_7-")


def test_rows_of_operation_insert_are_inserted_in_each_slice(plan_of, write):
    status, _ = write(plan_of(table_type="MERGE_ON_READ", operation="insert"), STORED, ("a", "x", 1, "1"))
    assert (status.inserted, status.updated) == (1, 0)


def test_keys_that_leave_are_deleted_without_an_ordering_value(storage, plan, write):
    status, [block] = write(plan, STORED, leaving=pa.array(["c"]))
    [gone] = decode_deletes(storage, block, [pa.int64()]).to_pylist()
    assert "c" in gone.values()
    assert None in gone.values()
    assert status.deleted == 1


@pytest.mark.parametrize(("rule", "ordered"), [({"merger": "event-time"}, True), ({"payload": "event-time"}, False)])
def test_a_payload_deletes_a_bare_key_whatever_its_ordering(storage, plan_of, write, rule, ordered):
    plan = plan_of(table_type="MERGE_ON_READ", **rule)
    _, [block] = write(plan, STORED, ("a", "x", 5, ""), deletes="a", bare=True)
    [gone] = decode_deletes(storage, block, [pa.int64()]).to_pylist()
    assert (5 in gone.values()) == ordered


KEEPING = """
@frozen
class Rule:
    laws = frozenset()
    keeps_with_deletes = ("v",)

    def merge(self, older, newer, context, config):
        return Outcome.all(Choice.TAKE, len(newer))
"""
FLAGGED = pa.schema(
    {"id": pa.string(), "p": pa.string(), "ts": pa.int64(), "v": pa.string(), "_hoodie_is_deleted": pa.bool_()}
)


@pytest.mark.parametrize("log_format", ["avro", "parquet"])
def test_deletes_whose_columns_the_rule_reads_are_marked_rows(storage, install, plan_of, write, log_format):
    plan = plan_of(schema=FLAGGED, merger=install(KEEPING), table_type="MERGE_ON_READ", log_format=log_format)
    status, [block] = write(plan, STORED, ("a", "x", 1, "1", None), ("b", "x", 5, "2", None), deletes="b")
    [rows] = decode_data(storage, block, with_meta(plan.table.schema))
    found = [(row["_hoodie_record_key"], row["ts"], row["v"], row["_hoodie_is_deleted"]) for row in rows.to_pylist()]
    assert found == [("a", 1, "1", None), ("b", 5, "2", True)]
    assert (status.rows, status.updated, status.deleted) == (1, 1, 1)


def test_deletes_without_data_are_entries_of_a_delete_block_whatever_the_rule_reads(storage, install, plan_of, write):
    plan = plan_of(schema=FLAGGED, merger=install(KEEPING), table_type="MERGE_ON_READ")
    status, [block] = write(plan, STORED, ("b", "x", 5, "2", None), deletes="b", bare=True)
    assert block.type is BlockType.DELETE
    assert decode_deletes(storage, block, [pa.int64()])["ordering_0"].to_pylist() == [5]
    assert (status.rows, status.deleted) == (0, 1)
