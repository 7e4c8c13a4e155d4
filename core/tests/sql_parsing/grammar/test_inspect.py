"""Parsers of DROP, TRUNCATE, SHOW, DESCRIBE and CALL."""

from __future__ import annotations

import pytest

from hoodoo.errors import StatementError
from hoodoo.sql_parsing import definitions as d
from hoodoo.sql_parsing.grammar import parse_statement
from hoodoo.sql_parsing.statements import QueryStatement


@pytest.mark.parametrize(
    ("text", "if_exists", "purge"),
    [
        ("DROP TABLE t", False, False),
        ("DROP TABLE IF EXISTS t", True, False),
        ("drop table t purge;", False, True),
    ],
)
def test_tables_are_dropped(text, if_exists, purge):
    statement = parse_statement(text)
    assert isinstance(statement, d.DropTable)
    assert (str(statement.name), statement.if_exists, statement.purge) == ("t", if_exists, purge)


def test_partitions_are_truncated():
    statement = parse_statement("TRUNCATE TABLE a.t PARTITION (x = 'y')")
    assert isinstance(statement, d.TruncateTable)
    [entry] = statement.partition or ()
    assert entry.value is not None
    assert (str(entry.column), entry.value.sql) == ("x", "'y'")


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("SHOW CREATE TABLE t", d.ShowCreate),
        ("SHOW CREATE TABLE t AS SERDE", d.ShowCreate),
        ("SHOW PARTITIONS t", d.ShowPartitions),
        ("SHOW PARTITIONS t PARTITION (a = 1)", d.ShowPartitions),
        ("SHOW TBLPROPERTIES t", d.ShowProperties),
        ("SHOW TBLPROPERTIES t ('a.b')", d.ShowProperties),
        ("SHOW COLUMNS IN t", d.Describe),
        ("SHOW COLUMNS FROM t", d.Describe),
        ("DESC t", d.Describe),
        ("DESCRIBE t", d.Describe),
        ("DESCRIBE TABLE EXTENDED t", d.Describe),
        ("DESC FORMATTED t", d.Describe),
    ],
)
def test_tables_are_described(text, kind):
    statement = parse_statement(text)
    assert isinstance(statement, kind)
    assert str(statement.name) == "t"


@pytest.mark.parametrize(
    "text",
    [
        "SHOW TABLES",
        "SHOW TABLES IN t",
        "SHOW COLUMNS IN t IN d",
        "SHOW DATABASES",
        "DESCRIBE FUNCTION f",
        "DESCRIBE DATABASE EXTENDED d",
        "DESCRIBE QUERY SELECT 1",
        "DESCRIBE SELECT 1",
        "DESCRIBE t a",
        "DROP VIEW v",
        "SET a=b",
        "USE d",
    ],
)
def test_statements_about_other_objects_are_not_parsed(text):
    assert isinstance(parse_statement(text), QueryStatement)


def test_a_call_has_arguments_by_name_and_by_position():
    call = parse_statement("CALL system.show_commits('a.t', LIMIT => 10, path => array('x', 'y'))")
    assert isinstance(call, d.Call)
    assert call.procedure.parts == ("system", "show_commits")
    arguments = [(argument.name, argument.value.sql) for argument in call.arguments]
    assert arguments == [(None, "'a.t'"), ("limit", "10"), ("path", "array('x', 'y')")]


def test_a_call_may_have_no_argument():
    call = parse_statement("CALL show_commits()")
    assert isinstance(call, d.Call)
    assert call.arguments == ()


@pytest.mark.parametrize(
    ("text", "match", "column"),
    [
        ("CALL p(a => 1, a => 2)", "'a' occurs twice", 21),
        ("CALL p", "'\\(' is expected", 7),
        ("CALL p(a => )", "the value of an argument is expected", 13),
        ("DROP TABLE t u", "the end of the statement is expected", 14),
        ("TRUNCATE t", "TABLE is expected", 10),
    ],
)
def test_a_wrong_statement_is_an_error_at_its_place(text, match, column):
    with pytest.raises(StatementError, match=match) as caught:
        parse_statement(text)
    assert (caught.value.line, caught.value.column) == (1, column)
