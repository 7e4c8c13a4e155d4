"""Whole statements: the layout of a text does not change its meaning."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import attrs
import pytest

from hoodoo.errors import StatementError
from hoodoo.sql_parsing.grammar import parse_statement
from hoodoo.sql_parsing.statements import QueryStatement
from hoodoo.sql_text.fragment import Fragment, Name
from hoodoo.sql_text.tokens import tokenize

STATEMENTS = [
    "MERGE INTO t USING s ON t . id = s . id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *",
    (
        "MERGE INTO t AS x USING ( SELECT a , CASE WHEN b THEN c END FROM d ) AS y ON x . a = y . a WHEN "
        "MATCHED AND CASE "
        "WHEN y . e THEN f ELSE g END THEN DELETE WHEN MATCHED THEN UPDATE SET h = CASE i WHEN 1 THEN 2 END "
        ", j = 'WHEN'"
    ),
    (
        "MERGE INTO t USING s ON a WHEN NOT MATCHED BY SOURCE AND b THEN UPDATE SET c = 1 WHEN NOT MATCHED "
        "BY SOURCE THEN "
        "DELETE"
    ),
    "MERGE INTO t USING s ON a WHEN NOT MATCHED BY TARGET AND b THEN INSERT ( c , `d e` ) VALUES ( f ( 1 , 2 ) , 3 )",
    (
        "MERGE WITH SCHEMA EVOLUTION INTO hoodoo . `/p q` USING ( VALUES ( 1 , 2 ) ) AS v ( a , b ) ON c "
        "WHEN MATCHED THEN "
        "DELETE"
    ),
    "WITH a AS ( SELECT 1 ) , b ( c ) AS ( SELECT 2 ) MERGE INTO t USING b ON c WHEN MATCHED THEN DELETE",
    "UPDATE t SET a = 1",
    "UPDATE t AS x SET x . a = x . b + 1 , c = ( SELECT max ( d ) FROM e WHERE f ) WHERE g IN ( SELECT h FROM i )",
    "UPDATE t SET a = CASE WHEN b THEN 'SET' ELSE \"WHERE\" END WHERE c LIKE 'it\\'s%'",
    "DELETE FROM t",
    "DELETE FROM hudi . `/a/b` x WHERE x . a IS NOT DISTINCT FROM 1",
    "INSERT INTO t VALUES ( 1 , 'a' ) , ( 2 , DEFAULT )",
    "INSERT INTO TABLE a . t ( b , c ) SELECT d , e FROM f WHERE g",
    "INSERT INTO t BY NAME SELECT 1 AS a",
    "INSERT OVERWRITE TABLE t PARTITION ( a = 'x' , b ) SELECT c , d FROM e",
    "INSERT OVERWRITE t TABLE s",
    "WITH x AS ( SELECT 1 ) INSERT INTO t SELECT * FROM x",
    (
        "CREATE TABLE IF NOT EXISTS a . t ( id INT , m MAP < STRING , INT > COMMENT 'c , d' ) USING hudi "
        "PARTITIONED BY ( "
        "b , c ) LOCATION '/x y' COMMENT 'z' TBLPROPERTIES ( primaryKey = 'id' , 'type' = 'mor' , hoodie . a = 1 )"
    ),
    "CREATE OR REPLACE TABLE t USING hoodoo OPTIONS ( a 'b' ) AS SELECT 1 AS a",
    "CREATE TEMPORARY VIEW v USING hoodoo OPTIONS ( path '/x' )",
    "CREATE OR REPLACE TEMP VIEW v ( a , b ) AS SELECT 1 , 2",
    "DROP TABLE IF EXISTS a . t PURGE",
    "TRUNCATE TABLE t PARTITION ( a = 1 )",
    "ALTER TABLE t ADD COLUMNS ( a INT , b STRUCT < c : INT > )",
    "ALTER TABLE t ALTER COLUMN a TYPE DECIMAL ( 10 , 2 )",
    "ALTER TABLE t RENAME TO u",
    "ALTER TABLE t SET TBLPROPERTIES ( a . b = 'c' )",
    "ALTER TABLE t UNSET TBLPROPERTIES IF EXISTS ( a . b , 'c' )",
    "ALTER TABLE t DROP IF EXISTS PARTITION ( a = 1 ) , PARTITION ( a = 2 )",
    "ALTER TABLE t RENAME COLUMN a TO b",
    "SHOW CREATE TABLE t",
    "SHOW PARTITIONS t PARTITION ( a = 1 )",
    "SHOW TBLPROPERTIES t ( 'a' )",
    "SHOW COLUMNS IN t",
    "DESCRIBE TABLE EXTENDED a . t",
    "CALL show_commits ( table => 'a.t' , limit => 10 )",
    "SELECT a FROM t TIMESTAMP AS OF '2024-01-01' WHERE b",
]
LAYOUTS = {
    "newlines": "\n\n\t",
    "comments": " /* WHEN THEN ( ' FROM */ ",
    "comment lines": " -- WHEN ' ( SET\n  ",
    "many spaces": "     ",
}
WORDS = (
    ""
    "ADD|ALTER|AND|AS|BY|CALL|CASE|COLUMN|COLUMNS|COMMENT|CREATE|DELETE|DESCRIBE|DROP|END|EXISTS|EXTENDED|FROM|IF|INSERT|"
    ""
    "INTO|LOCATION|MATCHED|MERGE|NAME|NOT|OF|ON|OPTIONS|OR|OVERWRITE|PARTITION|PURGE|RENAME|REPLACE|SET|SHOW|SOURCE|TABLE|"
    "TARGET|TBLPROPERTIES|TEMP|TEMPORARY|THEN|TO|TRUNCATE|TYPE|UPDATE|USING|VALUES|VIEW|WHEN|WHERE|WITH"
)
QUOTED = re.compile(r"('(?:[^'\\]|\\.)*'|`[^`]*`|\"[^\"]*\")")


def laid_out(text: str, between: str) -> str:
    """Return a statement with another text in place of each space outside of quotes."""
    parts = QUOTED.split(text)
    return "".join(part if n % 2 else part.replace(" ", between) for n, part in enumerate(parts))


def meaning(value: Any) -> Any:
    """Return a statement as nested plain values, without positions and white space."""
    if isinstance(value, Fragment):
        return [(token.kind, token.value) for token in tokenize(value.sql)]
    if isinstance(value, Name):
        return value.parts
    if attrs.has(type(value)):
        fields = [field.name for field in attrs.fields(type(value)) if field.name != "at"]
        return (type(value).__name__, {name: meaning(getattr(value, name)) for name in fields})
    if isinstance(value, tuple):
        return [meaning(each) for each in value]
    return dict(value) if isinstance(value, Mapping) else value


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("text", STATEMENTS)
def test_white_space_and_comments_change_nothing(text, layout):
    assert meaning(parse_statement(laid_out(text, LAYOUTS[layout]))) == meaning(parse_statement(text))


@pytest.mark.parametrize("text", STATEMENTS)
def test_key_words_are_the_same_in_lower_case(text):
    parts = QUOTED.split(text)
    words = rf"\b({WORDS})\b"
    lower = "".join(part if n % 2 else re.sub(words, lambda m: m[0].lower(), part) for n, part in enumerate(parts))
    assert str(meaning(parse_statement(lower))).lower() == str(meaning(parse_statement(text))).lower()


@pytest.mark.parametrize("text", STATEMENTS)
@pytest.mark.parametrize("end", [";", " ; ", ";;", "; -- the end"])
def test_a_semicolon_ends_a_statement(text, end):
    assert meaning(parse_statement(text + end)) == meaning(parse_statement(text))


@pytest.mark.parametrize("text", STATEMENTS)
def test_a_cut_statement_is_parsed_or_an_error_of_its_own(text):
    """A statement that ends too early raises nothing but `StatementError`."""
    refused = [length for length in range(len(text)) if is_refused(text[:length])]
    assert 0 in refused


def is_refused(text: str) -> bool:
    try:
        parse_statement(text)
    except StatementError:
        return True
    return False


@pytest.mark.parametrize(
    ("text", "only_reads"),
    [
        ("SELECT 1", True),
        ("WITH a AS (SELECT 1) SELECT * FROM a", True),
        ("FROM t SELECT a", True),
        ("VALUES (1)", True),
        ("TABLE t", True),
        ("(SELECT 1) UNION (SELECT 2)", True),
        ("EXPLAIN FORMATTED SELECT 1", True),
        ("EXPLAIN INSERT INTO t SELECT 1", False),
        ("FROM t INSERT INTO a SELECT 1 INSERT INTO b SELECT 2", False),
        ("ANALYZE TABLE t COMPUTE STATISTICS", False),
        ("REFRESH TABLE t", False),
        ("SET a = b", False),
    ],
)
def test_other_statements_are_queries_or_not(text, only_reads):
    statement = parse_statement(text)
    assert isinstance(statement, QueryStatement)
    assert statement.only_reads == only_reads


@pytest.mark.parametrize(
    ("text", "match"), [("", "is empty"), (" -- only a comment", "is empty"), ("SELECT 1; SELECT 2", "several")]
)
def test_one_statement_is_needed(text, match):
    with pytest.raises(StatementError, match=match):
        parse_statement(text)
