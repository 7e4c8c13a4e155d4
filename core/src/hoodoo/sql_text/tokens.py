"""Tokens of a statement in Spark's SQL, by sqlglot's tokenizer.

Only the positions and kinds of tokens are used: an expression or a query is passed to Spark as it is written.
"""

from __future__ import annotations

import enum
import functools
from collections.abc import Callable, Iterator
from typing import Any

from attrs import field, frozen

from hoodoo.sql_text.fragment import error_in

__all__ = ["Kind", "Token", "tokenize"]


class Kind(enum.Enum):
    """Kind of a token; `END` is the kind of the token after the last one."""

    WORD = "word"
    QUOTED = "quoted name"
    STRING = "string"
    NUMBER = "number"
    SYMBOL = "symbol"
    END = "end of the statement"


@frozen
class Token:
    """Smallest part of a statement.

    Attributes:
        kind: The kind: a word, a quoted name, a string, a number, a symbol, or the end of the statement.
        value: The text; without quotes and escapes for a string or a quoted name.
        start: Offset of the first character in the text, in characters.
        end: Offset after the last character.
        upper: The word in upper case; "" for a token that is not a word.
    """

    kind: Kind
    value: str
    start: int
    end: int
    upper: str = field(init=False, repr=False)

    @upper.default
    def _upper_of_word(self) -> str:
        return self.value.upper() if self.kind is Kind.WORD else ""

    @property
    def is_name(self) -> bool:
        """Return whether the token can be an identifier."""
        return self.kind in (Kind.WORD, Kind.QUOTED)

    @property
    def is_literal(self) -> bool:
        """Return whether the token is a string or a number."""
        return self.kind in (Kind.STRING, Kind.NUMBER)

    def is_symbol(self, *symbols: str) -> bool:
        """Return whether the token is one of these symbols."""
        return self.kind is Kind.SYMBOL and self.value in symbols


class _UnclosedError(Exception):
    """Error for a string, a quoted name or a comment that is not closed."""


@functools.cache
def _tokenizer() -> Callable[[str], list[Any]]:
    """Return sqlglot's tokenizer without its commands, which it would keep in one token. Its import takes 0.4 s."""
    from sqlglot.dialects.spark import Spark
    from sqlglot.errors import TokenError

    class Tokenizer(Spark.Tokenizer):
        COMMANDS = type(Spark.Tokenizer.COMMANDS)()

    def tokens(text: str) -> list[Any]:
        try:
            return Tokenizer(dialect=Spark()).tokenize(text)
        except TokenError as error:
            raise _UnclosedError from error

    return tokens


_PREFIXED = ("'", '"')


def tokenize(text: str) -> list[Token]:
    """Return the tokens of a text; comments and white space are left out.

    Raises:
        StatementError: A string, a quoted name or a comment is not closed.
    """
    try:
        return list(_tokens(text))
    except _UnclosedError as error:
        raise error_in(
            text,
            _unclosed(text),
            "a string, a quoted name or a comment begins here and is not closed; close it",
            code="syntax",
        ) from error


def _tokens(text: str) -> Iterator[Token]:
    last = -1
    for token in _tokenizer()(text):
        start, end = token.start, token.end + 1
        if start <= last:
            # a number with the suffix of its type is three tokens of sqlglot
            continue
        last = end - 1
        yield from _split(token.text, text[start:end], start)


def _split(value: str, written: str, start: int) -> Iterator[Token]:
    """Yield the tokens in one token of sqlglot, which may contain several words, such as `MSCK REPAIR`."""
    end = start + len(written)
    if written.startswith("`"):
        yield Token(Kind.QUOTED, value, start, end)
    elif written.endswith(_PREFIXED):
        yield Token(Kind.STRING, value, start, end)
    elif written[0].isdigit() and not written.replace("_", "").isalpha() and not _is_word(written):
        yield Token(Kind.NUMBER, written, start, end)
    elif written[0].isalpha() or written[0] in "_$" or _is_word(written):
        offset = start
        for word in written.split():
            offset = start + written.index(word, offset - start)
            yield Token(Kind.WORD, word, offset, offset + len(word))
            offset += len(word)
    else:
        yield Token(Kind.SYMBOL, written, start, end)


def _is_word(written: str) -> bool:
    """Return whether a text that begins with a digit is an identifier, such as `2nd`, not a number, such as `2L`."""
    if not written[0].isdigit():
        return False
    rest = written.lstrip("0123456789")
    if not rest or not (rest[0].isalpha() or rest[0] == "_"):
        return False
    suffix = rest.upper()
    if suffix in ("L", "S", "Y", "F", "D", "BD"):
        return False
    # an exponent: 1e3, 1E-3
    return not (suffix[0] == "E" and suffix[1:].lstrip("+-")[:1].isdigit())


def _unclosed(text: str) -> int:
    """Return the offset of the unclosed quote or comment: the last offset before which the text is complete."""
    for offset in range(len(text) - 1, -1, -1):
        if text[offset] in "'\"`" or text.startswith("/*", offset):
            try:
                list(_tokens(text[:offset]))
            except _UnclosedError:
                continue
            return offset
    return 0
