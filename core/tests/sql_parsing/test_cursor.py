"""The cursor that steps through the tokens of a statement."""

from __future__ import annotations

import pytest

from hoodoo.errors import StatementError
from hoodoo.sql_parsing.cursor import Cursor


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a WHEN b", "a"),
        ("CASE WHEN a THEN b END WHEN c", "CASE WHEN a THEN b END"),
        (
            "CASE a WHEN 1 THEN CASE WHEN b THEN c END ELSE d END + 1 WHEN e",
            "CASE a WHEN 1 THEN CASE WHEN b THEN c END ELSE d END + 1",
        ),
        ("(a WHEN b) WHEN c", "(a WHEN b)"),
        ("f(x, [1, WHEN]) WHEN c", "f(x, [1, WHEN])"),
        ("t.when = 1 WHEN c", "t.when = 1"),
        ("`WHEN` = 'WHEN' WHEN c", "`WHEN` = 'WHEN'"),
        ("a /* WHEN */ + b -- WHEN\n WHEN c", "a /* WHEN */ + b"),
        ("a , WHEN c", "a ,"),
        ("t.end WHEN c", "t.end"),
        ("a = '.' WHEN c", "a = '.'"),
        ("CASE WHEN a THEN '.' END WHEN c", "CASE WHEN a THEN '.' END"),
        ("a", "a"),
    ],
)
def test_a_part_ends_at_a_key_word_outside_of_parentheses_and_case(text, expected):
    assert Cursor.of(text).until(("WHEN",), what="a condition").sql == expected


def test_a_part_ends_at_a_symbol():
    assert Cursor.of("f(a, b), c").until(what="a value", symbols=(",",)).sql == "f(a, b)"


def test_a_part_ends_at_the_parenthesis_that_closes_its_own():
    cursor = Cursor.of("(a + (b)) c")
    assert cursor.inside().sql == "a + (b)"
    assert cursor.peek().value == "c"


@pytest.mark.parametrize(("text", "column"), [("(a + (b)", 1), ("f(a]", 4)])
def test_parentheses_must_match(text, column):
    cursor = Cursor.of(text)
    with pytest.raises(StatementError) as caught:
        cursor.until(what="a value")
    assert caught.value.column == column


def test_an_empty_part_is_an_error():
    with pytest.raises(StatementError, match="a condition is expected here, and the statement has 'THEN'"):
        Cursor.of("THEN x").until(("THEN",), what="a condition")


def test_a_semicolon_at_the_end_is_not_part_of_the_statement():
    cursor = Cursor.of("a ; ;")
    assert cursor.rest("a name").sql == "a"


def test_from_ends_an_expression_unless_it_belongs_to_is_distinct_from():
    for text in ("a IS DISTINCT FROM b", "a IS NOT DISTINCT FROM b"):
        cursor = Cursor.of(text)
        cursor.index = len(cursor.tokens) - 3
        assert cursor.at_distinct_from()
    cursor = Cursor.of("SELECT DISTINCT FROM t")
    cursor.index = 2
    assert not cursor.at_distinct_from()


def test_from_of_is_distinct_from_ends_nothing():
    assert Cursor.of("a IS DISTINCT FROM b FROM c").until(("FROM",), what="x").sql == "a IS DISTINCT FROM b"


def test_a_name_has_parts_without_backticks():
    name = Cursor.of("a.`b.c` . d e").name("a name")
    assert (name.parts, name.at.sql) == (("a", "b.c", "d"), "a.`b.c` . d")
