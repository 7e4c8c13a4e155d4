"""Names of columns in expressions: which of them belong to the table, and which to the source."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attrs import field, frozen

from hoodoo.errors import StatementError
from hoodoo.statements.scopes import places_without_columns
from hoodoo.statements.sql_text import Token, TokenType, error_at, tokens_of

__all__ = ["Names", "Reference", "columns_named", "path_of", "prefix_of", "qualified", "references"]

_NAMES = (TokenType.VAR, TokenType.IDENTIFIER)
_CALLS = (TokenType.L_PAREN, TokenType.ARROW)
_LITERALS = (TokenType.STRING, TokenType.NUMBER)
_BEFORE_ALL = (None, TokenType.COMMA, TokenType.DISTINCT, TokenType.DOT, TokenType.L_PAREN)
"""Tokens after which a star stands for all columns, and is not a multiplication."""

# fmt: off
_SYNTAX = frozenset(
    {"all", "and", "any", "array", "as", "between", "by", "case", "cast", "collate", "current_date",
     "current_timestamp", "current_user", "distinct", "div", "else", "end", "escape", "exists", "false", "from",
     "ilike", "in", "interval", "is", "like", "map", "not", "null", "or", "regexp", "rlike", "some", "struct",
     "then", "to", "true", "when"}
)
# fmt: on
"""Words that have a meaning in expressions; a column of such a name is only found with an alias or in backticks."""


@frozen
class Reference:
    """Name in an expression, such as `t.address.city`.

    Attributes:
        parts: Its parts without quotation marks.
        start: The offset of the first character, in characters.
        end: The offset after the last character.
    """

    parts: tuple[str, ...]
    start: int
    end: int


@frozen
class Names:
    """Alias and columns of one side of a statement.

    Attributes:
        alias: The alias.
        columns: The names of the columns.
        case_sensitive: Whether names that differ by case are different.
    """

    alias: str
    columns: tuple[str, ...]
    case_sensitive: bool = False
    _known: dict[str, str] = field(init=False, eq=False, repr=False)

    @_known.default
    def _by_name(self) -> dict[str, str]:
        return {self._same(name): name for name in self.columns}

    def column(self, name: str) -> str | None:
        """Return the column of a name as the table spells it; None if there is none."""
        return self._known.get(self._same(name))

    def is_alias(self, name: str) -> bool:
        """Return whether a name is the alias."""
        return self._same(name) == self._same(self.alias)

    def path(self, parts: Sequence[str]) -> tuple[str, ...] | None:
        """Return the column, and the fields in it, that a name refers to; None if it is not one of this side."""
        inside = parts[1:] if len(parts) > 1 and self.is_alias(parts[0]) else parts
        column = self.column(inside[0])
        return None if column is None else (column, *inside[1:])

    def _same(self, name: str) -> str:
        return name if self.case_sensitive else name.lower()


def references(text: str, *sides: Names) -> list[Reference]:
    """Return the names in an expression that can be columns, in order.

    Names of functions, types, units and parameters of lambdas are left out, and subqueries.

    Args:
        text: The expression.
        sides: The names of the sides whose columns are found if they are called as a word of SQL, such as `date`.
    """
    return list(_references(tokens_of(text), sides))


def qualified(text: str, names: Names) -> str:
    """Return an expression in which each unqualified column of one side has the alias of that side."""
    parts, end, prefix = [], 0, prefix_of(names)
    for found in _references(tokens_of(text), (names,)):
        if names.is_alias(found.parts[0]) and len(found.parts) > 1:
            continue
        if names.column(found.parts[0]) is not None:
            parts += [text[end : found.start], prefix]
            end = found.start
    return "".join([*parts, text[end:]])


def columns_named(given: object, names: Names) -> frozenset[str] | None:
    """Return columns among which are all that an expression can name; None if it can name any.

    Args:
        given: The expression as a text, a plain value, or a `Column`, whose names are not known.
        names: The names of the table.
    """
    if not isinstance(given, str):
        return frozenset() if given is None or isinstance(given, (bool, int, float, bytes)) else None
    tokens = tokens_of(given)
    before = [None, *(token.token_type for token in tokens)]
    for token, previous in zip(tokens, before, strict=False):
        is_star = token.token_type == TokenType.STAR and previous in _BEFORE_ALL
        if is_star or token.text.lower() == "select":
            return None
    found = (names.column(token.text) for token in tokens)
    return frozenset(name for name in found if name is not None)


def prefix_of(names: Names) -> str:
    """Return the text that `qualified` adds before a column."""
    return "`" + names.alias.replace("`", "``") + "`."


def path_of(text: str, names: Names) -> tuple[str, ...]:
    """Return the column, and the fields in it, to which an assignment assigns.

    Raises:
        StatementError: The text is not the name of a column of the table.
    """
    if not isinstance(text, str):
        raise StatementError(f"{text!r} is not the name of a column; give a text")
    tokens = tokens_of(text)
    found = list(_references(tokens, every=True))
    if len(found) != 1 or found[0].start > tokens[0].start or found[0].end <= tokens[-1].end:
        raise error_at(f"{text!r} is not the name of a column", text)
    path = names.path(found[0].parts)
    if path is None:
        listed = ", ".join(names.columns)
        raise error_at(f"the table has no column '{'.'.join(found[0].parts)}'; it has: {listed}", text)
    return path


def _references(tokens: Sequence[Token], sides: Sequence[Names] = (), *, every: bool = False) -> Iterator[Reference]:
    """Yield the names that can be columns.

    Args:
        tokens: The tokens of the expression.
        sides: The names of the sides whose columns are found if they are called as a word of SQL, such as `date`.
        every: Whether each word is a name, because the text is nothing but a name.
    """
    at, other = 0, set() if every else places_without_columns(tokens)
    while at < len(tokens):
        first = tokens[at]
        if at in other or not (_is_name(first, every=every) or _is_column(first, sides)):
            at += 1
            continue
        end, parts = at + 1, [first.text]
        while end + 1 < len(tokens) and tokens[end].token_type == TokenType.DOT:
            parts.append(tokens[end + 1].text)
            end += 2
        following = tokens[end].token_type if end < len(tokens) else None
        if following not in _CALLS:
            yield Reference(tuple(parts), first.start, tokens[end - 1].end + 1)
        at = end


def _is_name(token: Token, *, every: bool) -> bool:
    if token.token_type in _NAMES:
        return True
    # a column may have the name of a keyword, such as `date` or `timestamp`
    return token.text.isidentifier() and token.token_type not in _LITERALS and every


def _is_column(token: Token, sides: Sequence[Names]) -> bool:
    if token.token_type in _LITERALS or token.text.lower() in _SYNTAX or not token.text.isidentifier():
        return False
    return any(side.column(token.text) is not None for side in sides)
