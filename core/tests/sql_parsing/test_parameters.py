"""Markers of parameters, and the literals that take their places."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hoodoo.errors import StatementError
from hoodoo.sql_parsing.parameters import literal, literal_pieces, markers, named_in_braces, with_literals
from hoodoo.sql_text.fragment import Fragment
from hoodoo.sql_text.tokens import Kind, tokenize


def whole(text: str) -> Fragment:
    return Fragment(text, 0, len(text))


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("a = :x", ["x"]),
        ("a=:x AND b=:y", ["x", "y"]),
        ("f(:x, {df}, ?)", ["x", "df", ""]),
        ("':x' || \"{y}\" || `:z` -- :c\n /* {d} */", []),
        ("CAST(a AS STRUCT<b:int, c : ARRAY<STRUCT<d:string>>>)", []),
        ("CAST(a AS STRUCT<b:int>) = :x", ["x"]),
        ("a::int", []),
        ("a < :x AND b > :y", ["x", "y"]),
        ("{df[a]}", ["df"]),
    ],
)
def test_markers_are_found_outside_of_strings_comments_and_types(text, names):
    assert [marker.name for marker in markers(whole(text))] == names


def test_names_in_braces_are_those_of_dataframes():
    assert named_in_braces("SELECT '{a}', {b.c}, :d FROM {e} -- {f}") == {"b", "e"}


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "NULL"),
        (True, "TRUE"),
        (False, "FALSE"),
        (0, "0"),
        (-7, "(-7)"),
        (2**31 - 1, "2147483647"),
        (2**31, "2147483648L"),
        (-(2**40), "(-1099511627776L)"),
        (10**20, "CAST('100000000000000000000' AS DECIMAL(21,0))"),
        (1.5, "1.5D"),
        (-1e300, "(-1e+300D)"),
        (float("nan"), "CAST('NaN' AS DOUBLE)"),
        (float("-inf"), "CAST('-Infinity' AS DOUBLE)"),
        (Decimal("1.50"), "CAST('1.50' AS DECIMAL(3,2))"),
        (Decimal("-0.001"), "CAST('-0.001' AS DECIMAL(3,3))"),
        (Decimal("1E+5"), "CAST('100000' AS DECIMAL(6,0))"),
        ("plain", "'plain'"),
        ("it's", "'it\\'s'"),
        ("a\\b", "'a\\\\b'"),
        ("x\ny", "CAST(X'780A79' AS STRING)"),
        ("${env:HOME}", "CAST(X'247B656E763A484F4D457D' AS STRING)"),
        (b"\x00a", "X'0061'"),
        (dt.date(2024, 2, 29), "DATE'2024-02-29'"),
        (
            dt.datetime(2024, 1, 2, 3, 4, 5, 6, tzinfo=dt.timezone(dt.timedelta(hours=2))),
            "TIMESTAMP'2024-01-02 01:04:05.000006+00:00'",
        ),
        (dt.timedelta(days=1, seconds=2, microseconds=3), "INTERVAL '1 00:00:02.000003' DAY TO SECOND"),
        (dt.timedelta(seconds=-1), "INTERVAL '-0 00:00:01.000000' DAY TO SECOND"),
    ],
)
def test_a_value_is_a_literal_of_its_type(value, text):
    assert literal(value) == text


def test_a_backslash_is_not_escaped_where_the_session_does_not_escape():
    assert literal("a'b", escapes=False) == "CAST(X'612762' AS STRING)"


EAST, WEST = dt.timezone(dt.timedelta(hours=2)), dt.timezone(dt.timedelta(hours=-2))
OUTSIDE = [dt.datetime.min.replace(tzinfo=EAST), dt.datetime.max.replace(tzinfo=WEST)]


@pytest.mark.parametrize("value", [object(), [1], {"a": 1}, Decimal("NaN"), Decimal("1E+40"), "\ud800", *OUTSIDE])
def test_other_values_are_refused(value):
    with pytest.raises(StatementError, match="parameter 'x' is"):
        with_literals(whole("a = :x"), {"x": value})


@given(st.text())
def test_a_text_never_ends_its_literal(text):
    """The literal is one string or a cast of bytes, so that no part of it becomes another token.

    A text with a lone surrogate has no literal.
    """
    try:
        found = literal(text)
    except TypeError:
        text.encode("utf-16", "surrogatepass")
        assert any(0xD800 <= ord(character) < 0xE000 for character in text)
        return
    tokens = tokenize(f"a = {found} AND b")
    values = [token for token in tokens if token.kind is Kind.STRING]
    assert [token.value for token in tokens if token.kind is not Kind.STRING] in (
        ["a", "=", "AND", "b"],
        ["a", "=", "CAST", "(", "AS", "STRING", ")", "AND", "b"],
    )
    [value] = values
    assert value.value in (text, text.encode().hex().upper())


def test_literals_take_the_places_of_markers_only():
    text = "a = :x AND b = ':x' AND `:x` > :y -- :x\n + :x"
    assert with_literals(whole(text), {"x": "'; DROP TABLE t; --", "y": 2}) == (
        "a = '\\'; DROP TABLE t; --' AND b = ':x' AND `:x` > 2 -- :x\n + '\\'; DROP TABLE t; --'"
    )


def test_braces_of_a_template_are_doubled_in_strings():
    pieces = literal_pieces(whole("a = '{{' AND b = {v}"), {"v": "{{}}"}, template=True)
    assert "".join(piece.text for piece in pieces) == "a = '{' AND b = '{{}}'"


@pytest.mark.parametrize(("text", "match"), [("a = :x", "'x' is missing"), ("a = ?", "name the parameter")])
def test_a_missing_value_is_an_error_at_its_marker(text, match):
    with pytest.raises(StatementError, match=match) as caught:
        with_literals(whole(text), {"y": 1})
    assert caught.value.column == 5
