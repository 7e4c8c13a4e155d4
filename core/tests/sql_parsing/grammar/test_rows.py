"""Parsers of INSERT, UPDATE and DELETE."""

from __future__ import annotations

import pytest

from hoodoo.errors import StatementError
from hoodoo.sql_parsing.grammar import parse_statement
from hoodoo.sql_parsing.statements import Delete, Insert, Update


def inserted(text: str) -> Insert:
    statement = parse_statement(text)
    assert isinstance(statement, Insert)
    return statement


@pytest.mark.parametrize(
    ("text", "alias", "assigned", "condition"),
    [
        ("UPDATE t SET a = 1", None, [("a", "1")], None),
        (
            "UPDATE db.t AS x SET x.a = x.a + 1, b = 'SET WHERE' WHERE x.c = 2",
            "x",
            [("x.a", "x.a + 1"), ("b", "'SET WHERE'")],
            "x.c = 2",
        ),
        (
            "update t x set a = f(b, c), d = (select max(e) from u where v) where g in (select h from i)",
            "x",
            [("a", "f(b, c)"), ("d", "(select max(e) from u where v)")],
            "g in (select h from i)",
        ),
        ("UPDATE t SET a = b IS DISTINCT FROM c WHERE d", None, [("a", "b IS DISTINCT FROM c")], "d"),
        ("UPDATE t SET set = 1, `where` = 2 WHERE t.set = 3", None, [("set", "1"), ("where", "2")], "t.set = 3"),
        (
            "UPDATE t SET a = CASE WHEN b THEN 1 END WHERE CASE WHEN c THEN d END;",
            None,
            [("a", "CASE WHEN b THEN 1 END")],
            "CASE WHEN c THEN d END",
        ),
        ("UPDATE t SET a == 1", None, [("a", "1")], None),
    ],
)
def test_updates_have_assignments_and_a_condition(text, alias, assigned, condition):
    update = parse_statement(text)
    assert isinstance(update, Update)
    assert update.alias == alias
    assert [(str(each.column), each.value.sql) for each in update.assignments] == assigned
    assert (None if update.condition is None else update.condition.sql) == condition


@pytest.mark.parametrize(
    ("text", "alias", "condition"),
    [
        ("DELETE FROM t", None, None),
        ("DELETE FROM hudi.`/p` AS x WHERE x.a > 1 OR b", "x", "x.a > 1 OR b"),
        ("delete from t where a = (select max(b) from u)", None, "a = (select max(b) from u)"),
        ("DELETE FROM t /* WHERE */ WHERE a = 'it\\'s' -- end", None, "a = 'it\\'s'"),
    ],
)
def test_deletes_have_a_condition(text, alias, condition):
    delete = parse_statement(text)
    assert isinstance(delete, Delete)
    assert delete.alias == alias
    assert (None if delete.condition is None else delete.condition.sql) == condition


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("INSERT INTO t VALUES (1, 'a'), (2, DEFAULT)", "VALUES (1, 'a'), (2, DEFAULT)"),
        ("INSERT INTO TABLE t SELECT * FROM s", "SELECT * FROM s"),
        ("INSERT INTO t (SELECT 1)", "(SELECT 1)"),
        ("INSERT INTO t ((SELECT 1) UNION (SELECT 2))", "((SELECT 1) UNION (SELECT 2))"),
        ("INSERT INTO t TABLE s", "TABLE s"),
        ("INSERT INTO t FROM s SELECT a", "FROM s SELECT a"),
        ("INSERT INTO t WITH x AS (SELECT 1) SELECT * FROM x", "WITH x AS (SELECT 1) SELECT * FROM x"),
    ],
)
def test_inserts_without_columns_have_a_query(text, query):
    insert = inserted(text)
    assert insert.query.sql == query
    assert (insert.columns, insert.partition, insert.by_name, insert.overwrites) == (None, None, False, False)


def test_columns_and_a_query_in_parentheses_differ():
    insert = inserted("INSERT INTO t (a, `b c`, values) (SELECT 1, 2, 3)")
    assert [str(name) for name in insert.columns or ()] == ["a", "b c", "values"]
    assert insert.query.sql == "(SELECT 1, 2, 3)"


def test_partitions_have_values_or_are_in_the_rows():
    insert = inserted("INSERT OVERWRITE TABLE db.t PARTITION (a = 'x, y', b, c = f(1, 2)) (d) SELECT 1, 2")
    assert insert.overwrites
    values = [(str(entry.column), entry.value and entry.value.sql) for entry in insert.partition or ()]
    assert values == [("a", "'x, y'"), ("b", None), ("c", "f(1, 2)")]
    assert [str(name) for name in insert.columns or ()] == ["d"]


def test_rows_may_be_inserted_by_name():
    insert = inserted("INSERT INTO t BY NAME SELECT 1 AS a")
    assert (insert.by_name, insert.query.sql) == (True, "SELECT 1 AS a")


def test_a_clause_with_may_precede_an_insert():
    insert = inserted("WITH x AS (SELECT 1), y (a) AS (SELECT 2) INSERT INTO t SELECT * FROM y")
    assert insert.ctes is not None
    assert insert.ctes.sql == "WITH x AS (SELECT 1), y (a) AS (SELECT 2)"
    assert insert.query.sql == "SELECT * FROM y"


@pytest.mark.parametrize(
    ("text", "match", "column"),
    [
        ("UPDATE t SET", "the name of a column is expected here, and the statement ends", 13),
        ("UPDATE t SET a = 1, a = 2", "assigned twice", 21),
        ("UPDATE t SET a = 1 FROM u", "UPDATE ... FROM is not part of Spark's SQL", 20),
        ("UPDATE t SET a = 1 WHERE", "the condition is expected here", 25),
        ("UPDATE t a = 1", "SET is expected", 12),
        ("UPDATE t SET a = (1 WHERE b", "'\\(' is not closed", 18),
        ("DELETE t", "FROM is expected", 8),
        ("DELETE FROM t USING u WHERE a", "DELETE ... USING is not part of Spark's SQL", 15),
        ("DELETE FROM t WHERE a) b", "the end of the statement is expected", 22),
        ("INSERT t SELECT 1", "INTO is expected", 8),
        ("INSERT INTO t", "a query, or VALUES is expected", 14),
        ("INSERT INTO t (a, a) SELECT 1, 2", "occurs twice", 19),
        ("INSERT INTO t PARTITION (a = 1, a = 2) SELECT 1", "occurs twice in PARTITION", 33),
        ("INSERT INTO t REPLACE WHERE a SELECT 1", "REPLACE is not supported", 15),
        ("INSERT OVERWRITE t PARTITION (a = 1) IF NOT EXISTS SELECT 1", "IF NOT EXISTS is not supported", 38),
        ("INSERT OVERWRITE DIRECTORY '/x' SELECT 1", "writes no table", 18),
        ("WITH a AS (SELECT 1) DELETE FROM t", "WITH before DELETE is not supported", 22),
    ],
)
def test_a_wrong_statement_is_an_error_at_its_place(text, match, column):
    with pytest.raises(StatementError, match=match) as caught:
        parse_statement(text)
    assert (caught.value.line, caught.value.column) == (1, column)
