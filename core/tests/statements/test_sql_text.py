"""Tokens and parts of a text, and errors that show their place."""

from __future__ import annotations

import pytest

from hoodoo.errors import StatementError
from hoodoo.statements.sql_text import Fragment, error_at, sliced, tokens_of


def test_tokens_have_the_offsets_of_their_characters():
    text = "é = 'a;b' -- AND\n AND `x y` >= 1.5"
    assert [text[token.start : token.end + 1] for token in tokens_of(text)] == [
        "é", "=", "'a;b'", "AND", "`x y`", ">=", "1.5",
    ]  # fmt: skip


@pytest.mark.parametrize("text", ["a = 'open", "a = `open", 'a = "open'])
def test_an_open_quotation_mark_is_an_error(text):
    with pytest.raises(StatementError, match="the text is not SQL") as refused:
        tokens_of(text)
    assert text in str(refused.value)


def test_a_part_has_no_spaces_at_its_ends_and_keeps_its_place():
    whole = "a =  1\n AND  b = 2 "
    part = sliced(whole, 11, len(whole))
    assert (part, part.start, part.whole) == ("b = 2", 13, whole)
    inner = sliced(part, 3, 5)
    assert (inner, inner.start, inner.whole) == ("2", 17, whole)
    assert sliced(whole, 3, 5) == ""


@pytest.mark.parametrize(
    ("text", "offset", "line", "column", "shown"),
    [
        ("a = b", 0, 1, 1, "a = b\n  ^"),
        ("a\nbc = d\ne", 5, 2, 4, "bc = d\n     ^"),
        ("a\nbc", 99, 2, 3, "bc\n    ^"),
        ("", 0, 1, 1, "\n  ^"),
        (Fragment("x AND\nab", 6, 8), 1, 2, 2, "ab\n   ^"),
    ],
)
def test_an_error_shows_its_line_and_column(text, offset, line, column, shown):
    error = error_at("this is wrong", text, offset, code="made")
    assert (error.line, error.column, error.code) == (line, column, "made")
    assert str(error) == f"this is wrong (line {line}, column {column})\n  {shown}"
