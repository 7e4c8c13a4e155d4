"""Errors that show a place in a statement."""

from __future__ import annotations

from hoodoo.sql_text.fragment import Fragment, error_in

TEXT = "UPDATE t\nSET a = 1,\n    b = = 2"


def test_an_error_shows_line_column_and_caret():
    error = Fragment(TEXT, TEXT.index("= = 2") + 2, len(TEXT)).error("a value is expected here")

    assert (error.line, error.column) == (3, 9)
    assert str(error) == "a value is expected here (line 3, column 9)\n      b = = 2\n          ^"


def test_a_long_line_is_cut_around_the_place():
    text = "x" * 300 + "!" + "y" * 300
    shown = str(error_in(text, 300, "wrong")).split("\n")

    assert len(shown[1]) == 102
    assert shown[1][len(shown[2]) - 1] == "!"


def test_a_place_at_the_end_of_the_text_is_shown():
    assert str(error_in("DROP TABLE", 10, "a name is expected")).endswith("\n  DROP TABLE\n            ^")
