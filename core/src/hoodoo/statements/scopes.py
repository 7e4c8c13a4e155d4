"""Positions in an expression where a name is not a column: types, units, parameters of lambdas, and subqueries."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hoodoo.sql_text.tokens import Kind, Token

__all__ = ["closing", "parameters", "places_without_columns"]

_OPEN, _CLOSE = ("(", "["), (")", "]")
_QUERIES = frozenset({"select", "with", "values", "from", "table"})
_CASTS = frozenset({"cast", "try_cast"})
_WITH_UNIT = frozenset({"date_add", "date_diff", "dateadd", "datediff", "timestampadd", "timestampdiff"})


def places_without_columns(tokens: Sequence[Token]) -> set[int]:
    """Return the positions of tokens that cannot name columns because of their place, such as in a type or subquery."""
    found: set[int] = set()
    for at, token in enumerate(tokens):
        before = tokens[at - 1] if at else None
        following = tokens[at + 1] if at + 1 < len(tokens) else None
        if token.is_symbol("("):
            found.update(_inside(tokens, at))
        elif token.is_symbol("->"):
            found.update(_of_lambda(tokens, at))
        elif token.upper == "AS" or token.is_symbol("::"):
            found.update(_of_type(tokens, at + 1))
        elif before is not None and (before.is_literal or before.upper == "TO"):
            # a unit of an interval
            found.add(at)
        elif before is not None and token.upper == "TO" and at - 1 in found:
            # DAY TO SECOND
            found.add(at)
        elif before is not None and (before.is_symbol(":") or before.upper == "COLLATE"):
            # a field of a VARIANT, or a collation
            found.add(at)
        elif before is not None and before.is_symbol("."):
            # a field of a value that is not a column, such as the element of an array
            found.add(at)
        elif following is not None and (following.kind is Kind.STRING or following.is_symbol("=>")):
            # a typed literal, such as DATE '2026-01-01', or the name of an argument
            found.add(at)
    return found


def parameters(tokens: Sequence[Token]) -> set[int]:
    """Return the positions of tokens that name parameters of lambdas, before the arrows and in the bodies."""
    found = {at for arrow, token in enumerate(tokens) if token.is_symbol("->") for at in _of_lambda(tokens, arrow)}
    return {at for at in found if tokens[at].is_name}


def closing(tokens: Sequence[Token], opening: int = 0) -> int:
    """Return the position of the parenthesis that closes the one at `opening`; the number of tokens if none does."""
    depth = 0
    for at in range(opening, len(tokens)):
        depth += tokens[at].is_symbol(*_OPEN) - tokens[at].is_symbol(*_CLOSE)
        if depth == 0:
            return at
    return len(tokens)


def _inside(tokens: Sequence[Token], opening: int) -> Iterator[int]:
    """Yield the positions of names that are not columns in the parentheses that open at a position."""
    end = closing(tokens, opening)
    name = tokens[opening - 1].value.lower() if opening else ""
    first = tokens[opening + 1].value.lower() if opening + 1 < len(tokens) else ""
    if first in _QUERIES and tokens[opening + 1].kind is Kind.WORD:
        if first in ("select", "with") or _starts_query(tokens, opening + 1):
            yield from range(opening + 1, end)
    elif name in _CASTS:
        types = [at for at in range(opening, end) if tokens[at].upper == "AS"]
        if types:
            yield from range(types[-1] + 1, end)
    elif (name == "extract" and _text(tokens, opening + 2) == "from") or (
        name in _WITH_UNIT and _commas(tokens, opening, end) == 2
    ):
        yield opening + 1


def _starts_query(tokens: Sequence[Token], at: int) -> bool:
    """Return whether a word that can also be a column starts a query, because a name or parenthesis follows it."""
    return at + 1 < len(tokens) and (tokens[at + 1].is_name or tokens[at + 1].is_symbol("("))


def _of_lambda(tokens: Sequence[Token], arrow: int) -> Iterator[int]:
    """Yield the positions of the parameters of a lambda, in front of its arrow and in its body."""
    begin, depth = arrow - 1, 0
    while begin >= 0:
        depth += tokens[begin].is_symbol(*_CLOSE) - tokens[begin].is_symbol(*_OPEN)
        if depth == 0:
            break
        begin -= 1
    names = {tokens[at].value.lower() for at in range(max(begin, 0), arrow)}
    depth = 0
    for at in range(max(begin, 0), len(tokens)):
        if at > arrow:
            depth += tokens[at].is_symbol(*_OPEN) - tokens[at].is_symbol(*_CLOSE)
            if depth < 0 or (depth == 0 and tokens[at].is_symbol(",")):
                return
        inside = at > 0 and tokens[at - 1].is_symbol(".")
        if tokens[at].value.lower() in names and not inside:
            yield at


def _of_type(tokens: Sequence[Token], at: int) -> Iterator[int]:
    """Yield the position of an alias or a plain type, or the positions of a type with parameters."""
    yield at
    depth = 0
    for place in range(at + 1, len(tokens)):
        depth += tokens[place].is_symbol("<") - tokens[place].is_symbol(">")
        if depth <= 0 or tokens[at].value.lower() not in ("array", "map", "struct"):
            return
        yield place


def _text(tokens: Sequence[Token], at: int) -> str:
    return tokens[at].value.lower() if at < len(tokens) else ""


def _commas(tokens: Sequence[Token], opening: int, end: int) -> int:
    """Return the number of commas between the arguments of a call."""
    depth, count = 0, 0
    for token in tokens[opening:end]:
        depth += token.is_symbol(*_OPEN) - token.is_symbol(*_CLOSE)
        count += depth == 1 and token.is_symbol(",")
    return count
