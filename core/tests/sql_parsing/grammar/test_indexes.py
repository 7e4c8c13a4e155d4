"""Parsers of CREATE INDEX, DROP INDEX and SHOW INDEXES."""

from __future__ import annotations

import pytest

from hoodoo.errors import StatementError
from hoodoo.sql_parsing import definitions as d
from hoodoo.sql_parsing.grammar import parse_statement


@pytest.mark.parametrize(
    ("text", "kind", "columns", "options", "tolerant"),
    [
        ("CREATE INDEX record_index ON a.t", None, [], None, False),
        ("create index record_index on table a.t (id)", None, ["id"], None, False),
        (
            "CREATE INDEX IF NOT EXISTS record_index ON a.t USING Record_Index (id, `x y`)",
            "record_index",
            ["id", "x y"],
            None,
            True,
        ),
        (
            "CREATE INDEX record_index ON a.t USING column_stats(ts) OPTIONS (expr = 'hour', format = '(')",
            "column_stats",
            ["ts"],
            "expr = 'hour', format = '('",
            False,
        ),
        ("CREATE INDEX record_index ON a.t (s.x OPTIONS (a = 'b'), y)", None, ["s.x", "y"], "a = 'b'", False),
    ],
)
def test_indexes_are_created(text, kind, columns, options, tolerant):
    statement = parse_statement(text)
    assert isinstance(statement, d.CreateIndex)
    assert (str(statement.name), str(statement.index)) == ("a.t", "record_index")
    assert (statement.kind, statement.if_not_exists) == (kind, tolerant)
    assert [str(column) for column in statement.columns] == columns
    assert (statement.options and statement.options.sql) == options


@pytest.mark.parametrize(
    ("text", "tolerant"), [("DROP INDEX i ON t", False), ("drop index if exists i on table t;", True)]
)
def test_indexes_are_dropped(text, tolerant):
    statement = parse_statement(text)
    assert isinstance(statement, d.DropIndex)
    assert (str(statement.name), str(statement.index), statement.if_exists) == ("t", "i", tolerant)


@pytest.mark.parametrize("text", ["SHOW INDEXES FROM t", "SHOW INDEXES IN t", "show indexes in table t"])
def test_indexes_are_shown(text):
    statement = parse_statement(text)
    assert isinstance(statement, d.ShowIndexes)
    assert str(statement.name) == "t"


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("CREATE INDEX ON t (id)", "ON is expected here, and the statement has 't'"),
        ("CREATE INDEX i t", "ON is expected here"),
        ("CREATE INDEX i ON t (", "the name of a column is expected here"),
        ("CREATE INDEX i ON t (a, A)", "column 'A' occurs twice in the list"),
        ("CREATE INDEX i ON t USING (a)", "the kind of an index is expected here"),
        ("CREATE INDEX i ON t (a) OPTIONS", r"'\(' is expected here"),
        ("CREATE INDEX i ON t (a) x", "the end of the statement is expected here"),
        ("DROP INDEX i", "ON is expected here, and the statement ends"),
        ("DROP INDEX i ON t x", "the end of the statement is expected here"),
        ("SHOW INDEXES", "IN is expected here"),
        ("SHOW INDEXES FROM", "the name of a table is expected here"),
    ],
)
def test_a_wrong_statement_is_an_error(text, match):
    with pytest.raises(StatementError, match=match):
        parse_statement(text)
