"""Parser of ALTER TABLE."""

from __future__ import annotations

import pytest

from hoodoo.errors import StatementError
from hoodoo.sql_parsing import definitions as d
from hoodoo.sql_parsing.grammar import parse_statement
from hoodoo.sql_parsing.statements import QueryStatement


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        (
            "ALTER TABLE t ADD COLUMNS (a INT, b STRUCT<x: INT, y: INT> COMMENT 'z')",
            "a INT, b STRUCT<x: INT, y: INT> COMMENT 'z'",
        ),
        ("ALTER TABLE t ADD COLUMN a INT", "a INT"),
        ("ALTER TABLE t ADD COLUMN first INT", "first INT"),
        ("ALTER TABLE t ADD COLUMNS (after STRING, b INT)", "after STRING, b INT"),
    ],
)
def test_added_columns_are_kept_as_they_are_written(text, columns):
    statement = parse_statement(text)
    assert isinstance(statement, d.AddColumns)
    assert statement.columns.sql == columns


@pytest.mark.parametrize(
    ("text", "column", "type_"),
    [
        ("ALTER TABLE t ALTER COLUMN a TYPE BIGINT", "a", "BIGINT"),
        ("ALTER TABLE t ALTER a TYPE DECIMAL(10, 2)", "a", "DECIMAL(10, 2)"),
        ("ALTER TABLE t CHANGE COLUMN a a BIGINT", "a", "BIGINT"),
        ("ALTER TABLE t CHANGE COLUMN a A BIGINT", "a", "BIGINT"),
    ],
)
def test_a_type_may_be_changed_in_two_spellings(text, column, type_):
    statement = parse_statement(text)
    assert isinstance(statement, d.AlterColumn)
    assert (str(statement.column), statement.type.sql) == (column, type_)


@pytest.mark.parametrize("words", ["ALTER COLUMN", "ALTER", "CHANGE COLUMN"])
def test_a_comment_is_changed(words):
    statement = parse_statement(f"ALTER TABLE t {words} `a b` COMMENT 'a \\'b\\''")
    assert isinstance(statement, d.CommentColumn)
    assert (statement.column.parts, statement.comment) == (("a b",), "a 'b'")


@pytest.mark.parametrize("words", ["ALTER COLUMN a TYPE", "CHANGE COLUMN a a"])
@pytest.mark.parametrize("comment", ["x", ""])
def test_a_type_and_a_comment_are_changed(words, comment):
    statement = parse_statement(f"ALTER TABLE t {words} DECIMAL(8, 2) COMMENT '{comment}'")
    assert isinstance(statement, d.AlterColumn)
    assert (statement.type.sql, statement.comment) == ("DECIMAL(8, 2)", comment)


def test_names_and_properties_are_changed():
    rename = parse_statement("ALTER TABLE a.t RENAME TO a.u")
    assert isinstance(rename, d.RenameTable)
    assert (str(rename.name), str(rename.new_name)) == ("a.t", "a.u")
    kept = parse_statement("ALTER TABLE t SET TBLPROPERTIES (a.b = 'c', 'd' = 1)")
    assert isinstance(kept, d.SetProperties)
    assert kept.properties == {"a.b": "c", "d": "1"}
    gone = parse_statement("ALTER TABLE t UNSET TBLPROPERTIES IF EXISTS (a.b, 'd')")
    assert isinstance(gone, d.UnsetProperties)
    assert (gone.keys, gone.if_exists) == (("a.b", "d"), True)


def test_several_partitions_are_dropped_at_once():
    statement = parse_statement("ALTER TABLE t DROP IF EXISTS PARTITION (a = 1, b = 'x'), PARTITION (a = 2) PURGE")
    assert isinstance(statement, d.ChangePartitions)
    assert (statement.drops, statement.tolerant) == (True, True)
    values = [[(str(e.column), e.value and e.value.sql) for e in clause] for clause in statement.partitions]
    assert values == [[("a", "1"), ("b", "'x'")], [("a", "2")]]
    added = parse_statement("ALTER TABLE t ADD IF NOT EXISTS PARTITION (a = 1)")
    assert isinstance(added, d.ChangePartitions)
    assert (added.drops, added.tolerant) == (False, True)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("ALTER TABLE t CHANGE COLUMN a b INT", "CHANGE COLUMN cannot rename a column"),
        ("ALTER TABLE t ALTER COLUMN a SET NOT NULL", "SET NOT NULL are not part of the format's evolution"),
        ("ALTER TABLE t ALTER COLUMN a SET DEFAULT 1", "defaults and SET NOT NULL are not part"),
        ("ALTER TABLE t ALTER COLUMN a TYPE BIGINT AFTER b", "change the place with ALTER COLUMN"),
        ("ALTER TABLE t CHANGE a a BIGINT COMMENT 'x' FIRST", "change the place with ALTER COLUMN"),
        ("ALTER TABLE t SET LOCATION '/x'", "the files cannot be moved"),
        ("ALTER TABLE t REPLACE COLUMNS (a INT)", "cannot be replaced"),
        ("ALTER TABLE t RECOVER PARTITIONS", "need no recovery"),
        ("ALTER TABLE t ADD PARTITION (a = 1) LOCATION '/x'", "is a folder inside the table"),
        ("ALTER TABLE t CLUSTER BY (a)", "CLUSTER BY is not supported"),
        ("ALTER TABLE t ADD CONSTRAINT c CHECK (a > 1)", "this form of ALTER TABLE is not supported"),
    ],
)
def test_changes_that_the_format_does_not_allow_have_a_reason(text, reason):
    statement = parse_statement(text)
    assert isinstance(statement, d.Refused)
    assert reason in statement.reason


def test_other_objects_are_not_parsed():
    assert isinstance(parse_statement("ALTER VIEW v AS SELECT 1"), QueryStatement)


@pytest.mark.parametrize(
    "text",
    [
        "ALTER TABLE",
        "ALTER TABLE t RENAME TO u v",
        "ALTER TABLE t SET TBLPROPERTIES a = 'b'",
        "ALTER TABLE t ADD COLUMNS (a INT",
        "ALTER TABLE t ADD COLUMNS (a)",
        "ALTER TABLE t ADD COLUMNS (a FIRST",
        "ALTER TABLE t ADD COLUMNS (a INT FIRST b INT)",
        "ALTER TABLE t ADD COLUMN a INT AFTER",
        "ALTER TABLE t ALTER COLUMN a AFTER b c",
        "ALTER TABLE t ALTER COLUMN a COMMENT NULL",
        "ALTER TABLE t CHANGE a a INT COMMENT",
        "ALTER TABLE t ALTER COLUMN a DROP NOT NULL FIRST",
        "ALTER TABLE t ALTER COLUMN a TYPE INT COMMENT 'x' y",
    ],
)
def test_an_incomplete_change_is_an_error(text):
    with pytest.raises(StatementError):
        parse_statement(text)


def test_a_column_gets_another_name():
    statement = parse_statement("ALTER TABLE db.t RENAME COLUMN `a b` TO c")
    assert isinstance(statement, d.RenameColumn)
    assert (statement.name.parts, statement.column.parts, statement.new_name.parts) == (("db", "t"), ("a b",), ("c",))
    with pytest.raises(StatementError, match="TO is expected"):
        parse_statement("ALTER TABLE t RENAME COLUMN a b")


@pytest.mark.parametrize(
    ("text", "columns", "tolerant"),
    [
        ("ALTER TABLE t DROP COLUMN a", [("a",)], False),
        ("ALTER TABLE t DROP COLUMNS a, s.b", [("a",), ("s", "b")], False),
        ("ALTER TABLE t DROP COLUMNS IF EXISTS (a, b);", [("a",), ("b",)], True),
    ],
)
def test_columns_are_dropped(text, columns, tolerant):
    statement = parse_statement(text)
    assert isinstance(statement, d.DropColumns)
    assert ([column.parts for column in statement.columns], statement.tolerant) == (columns, tolerant)


@pytest.mark.parametrize(
    ("columns", "added"),
    [
        ("first INT", [(("first",), "INT", None)]),
        ("first INT FIRST", [(("first",), "INT", "")]),
        ("(after STRING AFTER first, b INT)", [(("after",), "STRING", "first"), (("b",), "INT", None)]),
        ("(x DECIMAL(10, 2), a.b INT)", [(("x",), "DECIMAL(10, 2)", None), (("a", "b"), "INT", None)]),
        ("a.element.f INT AFTER `g h`", [(("a", "element", "f"), "INT", "g h")]),
        (
            "(s.x MAP<STRING, ARRAY<STRUCT<first: INT, after: INT>>> COMMENT 'a, b' FIRST, y INT)",
            [
                (("s", "x"), "MAP<STRING, ARRAY<STRUCT<first: INT, after: INT>>> COMMENT 'a, b'", ""),
                (("y",), "INT", None),
            ],
        ),
    ],
)
def test_added_columns_have_names_and_places(columns, added):
    statement = parse_statement(f"ALTER TABLE t ADD COLUMNS {columns}")
    assert isinstance(statement, d.AddColumns)
    assert [(each.column.parts, each.definition.sql, each.after) for each in statement.added] == added


@pytest.mark.parametrize("words", ["ALTER COLUMN", "CHANGE COLUMN", "ALTER"])
def test_a_column_is_moved_or_may_be_null(words):
    for text, after in (("FIRST", ""), ("AFTER `x y`", "x y")):
        statement = parse_statement(f"ALTER TABLE t {words} s.f {text}")
        assert statement == d.MoveColumn(statement.name, statement.column, after)
        assert statement.column.parts == ("s", "f")
    statement = parse_statement(f"ALTER TABLE t {words} c DROP NOT NULL")
    assert statement == d.RelaxColumn(statement.name, statement.column)
