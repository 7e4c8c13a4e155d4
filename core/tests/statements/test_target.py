"""Columns that clauses may assign."""

from __future__ import annotations

import pyarrow as pa
import pytest
from attrs import evolve

from hoodoo.errors import StatementError
from hoodoo.options import parse
from hoodoo.plugin import default_catalogue
from hoodoo.statements.clauses import Clause
from hoodoo.statements.names import Names
from hoodoo.statements.target import Target
from hoodoo.storage import LocalStorage
from hoodoo.writing.prepare.prepare import GROUPS, prepare

NAMES = Names("t", ("id", "day", "v", "inner", "_hoodie_record_key"))
TARGET = Target(("id",), ("day",), ("v",), moves_rows=False, is_global=False, counts_losers=False)
SCHEMA = pa.schema([("id", pa.string()), ("day", pa.string()), ("v", pa.int64())])


def assigned(values, equal=None, action="update", target=TARGET):
    return target.assignments(Clause("matched", action, None, values), NAMES, equal or {})


def test_values_are_those_of_the_columns_of_the_table():
    assert assigned({"T.V": "1", "inner.a": "2", "`inner`.`b`": 3}) == {"v": "1", "inner.a": "2", "inner.b": 3}
    assert assigned({}) == {}


@pytest.mark.parametrize("values", [{"v": 1, "t.V": 2}, {"inner": 1, "inner.a": 2}, {"inner.a": 1, "t.inner": 2}])
def test_a_column_is_assigned_once(values):
    with pytest.raises(StatementError, match="is assigned twice"):
        assigned(values)


def test_fields_whose_names_begin_alike_are_different():
    assert assigned({"inner.a": 1, "inner.ab": 2}) == {"inner.a": 1, "inner.ab": 2}


@pytest.mark.parametrize(
    ("column", "message"),
    [
        ("id", "'id' is a record key column, which an update cannot change"),
        ("t.day", "'day' is a partition column, and the index of the table leaves a row in its partition"),
        ("_hoodie_record_key", "is a meta column, which a write fills"),
        ("w", "the table has no column 'w'; it has: id, day, v"),
    ],
)
def test_an_update_cannot_assign_each_column(column, message):
    with pytest.raises(StatementError, match=message):
        assigned({column: "s.x"}, {"id": "s.id"})


def test_a_merge_may_copy_a_partition_column_that_the_condition_does_not_compare():
    for value in ("s.day", " S . `Day` ", "day"):
        assert assigned({"day": value}, {"id": "s.id"}) == {"day": value}
    for value in ("'x'", "s.other_day", "upper(s.day)", 3):
        with pytest.raises(StatementError, match="partition column"):
            assigned({"day": value}, {"id": "s.id"})
    # an UPDATE has no source
    with pytest.raises(StatementError, match="partition column"):
        assigned({"day": "day"})


def test_the_value_of_the_condition_changes_nothing():
    equal = {"id": "s.id", "day": "upper(s.day)"}
    assert assigned({"id": " S.`id` ", "day": "upper( s.day )"}, equal) == {"id": " S.`id` ", "day": "upper( s.day )"}
    with pytest.raises(StatementError, match="partition column"):
        assigned({"day": "s.day"}, equal)
    with pytest.raises(StatementError, match="record key column"):
        assigned({"id": 5}, equal)


def test_an_index_that_moves_rows_allows_other_partitions():
    assert assigned({"day": "'x'"}, target=evolve(TARGET, moves_rows=True)) == {"day": "'x'"}


def test_an_insert_assigns_key_and_partition():
    assert assigned({"id": "s.id", "day": "1"}, action="insert") == {"id": "s.id", "day": "1"}
    with pytest.raises(StatementError, match="meta column"):
        assigned({"_hoodie_record_key": "1"}, action="insert")


LOGS = Target(("id",), ("inner.day",), ("v",), moves_rows=False, is_global=False, counts_losers=True)


@pytest.mark.parametrize(
    ("values", "column"),
    [
        ({"id": "s.id + 1", "inner": "s.inner"}, "record key column 'id'"),
        ({"id": "s.id", "inner": "s.other"}, "partition column 'inner.day'"),
        ({"id": "s.id", "inner.day": "'x'"}, "partition column 'inner.day'"),
        ({"id": "s.id"}, "inserts NULL as partition column 'inner.day'"),
    ],
)
def test_a_merge_on_read_table_gets_the_key_and_partition_that_the_condition_compares(values, column):
    source, equal = Names("s", ("id", "inner")), {"id": "s.id", "inner.day": "s.inner.day"}
    LOGS.check_inserted(Clause("not matched", "insert", None, {"id": "s.id", "inner": "inner"}), equal, source)
    LOGS.check_inserted(Clause("not matched", "insert", None, {"id": "id", "inner.day": "S.inner.day"}), equal, source)
    clause = Clause("not matched", "insert", None, values)
    with pytest.raises(StatementError, match=column) as refused:
        LOGS.check_inserted(clause, equal, source)
    assert refused.value.code == "inserted_key"
    # a key of a global index is that of the whole table
    if "record key" not in column:
        evolve(LOGS, is_global=True).check_inserted(clause, equal, source)
    evolve(LOGS, counts_losers=False).check_inserted(clause, equal, source)


def prepared(tmp_path, **options):
    given = {"table_name": "made", "record_key": "id", "partition_by": "day", "ordering": "v", **options}
    return prepare(LocalStorage(str(tmp_path)), SCHEMA, parse(given, GROUPS), "append", default_catalogue())


def test_a_table_has_the_columns_of_its_write(tmp_path):
    expected = evolve(TARGET, needed=frozenset({"v"}), lacks_columns=True)
    assert Target.of(prepared(tmp_path, index="simple")) == expected
    logs = Target.of(prepared(tmp_path, index="bucket", table_type="MERGE_ON_READ"))
    assert logs.counts_losers is True
    everywhere = Target.of(prepared(tmp_path, index="global-simple"))
    assert (everywhere.is_global, everywhere.moves_rows) == (True, True)
    kept = Target.of(prepared(tmp_path, index="global-simple", update_partition=False))
    assert (kept.is_global, kept.moves_rows) == (True, False)


def updates(*assigned):
    return [Clause("matched", "update", None, values) for values in assigned]


def test_updates_lack_columns_that_none_assigns_and_no_rule_needs():
    target, columns = evolve(TARGET, needed=frozenset({"v"}), lacks_columns=True), ["id", "day", "v", "inner", "w"]
    assert target.lacking(updates({"inner.a": "1"}), columns) == ("id", "day", "w")
    assert target.lacking([*updates({"inner": "1"}, {"w": "1"}), Clause("matched", "delete")], columns) == ()
    assert target.lacking(updates({"w": "1"}, None), columns) == ()
    assert target.lacking([Clause("not matched", "insert", None, {"id": "1"})], columns) == ()
    assert evolve(target, lacks_columns=False).lacking(updates({"w": "1"}), columns) == ()


def test_a_table_with_generated_keys_has_no_key_columns(tmp_path):
    found = Target.of(prepared(tmp_path, record_key=None, ordering=None, operation="insert"))
    assert (found.keys, found.keeps_keys, found.moves_rows) == ((), True, False)


def test_a_table_without_any_keys_has_no_statements(tmp_path):
    made = prepared(tmp_path, record_key=None, ordering=None, operation="insert")
    without = evolve(made, table=evolve(made.table, fills_meta=False))
    with pytest.raises(StatementError, match="table 'made' has neither record key columns nor meta columns") as refused:
        Target.of(without)
    assert refused.value.code == "keyless_table"


def test_tasks_of_a_merge_on_read_table_compare_the_columns_of_the_rule():
    columns = ["id", "day", "v", "w"]
    assert TARGET.compared(columns) is None
    logged = evolve(TARGET, counts_losers=True)
    assert logged.compared(columns) == ("id", "day", "v", "w")
    assert evolve(logged, needed=frozenset({"w"})).compared(columns) == ("w",)
