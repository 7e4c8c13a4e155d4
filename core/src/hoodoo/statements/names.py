"""Names of columns in expressions, and the side of the statement (table or source) to which each belongs."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from attrs import field, frozen

from hoodoo.errors import StatementError
from hoodoo.sql_text.placed_text import error_at
from hoodoo.sql_text.tokens import Kind, Token, tokenize
from hoodoo.statements.scopes import parameters, places_without_columns

__all__ = ["ExpressionName", "Names", "columns_named", "path_of", "prefix_of", "qualified", "references"]

_CALLS = ("(", "->")
# fmt: off
_SYNTAX = frozenset(
    {"all", "and", "any", "array", "as", "between", "case", "collate", "current_date", "current_timestamp",
     "current_user", "distinct", "div", "else", "end", "escape", "exists", "false", "from", "ilike", "in", "interval",
     "is", "like", "map", "not", "null", "or", "regexp", "rlike", "some", "struct", "then", "true", "when"}
)
# fmt: on
"""Key words of expressions: a column of such a name is recognized only with an alias or in backticks."""


@frozen
class ExpressionName:
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
        alias: The alias of the table or of the source in expressions.
        columns: The names of the columns of that table or source.
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
        """Return the column of a name as the table or source spells it; None if there is none."""
        return self._known.get(self._same(name))

    def is_alias(self, name: str) -> bool:
        """Return whether a name is the alias."""
        return self._same(name) == self._same(self.alias)

    def path(self, parts: Sequence[str]) -> tuple[str, ...] | None:
        """Return the column of this side, and the fields in it, that a name refers to; None if there is none."""
        inside = parts[1:] if len(parts) > 1 and self.is_alias(parts[0]) else parts
        column = self.column(inside[0])
        return None if column is None else (column, *inside[1:])

    def _same(self, name: str) -> str:
        return name if self.case_sensitive else name.lower()


def references(text: str) -> list[ExpressionName]:
    """Return the names in an expression that can be columns, in order.

    Names of functions, types, units and parameters of lambdas, and names in subqueries, are left out.
    """
    return list(_references(tokenize(text)))


def qualified(text: str, names: Names) -> str:
    """Return an expression in which each unqualified column of one side has the alias of that side.

    A parameter of a lambda with the name of the alias would hide it, and gets another name of the same length, so that
    positions in both texts correspond.
    """
    tokens, prefix = tokenize(text), prefix_of(names)
    edits = [
        (found.start, found.start, prefix)
        for found in _references(tokens)
        if not (names.is_alias(found.parts[0]) and len(found.parts) > 1) and names.column(found.parts[0]) is not None
    ]
    hiding = [tokens[at] for at in parameters(tokens) if names.is_alias(tokens[at].value)]
    if hiding:
        used = {token.value.lower() for token in tokens}
        edits += [(token.start, token.end, _free_name(token.end - token.start, used)) for token in hiding]
    parts, at = [], 0
    for start, end, replacement in sorted(edits):
        parts += [text[at:start], replacement]
        at = end
    return "".join([*parts, text[at:]])


def _free_name(length: int, used: Collection[str]) -> str:
    """Return an unused name of `length` characters."""
    names = (letter * length for letter in "pqrvwxyzabcdefghijklmnostu")
    return next(name for name in names if name not in used)


def columns_named(given: object, names: Names) -> frozenset[str] | None:
    """Return a set that contains all columns that an expression can name; None if it can name any column.

    Args:
        given: The expression as a text, a plain value, or a `Column`, whose names cannot be read.
        names: The alias and the columns of the table.
    """
    if not isinstance(given, str):
        return frozenset() if given is None or isinstance(given, (bool, int, float, bytes)) else None
    tokens = tokenize(given)
    for token, previous in zip(tokens, [None, *tokens], strict=False):
        # after a value, a star is a multiplication
        follows_value = previous is not None and (
            previous.is_name or previous.is_literal or previous.is_symbol(")", "]")
        )
        if token.upper == "SELECT" or (token.is_symbol("*") and (not follows_value or _is_distinct(previous))):
            return None
    found = (names.column(token.value) for token in tokens)
    return frozenset(name for name in found if name is not None)


def _is_distinct(token: Token | None) -> bool:
    return token is not None and token.upper == "DISTINCT"


def prefix_of(names: Names) -> str:
    """Return the text that `qualified` adds before a column."""
    return "`" + names.alias.replace("`", "``") + "`."


def path_of(text: str, names: Names) -> tuple[str, ...]:
    """Return the column, and the fields in it, to which an assignment assigns.

    Raises:
        StatementError: The text is not the name of a column of the table.
    """
    if not isinstance(text, str):
        raise StatementError(
            f"'{text}' of type {type(text).__name__} is not the name of a column; give the name as text"
        )
    tokens = tokenize(text)
    found = list(_references(tokens, every=True))
    if len(found) != 1 or found[0].start > tokens[0].start or found[0].end < tokens[-1].end:
        raise error_at(f"{str(text)!r} is not the name of a column; assign to a column or a field", text, code="column")
    path = names.path(found[0].parts)
    if path is None:
        listed = ", ".join(names.columns)
        raise error_at(f"the table has no column '{'.'.join(found[0].parts)}'; it has: {listed}", text, code="column")
    return path


def _references(tokens: Sequence[Token], *, every: bool = False) -> Iterator[ExpressionName]:
    """Yield the names that can be columns.

    Args:
        tokens: The tokens of the expression.
        every: Whether each word is a name, because the text consists of one name.
    """
    at, other = 0, set() if every else places_without_columns(tokens)
    while at < len(tokens):
        first = tokens[at]
        if at in other or not _is_name(first, every=every):
            at += 1
            continue
        end, parts = at + 1, [first.value]
        while end + 1 < len(tokens) and tokens[end].is_symbol("."):
            parts.append(tokens[end + 1].value)
            end += 2
        if end >= len(tokens) or not tokens[end].is_symbol(*_CALLS):
            yield ExpressionName(tuple(parts), first.start, tokens[end - 1].end)
        at = end


def _is_name(token: Token, *, every: bool) -> bool:
    if token.kind is Kind.WORD:
        return every or token.value.lower() not in _SYNTAX
    return token.kind is Kind.QUOTED
