"""Parser of CREATE TABLE and CREATE TEMPORARY VIEW."""

from __future__ import annotations

import pytest

from hoodoo.errors import StatementError
from hoodoo.sql_parsing.definitions import CreateTable, CreateView
from hoodoo.sql_parsing.grammar import creates_hudi_table, parse_statement
from hoodoo.sql_parsing.statements import QueryStatement


def created(text: str) -> CreateTable:
    statement = parse_statement(text)
    assert isinstance(statement, CreateTable)
    return statement


def test_all_clauses_of_a_table_are_parsed():
    table = created(
        """CREATE TABLE IF NOT EXISTS db.t (id INT COMMENT 'x, y', m MAP<STRING, DECIMAL(10, 2)>, dt STRING)
        USING HUDI
        OPTIONS (a 'b')
        PARTITIONED BY (dt, `h h`)
        COMMENT 'about'
        LOCATION '/x/y'
        TBLPROPERTIES (primaryKey = 'id', type='mor', 'hoodie.a.b' = true, hoodie.c = -1, d.e 2.5)"""
    )
    assert (table.name.parts, table.provider) == (("db", "t"), "hudi")
    assert table.if_not_exists
    assert not table.replaces
    assert table.columns is not None
    assert table.columns.sql == "id INT COMMENT 'x, y', m MAP<STRING, DECIMAL(10, 2)>, dt STRING"
    assert (table.partition_by, table.partition_columns) == (("dt", "h h"), None)
    assert (table.location, table.comment, table.query) == ("/x/y", "about", None)
    assert table.properties == {
        "a": "b",
        "primaryKey": "id",
        "type": "mor",
        "hoodie.a.b": "true",
        "hoodie.c": "-1",
        "d.e": "2.5",
    }


@pytest.mark.parametrize(
    ("text", "query", "replaces"),
    [
        ("CREATE TABLE t USING hudi AS SELECT 1", "SELECT 1", False),
        ("CREATE OR REPLACE TABLE t USING hoodoo AS (SELECT 1)", "(SELECT 1)", True),
        (
            "REPLACE TABLE t USING hoodoo PARTITIONED BY (a) AS WITH x AS (SELECT 1) SELECT * FROM x",
            "WITH x AS (SELECT 1) SELECT * FROM x",
            True,
        ),
        ("CREATE TABLE t USING hudi SELECT 1", "SELECT 1", False),
    ],
)
def test_a_table_may_have_the_rows_of_a_query(text, query, replaces):
    table = created(text)
    assert table.query is not None
    assert (table.query.sql, table.replaces) == (query, replaces)


def test_partition_columns_may_have_types():
    table = created("CREATE TABLE t (id INT) USING hudi PARTITIONED BY (d STRUCT<a: INT, b: INT>, e DECIMAL(3, 1))")
    assert table.partition_by == ("d", "e")
    assert table.partition_columns is not None
    assert table.partition_columns.sql == "d STRUCT<a: INT, b: INT>, e DECIMAL(3, 1)"


def test_a_temporary_name_has_a_path():
    table = created("CREATE OR REPLACE TEMPORARY VIEW v USING hoodoo OPTIONS (path '/x')")
    assert (table.is_temporary, table.replaces, table.properties) == (True, True, {"path": "/x"})


def test_a_temporary_view_has_a_query():
    view = parse_statement("CREATE TEMP VIEW v (a, b) AS SELECT 1, 2")
    assert isinstance(view, CreateView)
    assert [str(name) for name in view.columns or ()] == ["a", "b"]
    assert (view.query.sql, view.replaces) == ("SELECT 1, 2", False)


@pytest.mark.parametrize(
    "text",
    [
        "CREATE TABLE a LIKE b",
        "CREATE TABLE a (x INT) STORED AS parquet",
        "CREATE TABLE a (x INT) ROW FORMAT DELIMITED",
        "CREATE TABLE a (x INT) USING parquet CLUSTERED BY (x) INTO 2 BUCKETS",
        "CREATE TABLE a SHALLOW CLONE b",
        "CREATE VIEW v AS SELECT 1",
        "CREATE GLOBAL TEMPORARY VIEW v AS SELECT 1",
        "CREATE DATABASE d",
        "CREATE FUNCTION f AS 'x'",
        "CREATE TEMP VIEW v (a COMMENT 'b') AS SELECT 1",
    ],
)
def test_other_statements_are_not_parsed(text):
    statement = parse_statement(text)
    assert isinstance(statement, QueryStatement)
    assert not statement.only_reads


@pytest.mark.parametrize(
    ("text", "match", "column"),
    [
        ("CREATE TABLE t (id INT) USING hudi CLUSTERED BY (id) INTO 2 BUCKETS", "use the properties 'index'", 36),
        ("CREATE TABLE t (id INT) USING hudi PARTITIONED BY (bucket(4, id))", "is a transform", 52),
        ("CREATE TABLE t (id INT) USING hudi LOCATION x", "a path is expected here as a string", 45),
        ("CREATE TABLE t (id INT) USING hudi TBLPROPERTIES (a = b)", "the value of property 'a'", 55),
        ("CREATE TABLE t (id INT) USING hudi TBLPROPERTIES (a = '1', a = '2')", "occurs twice", 60),
        ("CREATE TABLE t (id INT) USING hudi USING hudi", "USING occurs twice", 36),
        ("CREATE TABLE t (id INT USING hudi", "'\\(' is not closed", 16),
        ("CREATE TABLE t (id INT) USING hudi PLEASE", "a clause of CREATE TABLE", 36),
        ("CREATE TABLE t USING hudi AS", "a query is expected", 29),
        ("CREATE TABLE", "the name of a table is expected", 13),
    ],
)
def test_a_wrong_definition_is_an_error_at_its_place(text, match, column):
    with pytest.raises(StatementError, match=match) as caught:
        parse_statement(text)
    assert (caught.value.line, caught.value.column) == (1, column)


@pytest.mark.parametrize(
    ("text", "creates"),
    [
        ("CREATE TABLE t (x INT GENERATED ALWAYS AS (1)) USING Hudi", True),
        ("REPLACE TABLE t USING hoodoo PARTITIONED BY (days(x))", True),
        ("CREATE TABLE t (x INT) USING parquet COMMENT 'USING hudi'", False),
        ("MERGE INTO t USING hudi ON", False),
        ("CREATE TABLE t", False),
    ],
)
def test_a_text_that_cannot_be_parsed_may_create_a_hudi_table(text: str, creates: bool) -> None:
    assert creates_hudi_table(text) is creates
