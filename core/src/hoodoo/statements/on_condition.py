"""Condition of a MERGE: comparisons of the key columns, and further conditions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from attrs import frozen

from hoodoo.sql_text.placed_text import PlacedText, error_at, sliced
from hoodoo.sql_text.tokens import Kind, Token, tokenize
from hoodoo.statements.names import Names, references
from hoodoo.statements.scopes import closing

__all__ = ["OnCondition", "aliases_of", "on_condition"]

_EQUAL = ("=", "==", "<=>")
# fmt: off
_PREDICATES = frozenset(
    {"<", "<=", ">", ">=", "<>", "!=", "!", "is", "in", "like", "ilike", "rlike", "regexp", "between", "not", "and",
     "or"}
)
# fmt: on
_TARGETS = ("t", "target", "tgt")


@frozen
class OnCondition:
    """Condition of a MERGE, whose conjuncts are parts of its text.

    Attributes:
        text: The whole condition.
        equal: The expressions over the source that are compared with columns of the key or the partition, by column.
        conjuncts: The conjuncts that compare these columns.
        others: The other conjuncts.
    """

    text: str
    equal: Mapping[str, str]
    conjuncts: tuple[str, ...]
    others: tuple[str, ...]


def aliases_of(
    text: str, source_columns: Sequence[str], table_columns: Sequence[str], given: tuple[str | None, str | None]
) -> tuple[str, str]:
    """Return the aliases of table and source that a condition uses, or defaults such as `t` and `s`.

    Args:
        text: The condition, in Spark's SQL.
        source_columns: The columns of the source.
        table_columns: The columns of the table.
        given: The aliases of table and source that the caller gives; None for an alias to find.

    Raises:
        StatementError: The condition uses other names than these two, the two are equal, or a string, a quoted name or
            a comment in the condition is not closed.
    """
    target, source = given
    columns = {name.lower() for name in (*source_columns, *table_columns)}
    used = {
        found.parts[0].lower(): found.parts[0]
        for found in references(text)
        if len(found.parts) > 1 and found.parts[0].lower() not in columns
    }
    if target is None:
        taken = {"" if source is None else source.lower()}
        target = next((used[name] for name in _TARGETS if name in used and name not in taken), "t")
    left = [name for folded, name in used.items() if folded != target.lower()]
    if source is None:
        source = left[0] if left else "s" if target.lower() != "s" else "source"
    unknown = [name for name in left if name.lower() != source.lower()]
    if unknown or target.lower() == source.lower():
        named = "', '".join(sorted(used.values()))
        raise error_at(
            f"the table and the source have the same alias '{target}'; give different aliases (in Python "
            "target_alias and source_alias)"
            if target.lower() == source.lower()
            else f"the condition names '{named}', the table has the alias '{target}', and the source has the alias "
            f"'{source}'; use these aliases, or give others (in Python target_alias and source_alias)",
            text,
        )
    return target, source


def on_condition(
    text: str, target: Names, source: Names, keys: Sequence[str], partitions: Sequence[str]
) -> OnCondition:
    """Return the parts of a condition.

    Args:
        text: The condition, in Spark's SQL.
        target: The alias and the columns of the table.
        source: The alias and the columns of the source.
        keys: The record key columns of the table.
        partitions: The partition columns of the table.

    Raises:
        StatementError: The condition is empty, does not compare each key column with an expression over the source, or
            has a string, a quoted name or a comment that is not closed.
    """
    equal: dict[str, str] = {}
    conjuncts, others = [], []
    for conjunct in _conjuncts(text):
        found = _equality(conjunct, target, source, (*keys, *partitions))
        if found is None:
            others.append(conjunct)
        else:
            equal.setdefault(*found)
            conjuncts.append(conjunct)
    missing = [name for name in keys if name not in equal]
    if missing:
        wanted = " AND ".join(f"{target.alias}.{name} = {source.alias}.{name}" for name in keys)
        raise error_at(
            f"the condition does not compare the record key column '{missing[0]}' with the source; rows of a table are "
            f"found by their key: write {wanted}, and further comparisons after AND",
            text,
            code="merge_condition",
        )
    return OnCondition(text, equal, tuple(conjuncts), tuple(others))


def _conjuncts(text: str) -> list[PlacedText]:
    """Return the parts of a condition that AND connects at its top level; one part if OR connects them."""
    tokens = _unwrapped(tokenize(text))
    if not tokens:
        raise error_at("the condition is empty; compare the record key columns", text)
    borders, between = [], 0
    for at in _outside(tokens):
        word = tokens[at].upper
        if word == "OR":
            return [sliced(text, tokens[0].start, tokens[-1].end)]
        if word == "BETWEEN":
            between += 1
        elif word == "AND" and between:
            between -= 1
        elif word == "AND":
            borders.append(at)
    groups = zip([0, *(at + 1 for at in borders)], [*borders, len(tokens)], strict=True)
    # comments between the parts belong to none, because a part can be written on one line with others
    parts = [sliced(text, tokens[first].start, tokens[end - 1].end) for first, end in groups if first < end]
    if len(parts) == 1:
        return parts
    return [inner for part in parts for inner in _conjuncts(part)]


def _outside(tokens: Sequence[Token]) -> Iterator[int]:
    """Yield the positions of tokens outside parentheses and CASE expressions, without the parts of names."""
    depth, cases = 0, 0
    for at, token in enumerate(tokens):
        if at and tokens[at - 1].is_symbol("."):
            # a column may have the name of a keyword
            continue
        depth += token.is_symbol("(", "[") - token.is_symbol(")", "]")
        if token.upper == "CASE":
            cases += 1
        elif token.upper == "END" and cases:
            cases -= 1
        elif depth == 0 and cases == 0:
            yield at


def _unwrapped(tokens: list[Token]) -> list[Token]:
    """Return tokens without parentheses around all of them."""
    while len(tokens) > 1 and tokens[0].is_symbol("(") and closing(tokens) == len(tokens) - 1:
        tokens = tokens[1:-1]
    return tokens


def _equality(text: PlacedText, target: Names, source: Names, columns: Sequence[str]) -> tuple[str, str] | None:
    """Return the table column and the source expression that a conjunct compares; None for other conjuncts."""
    tokens = _unwrapped(tokenize(text))
    outside = [tokens[at] for at in _outside(tokens)]
    places = [token for token in outside if token.is_symbol(*_EQUAL)]
    if any(token.kind in (Kind.WORD, Kind.SYMBOL) and token.value.lower() in _PREDICATES for token in outside):
        # `t.id = s.id IS NULL` compares the result of the comparison
        return None
    if len(places) != 1:
        return None
    sides = (
        sliced(text, tokens[0].start, places[0].start),
        sliced(text, places[0].end, tokens[-1].end),
    )
    for own, other in (sides, sides[::-1]):
        column = _column(own, target, source)
        if column is not None and column in columns and _is_of_source(other, target, source):
            return column, str(other)
    return None


def _column(text: str, target: Names, source: Names) -> str | None:
    """Return the table column a text names, as a dotted path; None if it names none or may name a source column."""
    tokens = _unwrapped(tokenize(text))
    found = references(text)
    if len(found) != 1 or not tokens or (found[0].start, found[0].end) != (tokens[0].start, tokens[-1].end):
        return None
    parts = found[0].parts
    is_own = target.is_alias(parts[0]) and len(parts) > 1
    if not is_own and source.path(parts) is not None:
        return None
    path = target.path(parts)
    return None if path is None else ".".join(path)


def _is_of_source(text: str, target: Names, source: Names) -> bool:
    """Return whether an expression names at least one column, and only columns of the source."""
    found = references(text)
    for reference in found:
        if len(reference.parts) > 1 and target.is_alias(reference.parts[0]):
            return False
        if source.path(reference.parts) is None and target.path(reference.parts) is not None:
            return False
    return any(source.path(reference.parts) is not None for reference in found)
