"""Position in the tokens of a statement, with methods to read and skip tokens."""

from __future__ import annotations

from collections.abc import Iterable

from attrs import define, field

from hoodoo.errors import StatementError
from hoodoo.sql_text.fragment import Fragment, Name, error_in
from hoodoo.sql_text.tokens import Kind, Token, tokenize

__all__ = ["Cursor", "Words"]

Words = tuple[str, ...]
"""Consecutive key words, in upper case."""

_OPEN = {"(": ")", "[": "]", "{": "}"}


@define
class Cursor:
    """Position in the tokens of a statement.

    A statement ends at a semicolon that only further semicolons follow, or at the end of the text.

    Attributes:
        text: The whole text.
        tokens: The tokens of the statement; the last one is the end token.
        index: The position of the next token in `tokens`.
    """

    text: str
    tokens: list[Token] = field(repr=False)
    index: int = 0

    @classmethod
    def of(cls, text: str) -> Cursor:
        """Return a cursor at the start of a text.

        Raises:
            StatementError: A string, a name or a comment is not closed.
        """
        tokens, end = tokenize(text), len(text)
        while tokens and tokens[-1].is_symbol(";"):
            # the end of the statement is the place of its semicolon
            end = tokens.pop().start
        return cls(text, [*tokens, Token(Kind.END, "", end, end)])

    def peek(self, ahead: int = 0) -> Token:
        """Return the token that is `ahead` tokens after the next one, without a step; after the end, the end token."""
        return self.tokens[min(self.index + ahead, len(self.tokens) - 1)]

    def next(self) -> Token:
        """Return the next token, and step over it; the end token remains the next one."""
        token = self.peek()
        self.index = min(self.index + 1, len(self.tokens) - 1)
        return token

    @property
    def at_end(self) -> bool:
        """Return whether no token is left."""
        return self.peek().kind is Kind.END

    @property
    def after_dot(self) -> bool:
        """Return whether the previous token is a dot, so that a word is part of a name."""
        return self.index > 0 and self.tokens[self.index - 1].is_symbol(".")

    def at(self, *words: str) -> bool:
        """Return whether these key words are next."""
        return all(self.peek(n).upper == word for n, word in enumerate(words))

    def at_any(self, *words: str) -> bool:
        """Return whether one of these key words is next."""
        return self.peek().upper in words if self.peek().upper else False

    def at_symbol(self, symbol: str, ahead: int = 0) -> bool:
        """Return whether a symbol is the token that is `ahead` tokens after the next one."""
        return self.peek(ahead).is_symbol(symbol)

    def take(self, *words: str) -> bool:
        """Step over these key words if they are next, and return whether they were."""
        if self.at(*words):
            self.index += len(words)
            return True
        return False

    def take_symbol(self, symbol: str) -> bool:
        """Step over a symbol if it is next, and return whether it was."""
        if self.at_symbol(symbol):
            self.next()
            return True
        return False

    def expect(self, *words: str) -> None:
        """Step over these key words. Raises `StatementError` if they are not next."""
        for word in words:
            if not self.take(word):
                raise self.error(f"{word} is expected here, {self._found()}")

    def expect_symbol(self, symbol: str) -> Token:
        """Step over a symbol. Raises `StatementError` if it is not next."""
        if not self.at_symbol(symbol):
            raise self.error(f"'{symbol}' is expected here, {self._found()}")
        return self.next()

    def expect_end(self) -> None:
        """Raise `StatementError` if a token is left."""
        if not self.at_end:
            raise self.error(f"the end of the statement is expected here, {self._found()}")

    def identifier(self, what: str) -> Token:
        """Return an identifier, in backticks or not. Raises a `StatementError` that names `what` for another token."""
        if not self.peek().is_name:
            raise self.error(f"{what} is expected here, {self._found()}")
        return self.next()

    def name(self, what: str) -> Name:
        """Return a name of one part, or of several with dots between them. Errors are those of `identifier`."""
        first = self.identifier(what)
        tokens = [first]
        while self.at_symbol(".") and self.peek(1).is_name:
            self.next()
            tokens.append(self.next())
        at = self.fragment(first.start, tokens[-1].end)
        return Name(tuple(token.value for token in tokens), at, tokens[-1].kind is Kind.QUOTED)

    def string(self, what: str) -> str:
        """Return the value of a string. Raises a `StatementError` that names `what` for another token."""
        if self.peek().kind is not Kind.STRING:
            raise self.error(f"{what} is expected here as a string in quotes, {self._found()}")
        return self.next().value

    def inside(self) -> Fragment:
        """Step over an expression in parentheses, and return the text between them.

        Raises:
            StatementError: No parenthesis is next, it is not closed, or one of another kind closes it.
        """
        opening = self.expect_symbol("(")
        self.index -= 1
        self.skip_one()
        return self.fragment(opening.end, self.tokens[self.index - 1].start)

    def skip_one(self) -> None:
        """Step over a token, or over a parenthesis and everything up to the one that closes it.

        Raises:
            StatementError: A parenthesis is not closed, or one of another kind closes it.
        """
        opening = self.next()
        if opening.kind is not Kind.SYMBOL or opening.value not in _OPEN:
            return
        depth = [opening]
        while depth:
            if self.at_end:
                raise self.fragment(depth[-1].start, depth[-1].end).error(
                    f"'{depth[-1].value}' is not closed; close it, or remove it", code="syntax"
                )
            token = self.next()
            if token.kind is Kind.SYMBOL and token.value in _OPEN:
                depth.append(token)
            elif (
                token.kind is Kind.SYMBOL and token.value in _OPEN.values() and _OPEN[depth.pop().value] != token.value
            ):
                raise self.fragment(token.start, token.end).error(
                    f"'{token.value}' does not close the last open parenthesis, bracket or brace; correct one of them",
                    code="syntax",
                )

    def until(self, *stops: Words, what: str, symbols: Iterable[str] = ()) -> Fragment:
        """Step over an expression or a query, and return it.

        Args:
            stops: The key words that end it, outside of parentheses and of CASE ... END.
            what: Name of the part, for messages.
            symbols: The symbols that end it, in addition to closing parentheses and the semicolon.

        Raises:
            StatementError: The part is empty, or a parenthesis in it is not closed or does not match.
        """
        ends = (*symbols, ")", "]", "}", ";")
        first, last, cases = self.peek(), None, 0
        while not self.at_end:
            token = self.peek()
            if cases == 0 and token.kind is Kind.SYMBOL and token.value in ends:
                break
            word = "" if self.after_dot else token.upper
            if word and cases == 0 and any(self.at(*words) for words in stops) and not self.at_distinct_from():
                break
            if word == "CASE":
                cases += 1
            elif word == "END" and cases:
                cases -= 1
            self.skip_one()
            last = self.tokens[self.index - 1]
        if last is None:
            raise self.error(f"{what} is expected here, {self._found()}")
        return self.fragment(first.start, last.end)

    def at_distinct_from(self) -> bool:
        """Return whether the next word is the FROM of `IS [NOT] DISTINCT FROM`."""
        before = [token.upper for token in self.tokens[max(0, self.index - 3) : self.index]]
        return self.at("FROM") and (before[-2:] == ["IS", "DISTINCT"] or before == ["IS", "NOT", "DISTINCT"])

    def rest(self, what: str) -> Fragment:
        """Step over the rest of the statement, and return it. Errors are those of `until` and `expect_end`."""
        part = self.until(what=what)
        self.expect_end()
        return part

    def fragment(self, start: int, end: int) -> Fragment:
        """Return the part of the statement between two offsets, in characters; `end` is exclusive."""
        return Fragment(self.text, start, end)

    def error(self, message: str, *, code: str = "syntax") -> StatementError:
        """Return an error that shows the place of the next token."""
        return error_in(self.text, self.peek().start, message, code=code)

    def _found(self) -> str:
        token = self.peek()
        if token.kind is Kind.END:
            return "and the statement ends"
        return f"and the statement has {self.text[token.start : token.end]!r}"
