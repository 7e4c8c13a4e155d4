"""Words of an expression that are not columns. The words in the expected lists are those that may be columns."""

from __future__ import annotations

import pytest

from hoodoo.sql_text.tokens import tokenize
from hoodoo.statements.scopes import closing, places_without_columns

COLUMNS = {"a", "b", "x", "acc", "day", "year", "date", "month", "values"}


def candidates(text):
    """Return the words of COLUMNS in a text that may be columns."""
    tokens = tokenize(text)
    left_out = places_without_columns(tokens)
    return [token.value for at, token in enumerate(tokens) if at not in left_out and token.value in COLUMNS]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a + b", ["a", "b"]),
        # parameters are bound in the lambda only
        ("filter(a, x -> x > b)", ["a", "b"]),
        ("filter(a, x -> x > b) = x", ["a", "b", "x"]),
        ("filter(x, x -> x > b)", ["x", "b"]),
        ("transform(a, X -> x + 1) = x", ["a", "x"]),
        ("aggregate(a, b, (acc, x) -> acc + x, acc -> acc + x) + acc", ["a", "b", "x", "acc"]),
        ("transform(a, x -> filter(x, b -> b > x)) = b", ["a", "b"]),
        ("map_filter(a, (x, b) -> x[b] > 1 and year(b) > 2)", ["a", "year"]),
        # fields
        ("filter(a, x -> x.a = x.b)[0].b = b", ["a", "b"]),
        ("struct(a AS b).b", ["a"]),
        # types
        ("cast(a as date)", ["a"]),
        ("try_cast(a as array<date>) = date", ["a", "date"]),
        ("cast(cast(a as struct<b: date, x: map<date, int>>).b as date) > date", ["a", "date"]),
        ("a::date > b::array<date>[0]", ["a", "b"]),
        ("date '2026-01-01' + a", ["a"]),
        # units
        ("date + interval 1 day + interval '2' month", ["date"]),
        ("a + interval '1-2' year to month", ["a"]),
        ("extract(year from date) + day", ["date", "day"]),
        ("timestampdiff(day, a, date)", ["a", "date"]),
        ("date_add(day, 1)", ["day"]),
        ("dateadd(month, greatest(1, 2), a)", ["a"]),
        ("a + interval '1 02:03' day to minute + x", ["a", "x"]),
        # collations, and fields of a VARIANT
        ("a collate b = x", ["a", "x"]),
        ("try_parse_json(a):b::string = x", ["a", "x"]),
        # subqueries
        ("a in (select a from b where x = 1) and x", ["a", "x"]),
        ("exists (with b as (select 1) select a from b) or b", ["b"]),
        ("a in (values (1), (2))", ["a"]),
        ("a in (values, b)", ["a", "values", "b"]),
        ("`select` = (a)", ["a"]),
        # the name of an argument
        ("made(a => b)", ["b"]),
    ],
)
def test_words_that_are_not_columns_are_left_out(text, expected):
    assert candidates(text) == expected


@pytest.mark.parametrize(
    ("text", "opening", "expected"),
    [("(a, (b), [c])", 0, 10), ("(a, (b), [c])", 3, 5), ("(a", 0, 2), ("a", 0, 0), ("((a) + (b)", 0, 8)],
)
def test_parentheses_are_matched(text, opening, expected):
    assert closing(tokenize(text), opening) == expected
