"""Incoming rows of a task: runs of one route, types, keys and deletes."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from attrs import evolve

from hoodoo.errors import DataError, SchemaError
from hoodoo.writing.tasks.incoming_rows import (
    ARRIVAL,
    CLAUSE,
    CLAUSE_IF_NEW,
    ROUTE,
    Incoming,
    has_clause_if_new,
    lacking_in,
    runs,
    to_table_types,
)
from hoodoo.writing.write_spec import OperationSpec, StatementSpec


def batches(*routes):
    """Return one batch for each list of routes; the column `n` numbers the rows of all batches."""
    number, made = 0, []
    for part in routes:
        made.append(pa.record_batch({ROUTE: pa.array(part, pa.int64()), "n": range(number, number + len(part))}))
        number += len(part)
    return made


@pytest.mark.parametrize(
    ("routes", "expected"),
    [
        ([[1, 1, 2]], [[0, 1], [2]]),
        ([[1, 1], [1, 2], [2, 2]], [[0, 1, 2], [3, 4, 5]]),
        ([[1], [], [1], [3]], [[0, 1], [2]]),
        ([[1], [2], [3]], [[0], [1], [2]]),
        ([], []),
        ([[]], []),
    ],
)
def test_consecutive_rows_of_one_route_are_one_run(routes, expected):
    found = list(runs(batches(*routes)))
    assert [table["n"].to_pylist() for table in found] == expected
    assert all(table["n"].num_chunks == 1 for table in found)


SCHEMA = pa.schema([pa.field("id", pa.string(), nullable=False), ("n", pa.int64()), ("m", pa.map_("string", "int64"))])
KEYS = pa.array(["a", "b"])
NO_TEXT = pa.StringArray.from_buffers(2, pa.array([b"a", b"\xff"]).buffers()[1], pa.py_buffer(b"a\xff"))


def test_columns_are_cast_by_name_and_missing_ones_stay_absent():
    rows = pa.table({"other": [1, 2], "n": pa.array([1, 2], pa.int32()), "id": ["a", "b"]})
    typed = to_table_types(rows, SCHEMA, KEYS)
    assert typed.schema.names == ["id", "n"]
    assert typed.schema.field("n").type == pa.int64()
    assert typed["n"].to_pylist() == [1, 2]


def test_a_null_of_a_row_that_lacks_the_column_is_no_value():
    rows = pa.table({"id": pa.array([None, "b"]), CLAUSE: pa.array([1, 2], pa.int32())})
    lacking = lacking_in(rows, StatementSpec(("update", "insert"), ("", ""), lacking=("id",)))
    assert to_table_types(rows, SCHEMA, KEYS, lacking)["id"].to_pylist() == [None, "b"]
    for clauses in (("insert", "update"), ("update", "delete")):
        with pytest.raises(DataError, match="is null in 1 incoming row "):
            to_table_types(rows, SCHEMA, KEYS, lacking_in(rows, StatementSpec(clauses, ("", ""))))
    assert to_table_types(rows, SCHEMA, KEYS, lacking_in(rows, StatementSpec(("delete", "insert"), ("", ""))))


def test_a_value_that_does_not_fit_is_an_error_of_the_schema():
    with pytest.raises(SchemaError, match="column 'n' has type string and the table has int64"):
        to_table_types(pa.table({"n": ["1", "x"]}), SCHEMA, KEYS)


@pytest.mark.parametrize(
    ("column", "values", "code"),
    [
        ("id", pa.array(["a", None]), "null_in_required_column"),
        ("id", NO_TEXT, "invalid_text"),
        ("m", pa.array([[], [("k", 1), ("k", 2)]], pa.map_("string", "int64")), "repeated_map_key"),
    ],
)
def test_values_that_no_reader_could_take_are_refused_with_their_keys(column, values, code):
    with pytest.raises(DataError, match="b") as refused:
        to_table_types(pa.table({column: values}), SCHEMA, KEYS)
    assert refused.value.code == code
    assert f"'{column}'" in str(refused.value)


def test_keys_paths_and_arrival_of_rows(plan_of, rows):
    plan = plan_of(hive_style=True)
    incoming = Incoming(plan, plan.rule.make_rule())
    table = rows(("a", "x", 1, ""), ("b", "y", 2, ""))
    assert incoming.record_keys(table).to_pylist() == ["a", "b"]
    assert incoming.partition_paths(table).to_pylist() == ["p=x", "p=y"]
    assert incoming.arrival(table.append_column(ARRIVAL, pa.array([9, 3], pa.int64()))).tolist() == [9, 3]


def test_a_flag_makes_a_row_a_delete(plan_of, rows):
    plan = plan_of()
    table = rows(("a", "x", 1, ""), ("b", "x", 1, ""))
    table = table.append_column("_hoodie_is_deleted", pa.array([False, True]))
    plan = evolve(plan, table=evolve(plan.table, schema=table.schema))
    _, source = Incoming(plan, plan.rule.make_rule()).versions(table, table["id"].combine_chunks())
    assert source.records().is_delete.tolist() == [False, True]
    assert source.has_data.tolist() == [True, True]


def test_rows_of_an_update_lack_columns_on_purpose(plan_of, rows):
    plan = plan_of()
    statement = StatementSpec(("update", "insert", "delete"), ("", "", ""), lacking=("v",))
    plan = evolve(plan, operation=evolve(plan.operation, statement=statement))
    table = rows(*((key, "x", 1, None) for key in "abc")).append_column(CLAUSE, pa.array([1, 2, 3], pa.int32()))
    _, source = Incoming(plan, plan.rule.make_rule()).versions(table, table["id"].combine_chunks())
    assert source.partial.tolist() == [True, False, False]
    assert source.present["v"].tolist() == [False, True, True]
    assert source.records().is_delete.tolist() == [False, False, True]


def test_rows_of_a_delete_are_keys_without_data(plan_of, rows):
    plan = evolve(plan_of(), operation=OperationSpec("delete"))
    table = rows(("a", "x", None, ""))
    _, source = Incoming(plan, plan.rule.make_rule()).versions(table, table["id"].combine_chunks())
    assert source.records().is_delete.tolist() == [True]
    assert source.has_data.tolist() == [False]


def test_key_columns_must_be_text(plan_of, rows):
    plan = plan_of()
    incoming = Incoming(plan, plan.rule.make_rule())
    good = rows(("a", "x", 1, ""))
    incoming.check_key_text(good)
    bad = pa.StringArray.from_buffers(1, pa.py_buffer(np.array([0, 1], np.int32)), pa.py_buffer(b"\xff"))
    with pytest.raises(DataError, match=r"column 'p'.*id='a'") as refused:
        incoming.check_key_text(good.set_column(1, "p", bad))
    assert refused.value.code == "invalid_text"


def test_rows_of_the_delete_operation_have_only_the_columns_of_key_and_ordering(plan_of, rows):
    """A log keeps only these columns. Therefore a rule does not get others in a copy-on-write table either."""
    plan = plan_of()
    plan = evolve(plan, operation=OperationSpec("delete"))
    given = rows(("a", "x", 1, "value"))
    kept, source = Incoming(plan, plan.rule.make_rule()).versions(given, pa.array(["a"]))
    assert kept.column_names == ["id", "p", "ts", "v"]
    assert source.table.column_names == ["id", "p", "ts"]
    assert source.records().column("v").to_pylist() == [None]


def test_a_row_that_only_deletes_may_lack_values():
    rows = pa.table({CLAUSE: [1, 1, 2], CLAUSE_IF_NEW: [0, 3, 0]})
    statement = StatementSpec(("delete", "update", "insert"), ("d", "u", "i"))
    assert lacking_in(rows, statement)("n").tolist() == [True, False, False]
    assert has_clause_if_new(rows).tolist() == [False, True, False]
    assert has_clause_if_new(rows.drop_columns([CLAUSE_IF_NEW])).tolist() == [True] * 3
