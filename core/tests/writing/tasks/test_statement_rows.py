"""Rows of a statement in one task: refused rows, counts, and clauses that depend on the stored key."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from attrs import evolve

from hoodoo.errors import DataError
from hoodoo.writing.file_status import FileStatus
from hoodoo.writing.tasks.incoming_rows import CLAUSE, CLAUSE_IF_NEW
from hoodoo.writing.tasks.statement_rows import NEEDS_STORED_ROWS, STORED, StatementRows
from hoodoo.writing.write_spec import StatementSpec

SPEC = StatementSpec(("update", "insert", "delete"), ("THE UPDATE", "THE INSERT", "THE DELETE"))


@pytest.fixture
def task(plan_of, rows):
    """Return a function that makes rows of a statement from tuples `(id, ts, number of the clause)`.

    It returns their checks, the table of the rows, and their records.
    """

    def make(*values, combines=True, new=None, stored=None, deletes=(), **options):
        plan = plan_of(**options)
        plan = evolve(plan, operation=evolve(plan.operation, statement=evolve(SPEC, combines=combines)))
        table = rows(*((key, "x", ts, "new") for key, ts, _ in values))
        rule = plan.rule.make_rule()
        gone = np.array([key in deletes for key, _, _ in values], dtype=bool)
        source = rule.incoming(table, plan.table.schema, table["id"].combine_chunks(), gone)
        numbered = table.append_column(CLAUSE, pa.array([number for _, _, number in values], pa.int32()))
        if new is not None:
            numbered = numbered.append_column(CLAUSE_IF_NEW, pa.array(new, pa.int32()))
        if stored is not None:
            numbered = numbered.append_column(STORED, pa.array(stored, pa.struct(plan.table.schema)))
        return StatementRows(plan, rule), numbered, source

    return make


def test_rows_of_different_keys_are_written(task):
    statement, numbered, source = task(("a", 1, 1), ("b", 1, 2), ("c", 1, 3))
    statement.check(numbered, source)


def test_a_row_that_would_move_is_refused_with_its_clause_and_key(task):
    statement, numbered, source = task(("a", 1, 2), ("b", 1, -1), ("c", 1, -1))
    with pytest.raises(DataError, match=r"THE UPDATE moves rows to another partition .*'b', 'c'") as refused:
        statement.check(numbered, source)
    assert refused.value.code == "partition_move"


def test_an_insert_of_a_key_that_the_join_found_is_refused(task):
    # minus the number of the clause, less the number of clauses
    statement, numbered, source = task(("a", 1, -1), ("b", 1, -5))
    with pytest.raises(DataError, match=r"THE INSERT inserts 1 key that the table holds already .*'b'") as refused:
        statement.check(numbered, source)
    assert refused.value.code == "duplicate_key"


def test_the_ordering_decides_between_rows_of_one_key(task):
    statement, numbered, source = task(("a", 1, 1), ("b", 1, 1), ("a", 2, 3), ("a", 0, 1))
    statement.check(numbered, source)


@pytest.mark.parametrize("tied", [(("a", 2, 1), ("a", 2, 3)), (("a", 0, 1), ("a", 0, 1))])
def test_a_tie_is_refused(task, tied):
    statement, numbered, source = task(("b", 1, 1), ("a", 1, 1), *tied)
    with pytest.raises(DataError, match=r"same key and the same ordering value \('ts'\) .*'a'") as refused:
        statement.check(numbered, source)
    assert refused.value.code == "repeated_key"
    assert "'b'" not in str(refused.value)


def test_several_rows_of_a_key_are_refused_without_ordering(task):
    for given in ({"combines": False}, {"ordering": None}):
        statement, numbered, source = task(("b", 1, 1), ("a", 1, 1), ("a", 2, 1), **given)
        with pytest.raises(DataError, match=r"the table has no ordering column .*keys such as 'a'") as refused:
            statement.check(numbered, source)
        assert refused.value.code == "repeated_key"


def test_rows_of_one_key_need_the_stored_rows_if_the_clause_depends_on_them(task):
    # an update and a delete of one stored key
    statement, numbered, source = task(("a", 1, 1), ("a", 2, 3), new=[2, 2])
    with pytest.raises(DataError) as refused:
        statement.check(numbered, source)
    assert refused.value.code == NEEDS_STORED_ROWS
    same, numbered, source = task(("a", 1, 1), ("a", 2, 1), new=[2, 2])
    same.check(numbered, source)


@pytest.mark.parametrize(("stored", "new"), [(0, 2), (1, 0)])
@pytest.mark.parametrize("combines", [True, False])
def test_a_tie_needs_the_stored_rows_if_no_clause_may_apply(task, stored, new, combines):
    statement, numbered, source = task(("a", 1, stored), ("a", 1, stored), new=[new, new], combines=combines)
    with pytest.raises(DataError) as refused:
        statement.check(numbered, source)
    assert refused.value.code == NEEDS_STORED_ROWS


def test_a_stored_key_of_an_insert_is_refused(task):
    statement, numbered, source = task(("a", 1, 1), ("b", 1, 2), ("c", 1, 2))
    statement.admit(numbered, source.records())
    statement.check_new(pa.array(["a"]))
    with pytest.raises(DataError, match=r"inserts 1 key that the table holds already .*'b'") as refused:
        statement.check_new(pa.array(["a", "b"]))
    assert refused.value.code == "duplicate_key"


def test_an_update_without_a_stored_row_is_refused(task):
    statement, _, source = task(("a", 1, 1), ("b", 1, 2))
    plan = evolve(statement.plan, operation=evolve(statement.plan.operation, statement=evolve(SPEC, lacking=("v",))))
    statement = StatementRows(plan, statement.rule)
    present = {"v": np.array([False, True])}
    records = evolve(source, present=present, partial=~present["v"]).records()
    statement.check_whole(records.take(np.array([1])))
    with pytest.raises(DataError, match=r"not stored in the partition of their values: 1 \(such as 'a'\)") as refused:
        statement.check_whole(records)
    assert refused.value.code == "lost_key"


def test_inserted_and_lost_records_of_a_log_are_counted(task):
    stored = [
        {"id": "a", "p": "x", "ts": 5, "v": "old"},
        {"id": "b", "p": "x", "ts": 1, "v": "old"},
        None,
        {"id": "d", "p": "x", "ts": 9, "v": "old"},
        {"id": "e", "p": "x", "ts": 2, "v": "old"},
    ]
    given = [("a", 3, 1), ("b", 3, 1), ("c", 3, 2), ("d", 3, 3), ("e", 3, 3)]
    statement, numbered, source = task(*given, stored=stored, deletes=("d", "e"), merger="event-time")
    records = source.records()
    statement.admit(numbered, records)
    status = FileStatus.nothing_written("x", 5)
    counted = statement.counted(evolve(status, rows=5, deleted=3), records, 1)
    # the stored rows of a and d are newer; b is updated, c inserted, e deleted, and another row moves out
    assert (counted.inserted, counted.updated, counted.deleted, counted.ignored) == (1, 1, 1, 2)
    assert counted.refused == (("a", 1), ("d", 3))
    assert statement.take_lost().count == 0


def test_the_clause_of_a_row_depends_on_its_key(task):
    given = [("a", 1, 1), ("b", 1, 0), ("c", 1, 3), ("d", 1, 3)]
    statement, numbered, source = task(*given, new=[2, 2, 0, 2])
    records = source.records()
    statement.admit(numbered, records)
    # a, b and c are stored: a is updated, b has no clause, c is deleted
    positions, partners, matched = statement.matched(np.array([10, 11, 12]), np.array([0, 1, 2]), records)
    assert (positions.tolist(), partners.tolist()) == ([10, 12], [0, 2])
    assert matched.keys.to_pylist() == ["a", "c"]
    assert matched.is_delete.tolist() == [False, True]
    # none is stored: c has no clause, d is inserted although it would be deleted
    inserted = statement.new(records)
    assert inserted.keys.to_pylist() == ["a", "b", "d"]
    assert inserted.is_delete.tolist() == [False, False, False]


def test_lost_records_are_taken_once_with_examples_of_keys_and_clauses(task):
    statement, numbered, source = task(("a", 1, 1), ("b", 1, 3), ("c", 1, 2))
    statement.admit(numbered, source.records())
    statement.count_lost(pa.array(["b"]))
    statement.count_lost(pa.array(["a", "c"]))
    statement.count_lost(pa.array([], pa.string()))
    lost = statement.take_lost()
    assert (lost.count, lost.examples) == (3, (("b", 3), ("a", 1), ("c", 2)))
    assert statement.take_lost().count == 0


def test_records_of_a_log_are_compared_with_the_stored_rows(task):
    given = [("a", 3, 3), ("b", 3, 3), ("c", 3, 3), ("d", 3, 1), ("e", 3, 1), ("f", 3, 0), ("g", 3, 3)]
    statement, numbered, source = task(*given, new=[0, 0, 0, 2, 2, 2, 2], merger="event-time")
    records = source.records()
    statement.admit(numbered, records)
    stored = [("a", 1), ("b", 5), ("d", 5), ("f", 1)]
    rows = [{"_hoodie_record_key": key, "id": key, "ts": ts} for key, ts in stored]
    types = [("_hoodie_record_key", pa.string()), ("id", pa.string()), ("ts", pa.int64())]
    chosen = statement.against(pa.Table.from_pylist(rows, schema=pa.schema(types)), records)
    # no record for c, a delete that finds no row, and for f, which has a clause for a new key only
    assert chosen.keys.to_pylist() == ["a", "b", "d", "e", "g"]
    assert chosen.is_delete.tolist() == [True, True, False, False, False]
    counted = statement.counted(evolve(FileStatus.nothing_written("x", 7), rows=3, deleted=2), chosen, 0)
    # a is deleted, e and g are inserted; the stored rows of b and d are newer
    assert (counted.inserted, counted.updated, counted.deleted, counted.ignored) == (2, 0, 1, 2)
    assert counted.refused == (("b", 3), ("d", 1))


def test_records_that_would_be_new_may_have_no_clause(task):
    statement, numbered, source = task(("a", 1, 3), ("b", 1, 3), new=[0, 2])
    records = source.records()
    statement.admit(numbered, records)
    assert statement.is_new(records).tolist() == [False, True]
