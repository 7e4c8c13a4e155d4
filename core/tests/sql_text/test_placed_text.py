"""Texts that are made of parts of a statement, and errors that show their place."""

from __future__ import annotations

import pytest

from hoodoo.sql_text.fragment import Fragment
from hoodoo.sql_text.placed_text import Piece, at_place_of, error_at, placed, sliced

WHOLE = "SET a = :name +\n  b"


def made():
    """Return `a = 'long text' +\\n  b`, in which a literal takes the place of `:name`."""
    return placed(
        [
            Piece("a = ", Fragment(WHOLE, 4, 8)),
            Piece("'long text'", Fragment(WHOLE, 8, 13)),
            Piece(" +\n  b", Fragment(WHOLE, 13, 19)),
        ]
    )


def test_characters_of_parts_keep_their_place_and_those_of_a_literal_have_the_place_of_its_marker():
    text = made()
    assert text == "a = 'long text' +\n  b"
    assert [text.place(text.index(part)) for part in ("a", "=", "'", "text", "+", "b")] == [4, 6, 8, 8, 14, 18]
    # behind the end
    assert text.place(100) == len(WHOLE)


@pytest.mark.parametrize("part", ["=", "= 'long text'", "text' +", "b", "+\n  b"])
def test_a_slice_of_a_text_keeps_the_places_of_its_characters(part):
    text = made()
    start = text.index(part)
    inner = sliced(text, start, start + len(part))
    assert (inner, inner.whole) == (part, WHOLE)
    assert [inner.place(at) for at in range(len(part))] == [text.place(start + at) for at in range(len(part))]
    second = sliced(inner, 1, len(part))
    assert second.place(0) == text.place(start + len(part) - len(second))


def test_a_part_has_no_spaces_at_its_ends_and_keeps_its_place():
    whole = "a =  1\n AND  b = 2 "
    part = sliced(whole, 11, len(whole))
    assert (part, part.place(0), part.whole) == ("b = 2", 13, whole)
    inner = sliced(part, 3, 5)
    assert (inner, inner.place(0), inner.whole) == ("2", 17, whole)
    assert sliced(whole, 3, 5) == ""


def test_another_name_has_the_place_of_a_text():
    name = at_place_of(sliced(WHOLE, 18, 19), "column")
    assert (name, error_at("wrong", name, 3).line, error_at("wrong", name, 3).column) == ("column", 2, 3)
    assert at_place_of("t.a", "a") == "a"


@pytest.mark.parametrize(
    ("text", "offset", "line", "column", "shown"),
    [
        ("a = b", 0, 1, 1, "a = b\n  ^"),
        ("a\nbc = d\ne", 5, 2, 4, "bc = d\n     ^"),
        ("a\nbc", 99, 2, 3, "bc\n    ^"),
        ("", 0, 1, 1, "\n  ^"),
        (sliced("x AND\nab", 6, 8), 1, 2, 2, "ab\n   ^"),
    ],
)
def test_an_error_shows_its_line_and_column(text, offset, line, column, shown):
    error = error_at("this is wrong", text, offset, code="made")
    assert (error.line, error.column, error.code) == (line, column, "made")
    assert str(error) == f"this is wrong (line {line}, column {column})\n  {shown}"
