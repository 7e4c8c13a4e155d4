"""Tokens of statements: their kinds, values and offsets."""

from __future__ import annotations

import itertools

import pytest

from hoodoo.errors import StatementError
from hoodoo.sql_text.tokens import Kind, tokenize


def kinds(text: str) -> list[tuple[Kind, str]]:
    return [(token.kind, token.value) for token in tokenize(text)]


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("abc", Kind.WORD, "abc"),
        ("größe", Kind.WORD, "größe"),
        ("_x1", Kind.WORD, "_x1"),
        ("SELECT", Kind.WORD, "SELECT"),
        ("`a b`", Kind.QUOTED, "a b"),
        ("`a``b`", Kind.QUOTED, "a`b"),
        ("'x'", Kind.STRING, "x"),
        ("'it\\'s'", Kind.STRING, "it's"),
        ('"x"', Kind.STRING, "x"),
        ("r'a\\b'", Kind.STRING, "a\\b"),
        ("X'1F'", Kind.STRING, "1F"),
        ("1", Kind.NUMBER, "1"),
        ("1L", Kind.NUMBER, "1L"),
        ("1.5BD", Kind.NUMBER, "1.5BD"),
        ("1e3", Kind.NUMBER, "1e3"),
        ("=>", Kind.SYMBOL, "=>"),
        ("?", Kind.SYMBOL, "?"),
    ],
)
def test_a_token_has_the_kind_and_value_of_its_text(text, kind, value):
    assert kinds(text) == [(kind, value)]


def test_a_name_may_begin_with_a_digit_after_a_dot():
    assert kinds("t.2nd") == [(Kind.WORD, "t"), (Kind.SYMBOL, "."), (Kind.WORD, "2nd")]


def test_comments_are_no_tokens():
    assert kinds("a -- b\n/* c 'd */ e") == [(Kind.WORD, "a"), (Kind.WORD, "e")]


def test_key_words_of_several_words_are_several_tokens():
    found = tokenize("MSCK   REPAIR TABLE t GROUP BY x")
    assert [token.upper for token in found] == ["MSCK", "REPAIR", "TABLE", "T", "GROUP", "BY", "X"]
    assert [(token.start, token.end) for token in found[:2]] == [(0, 4), (7, 13)]


@pytest.mark.parametrize("word", ["CALL", "SHOW", "RENAME", "EXECUTE", "FETCH", "ANALYZE", "GRANT", "EXPLAIN"])
def test_no_key_word_hides_the_rest_of_the_statement(word):
    assert [token.value for token in tokenize(f"{word} a (b)")] == [word, "a", "(", "b", ")"]


@pytest.mark.parametrize(
    "text",
    ["SELECT 'é', `日本` FROM t /* x */ WHERE a<=>1L AND b||'c' != d.`e f`", "a->b:c::d{e}[1]?;", "SELECT '\\\\', 'x'"],
)
def test_offsets_are_those_of_the_text_that_was_written(text):
    tokens = tokenize(text)
    assert all(before.end <= after.start for before, after in itertools.pairwise(tokens))
    for token in tokens:
        if token.kind in (Kind.WORD, Kind.NUMBER, Kind.SYMBOL):
            assert text[token.start : token.end] == token.value
        else:
            assert {text[token.start], text[token.end - 1]} <= {"'", "`"}


@pytest.mark.parametrize(
    ("text", "column"),
    [("SELECT 'abc", 8), ("SELECT `abc", 8), ("SELECT \"a, 'b'", 8), ("SELECT /* 'a'", 8), ("SELECT 'a' || 'b", 15)],
)
def test_the_error_about_a_missing_end_shows_the_beginning(text, column):
    with pytest.raises(StatementError, match="is not closed") as caught:
        tokenize(text)
    assert (caught.value.line, caught.value.column) == (1, column)
