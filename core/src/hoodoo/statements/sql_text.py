"""Text of a statement: its tokens, parts that have a place in it, and errors that show the place.

Spark parses all expressions and queries as they are written. This package only finds their borders.
"""

from __future__ import annotations

from sqlglot.dialects.spark import Spark
from sqlglot.errors import TokenError
from sqlglot.tokens import Token, TokenType  # type: ignore[attr-defined]

from hoodoo.errors import StatementError
from hoodoo.sql_parsing.fragment import error_in

__all__ = ["Fragment", "Token", "TokenType", "error_at", "sliced", "tokens_of"]


class Fragment(str):
    """Part of the text of a statement, which an error can show in its place.

    Attributes:
        whole: The text of the whole statement.
        start: The offset of the part in it, in characters.
    """

    whole: str
    start: int

    def __new__(cls, whole: str, start: int, end: int) -> Fragment:
        """Return the characters of a text from `start` to `end`."""
        part = super().__new__(cls, whole[start:end])
        part.whole, part.start = whole, start
        return part


def sliced(text: str, start: int, end: int) -> Fragment:
    """Return the characters of a text from `start` to `end`, without spaces at both ends."""
    while start < end and text[start].isspace():
        start += 1
    while start < end and text[end - 1].isspace():
        end -= 1
    if isinstance(text, Fragment):
        return Fragment(text.whole, text.start + start, text.start + end)
    return Fragment(text, start, end)


def tokens_of(text: str) -> list[Token]:
    """Return the tokens of a text in Spark's SQL; `start` and `end` of a token are the offsets of its characters.

    Raises:
        StatementError: A quotation mark or a comment is not closed.
    """
    try:
        return Spark().tokenize(text)
    except TokenError as error:
        raise StatementError(f"the text is not SQL: {error}\n  {text}") from error


def error_at(message: str, text: str, offset: int = 0, *, code: str | None = None) -> StatementError:
    """Return an error that shows the line of a place in the text.

    Args:
        message: The sentence of the error.
        text: The text, or a part of a statement.
        offset: The offset of the fault in the text, in characters.
        code: The code of the error.
    """
    if isinstance(text, Fragment):
        offset += text.start
        text = text.whole
    return error_in(text, min(offset, len(text)), message, code=code)
