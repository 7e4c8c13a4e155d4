"""Rows of a new base file: stored ones in order, changed ones in place, new ones at the end."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from attrs import evolve

from hoodoo.merge.match import MatchedRows
from hoodoo.record import Choice, Outcome
from hoodoo.writing.data_files.row_assembly import Stamp, inserted_rows, merged_rows, unchanged_rows

STAMP = Stamp("20260102000000000", 7, "p=x", "new.parquet")
META = ["_hoodie_commit_time", "_hoodie_commit_seqno", "_hoodie_record_key"]


@pytest.fixture
def stored(rows):
    table = rows(("a", "x", 1, "a1"), ("b", "x", 1, "b1"), ("c", "x", 1, "c1"))
    meta = {
        "_hoodie_commit_time": pa.array(["20260101000000000"] * 3).dictionary_encode(),
        "_hoodie_commit_seqno": ["s0", "s1", "s2"],
        "_hoodie_record_key": ["a", "b", "c"],
    }
    return pa.table({**meta, **dict(zip(table.column_names, table.columns, strict=True))})


def merged(plan, stored, newer, rows, choices, patch=None):
    outcome = Outcome(np.array(choices, np.int8), patch or {})
    matched = MatchedRows.of(np.array(rows), newer, outcome)
    return merged_rows(stored, plan.table.schema, matched, STAMP, 40).to_pylist()


def test_sequence_numbers_name_instant_and_task():
    assert STAMP.sequence_numbers(8, 3).to_pylist() == [f"20260102000000000_7_{n}" for n in (8, 9, 10)]


def test_unchanged_rows_keep_all_but_the_file_name(plan_of, stored):
    found = unchanged_rows(stored, plan_of().table.schema, STAMP).to_pylist()
    assert [[row[name] for name in META] for row in found] == [
        ["20260101000000000", f"s{n}", key] for n, key in enumerate("abc")
    ]
    assert {row["_hoodie_file_name"] for row in found} == {"new.parquet"}
    assert {row["_hoodie_partition_path"] for row in found} == {"p=x"}
    assert [row["v"] for row in found] == ["a1", "b1", "c1"]


def test_a_winner_replaces_the_stored_row_in_its_place(plan_of, stored, records):
    plan = plan_of()
    found = merged(plan, stored, records(plan, ("b", "x", 2, "b2")), [1], [Choice.TAKE])
    assert [(row["_hoodie_record_key"], row["v"]) for row in found] == [("a", "a1"), ("b", "b2"), ("c", "c1")]
    assert [row["_hoodie_commit_time"] for row in found] == ["20260101000000000", STAMP.instant, "20260101000000000"]
    assert [row["_hoodie_commit_seqno"] for row in found] == ["s0", f"{STAMP.instant}_7_40", "s2"]


def test_a_loser_changes_nothing(plan_of, stored, records):
    plan = plan_of()
    found = merged(plan, stored, records(plan, ("b", "x", 0, "b2")), [1], [Choice.KEEP])
    assert [row["v"] for row in found] == ["a1", "b1", "c1"]
    assert [row["_hoodie_commit_seqno"] for row in found] == ["s0", "s1", "s2"]


def test_a_deleted_row_is_left_out_and_the_others_stay_in_order(plan_of, stored, records):
    plan = plan_of()
    newer = records(plan, ("a", "x", 2, ""), ("c", "x", 2, "c2"), deletes="a")
    found = merged(plan, stored, newer, [0, 2], [Choice.TAKE, Choice.TAKE])
    assert [(row["_hoodie_record_key"], row["v"]) for row in found] == [("b", "b1"), ("c", "c2")]
    assert [row["_hoodie_commit_seqno"] for row in found] == ["s1", f"{STAMP.instant}_7_40"]


def test_a_patch_changes_single_columns(plan_of, stored, records):
    plan = plan_of()
    newer = records(plan, ("b", "x", 2, "b2"))
    [_, row, _] = merged(plan, stored, newer, [1], [Choice.TAKE], {"v": pa.array(["patched"])})
    assert (row["ts"], row["v"], row["_hoodie_commit_time"]) == (2, "patched", STAMP.instant)


def test_new_rows_get_the_instant_and_their_own_numbers(plan_of, records):
    plan = plan_of()
    found = inserted_rows(records(plan, ("d", "x", 1, "d1"), ("e", "x", 1, "e1")), plan.table.schema, STAMP, 5)
    assert found.column_names == [*META, "_hoodie_partition_path", "_hoodie_file_name", "id", "p", "ts", "v"]
    assert [row["_hoodie_commit_seqno"] for row in found.to_pylist()] == [f"{STAMP.instant}_7_{n}" for n in (5, 6)]
    assert [row["_hoodie_record_key"] for row in found.to_pylist()] == ["d", "e"]


def test_without_meta_columns_the_file_name_alone_has_values(plan_of, stored, records):
    plan = plan_of()
    stamp = evolve(STAMP, fills_meta=False)
    bare = stored.drop_columns(META)
    empty = dict.fromkeys((*META, "_hoodie_partition_path")) | {"_hoodie_file_name": "new.parquet"}
    assert unchanged_rows(bare, plan.table.schema, stamp).to_pylist() == [empty | row for row in bare.to_pylist()]
    outcome = Outcome(np.array([Choice.TAKE], np.int8))
    newer = records(plan, ("b", "x", 2, "b2"))
    found = merged_rows(bare, plan.table.schema, MatchedRows.of(np.array([1]), newer, outcome), stamp, 0).to_pylist()
    assert [row["v"] for row in found] == ["a1", "b2", "c1"]
    assert [empty | row for row in found] == found
    assert [row | empty for row in found] == found
    assert inserted_rows(newer, plan.table.schema, stamp, 0).to_pylist() == [
        empty | {"id": "b", "p": "x", "ts": 2, "v": "b2"}
    ]
