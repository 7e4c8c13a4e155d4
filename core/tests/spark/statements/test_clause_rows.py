"""Rows that clauses make of joined rows."""

from __future__ import annotations

import pytest
from attrs import evolve
from pyspark.sql import functions as F

from hoodoo.errors import StatementError
from hoodoo.spark.statements.clause_rows import IN_SOURCE, IN_TABLE, KNOWN, ClauseRows
from hoodoo.statements.clauses import Clause
from hoodoo.statements.names import Names
from hoodoo.statements.target import Target
from hoodoo.writing.tasks.incoming_rows import CLAUSE
from hoodoo.writing.tasks.statement_rows import STORED

SCHEMA = "id int, part string, v int, ts int, at struct<a:int,b:struct<c:string>>"
STORED_ROWS = [(1, "x", 10, 5, (1, ("p",))), (2, "x", 20, 5, None), (3, "y", 30, 5, (3, ("r",)))]
SOURCE_ROWS = [(1, "x", 11, 7, None), (2, "y", None, 1, None), (4, "z", 44, 2, None)]
NAMES, SOURCE = Names("t", ("id", "part", "v", "ts", "at")), Names("s", ("id", "part", "v", "ts", "extra"))
TARGET = Target(("id",), ("part",), ("ts",), moves_rows=False, is_global=False, counts_losers=False)
MOVING = Target(("id",), ("part",), ("ts",), moves_rows=True, is_global=True, counts_losers=False)


@pytest.fixture(scope="module")
def joined(spark):
    """Return joined rows: keys 1 and 2 are on both sides, 3 is only in the table, and 4 only in the source."""
    table = spark.createDataFrame(STORED_ROWS, SCHEMA).withColumn(IN_TABLE, F.lit(True)).alias("t")
    source = spark.createDataFrame(SOURCE_ROWS, "id int, part string, v int, ts int, extra int")
    return table.join(source.withColumn(IN_SOURCE, F.lit(True)).alias("s"), F.expr("t.id = s.id"), "full")


@pytest.fixture
def made(spark, joined):
    """Return a function that returns the rows that clauses make, as sorted tuples `(clause, id, part, v, ts, at)`."""

    def make(*clauses, target=TARGET, equal=None, override_ordering=False, frame=joined):
        rows = ClauseRows(target, NAMES, SOURCE, clauses, equal or {"id": "s.id"}, override_ordering)
        schema = spark.createDataFrame([], SCHEMA).schema
        return sorted(tuple(row) for row in rows.rows(frame, schema).select(CLAUSE, *schema.names).collect())

    return make


def test_the_first_clause_that_applies_decides(made):
    rows = made(
        Clause("matched", "update", "s.v > 10", {"v": "s.v + t.v"}),
        Clause("matched", "delete"),
        Clause("not matched", "insert", None, {"id": "id", "part": "s.part", "v": "v"}),
        Clause("not matched by source", "update", None, {"v": "-v"}),
    )
    assert rows == [
        (1, 1, "x", 21, 5, (1, ("p",))),
        # a delete is as new as its source row
        (2, 2, "x", 20, 1, None),
        (3, 4, "z", 44, None, None),
        (4, 3, "y", -30, 5, (3, ("r",))),
    ]


def test_a_condition_that_is_null_does_not_apply(made):
    assert [row[1] for row in made(Clause("matched", "update", "s.v > 0", {"v": "0"}))] == [1]
    assert [row[1] for row in made(Clause("matched", "update", "NOT s.v > 0", {"v": "0"}))] == []


def test_an_update_of_all_columns_keeps_the_key_and_compared_columns(made):
    [first, *_] = made(Clause("matched", "update", "s.id = 1", None))
    assert first == (1, 1, "x", 11, 7, (1, ("p",)))
    # the partition of key 2 would change
    [(number, key, *_)] = made(Clause("matched", "update", "s.id = 2", None))
    assert (number, key) == (-1, 2)
    [kept] = made(Clause("matched", "update", "s.id = 2", None), equal={"id": "s.id", "part": "s.part"})
    assert kept == (1, 2, "x", None, 1, None)
    [moved] = made(Clause("matched", "update", "s.id = 2", None), target=MOVING)
    assert moved == (1, 2, "y", None, 1, None)


def test_fields_are_assigned_one_by_one(made):
    rows = made(Clause("matched", "update", None, {"at.b.c": "'new'", "at.a": "s.v"}))
    assert [(row[1], row[5]) for row in rows] == [(1, (11, ("new",))), (2, (None, ("new",)))]


def test_the_larger_ordering_value_is_kept_if_the_user_says_so(made):
    update = Clause("matched", "update", None, {"v": "0", "ts": "s.ts"})
    assert [row[4] for row in made(update)] == [7, 1]
    assert [row[4] for row in made(update, override_ordering=True)] == [7, 5]
    assert [row[4] for row in made(Clause("matched", "delete"), override_ordering=True)] == [7, 5]


def test_an_expression_is_evaluated_for_rows_of_its_clause_only(made):
    rows = made(
        Clause("matched", "update", "s.id = 1", {"v": "100 div (12 - s.v)"}),
        Clause("matched", "update", None, {"v": "cast(assert_true(s.id = 2) as int)"}),
    )
    assert [row[3] for row in rows] == [100, None]


@pytest.mark.parametrize(
    ("when", "values"),
    [
        ("not matched by source", {"v": "s.v"}),
        ("not matched by source", {"v": "extra"}),
        ("not matched by source", {"v": "1 + `S`.extra"}),
        ("not matched", {"id": "t.id"}),
        ("not matched", {"id": "at.a"}),
    ],
)
def test_columns_of_the_absent_side_are_refused(made, when, values):
    with pytest.raises(StatementError, match=rf"has no value in a clause WHEN {when.upper()}") as refused:
        made(Clause(when, "insert" if when == "not matched" else "update", None, values))
    assert refused.value.line == 1


def test_a_value_of_another_type_is_refused_with_its_clause(made):
    with pytest.raises(StatementError, match="type string cannot be assigned to column 'v' of type int in WHEN") as no:
        made(Clause("matched", "update", None, {"v": "t.part"}))
    assert no.value.code == "assignment_type"
    with pytest.raises(StatementError, match=r"column 'at\.b\.c' of type string"):
        made(Clause("matched", "update", None, {"at.b.c": "array(1)"}))


def test_a_delete_takes_the_ordering_value_of_its_source_row_by_the_rules_of_assignment(spark, made):
    table = spark.createDataFrame(STORED_ROWS, SCHEMA).withColumn(IN_TABLE, F.lit(True)).alias("t")

    def frame(type_: str, *values: object):
        rows = [(key, "x", 1, value, None) for key, value in enumerate(values, 1)]
        source = spark.createDataFrame(rows, f"id int, part string, v int, ts {type_}, extra int")
        return table.join(source.withColumn(IN_SOURCE, F.lit(True)).alias("s"), F.expr("t.id = s.id"), "full")

    # a null is the stored value
    assert [row[4] for row in made(Clause("matched", "delete"), frame=frame("bigint", 7, None))] == [7, 5]
    with pytest.raises(StatementError, match="type string cannot be assigned to column 'ts' of type int in WHEN") as no:
        made(Clause("matched", "delete"), frame=frame("string", "7"))
    assert no.value.code == "assignment_type"


def test_an_insert_of_a_known_key_is_marked(made, joined):
    flagged = joined.withColumn(KNOWN, F.when(F.col("s.id") == 4, True))
    insert = Clause("not matched", "insert", None, None)
    delete = Clause("matched", "delete", "s.id = 1")
    assert [row[:2] for row in made(delete, insert, frame=flagged)] == [(-4, 4), (1, 1)]
    assert [row[:2] for row in made(delete, insert)] == [(1, 1), (2, 4)]


def test_the_stored_row_is_added_where_tasks_do_not_read_it(spark, joined):
    logs = Target(("id",), ("part",), ("ts",), moves_rows=False, is_global=False, counts_losers=True)
    rows = ClauseRows(logs, NAMES, SOURCE, [Clause("matched", "delete"), Clause("not matched", "insert", None, None)])
    found = rows.rows(joined, spark.createDataFrame([], SCHEMA).schema).select("id", f"{STORED}.v").collect()
    assert sorted(tuple(row) for row in found) == [(1, 10), (2, 20), (4, None)]


def test_rows_have_the_stored_values_that_the_table_needs(spark, joined):
    target = evolve(TARGET, counts_losers=True, needed=frozenset({"ts"}), lacks_columns=True)
    clauses = [Clause("matched", "update", "s.id = 1", {"v": "s.v"}), Clause("matched", "delete")]
    rows = ClauseRows(target, NAMES, SOURCE, clauses, lacking=("id", "part", "at"))
    made = rows.rows(joined, spark.createDataFrame([], SCHEMA).schema)
    # no row has the column `at`
    assert made.columns == ["id", "part", "v", "ts", CLAUSE, STORED]
    assert made.schema[STORED].dataType.names == ["id", "part", "ts"]
    assert sorted(tuple(row)[:5] for row in made.collect()) == [(1, "x", 11, 5, 1), (2, "x", None, 1, 2)]
