"""Search for the tables that a query names, by its tokens.

The tokens suffice: a table is named after FROM, JOIN, TABLE, INTO, OVERWRITE or UPDATE, or a comma of a FROM clause.
sqlglot's parser finds tables only in queries that it can parse, and its grammar lacks parts of Spark's, such as
`x IN (TABLE t)` and EXPLAIN.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from attrs import evolve, field, frozen

from hoodoo.sql_parsing.cursor import Cursor
from hoodoo.sql_parsing.grammar.common import properties
from hoodoo.sql_text.fragment import Fragment, Name
from hoodoo.sql_text.tokens import Kind

__all__ = ["TableReference", "names_in", "names_of_ctes", "references", "relation_references"]


@frozen
class TableReference:
    """Place in a query that names a table.

    Attributes:
        name: The name of the table or of the table function.
        at: The text to replace: the name with its time, options and arguments.
        time: The expression after TIMESTAMP AS OF or VERSION AS OF, which may be empty; None if absent.
        options: The entries of WITH (key = 'value') after the name.
        arguments: The arguments of a table function; None for a table.
        alias_at: The offset, in characters, at which a missing alias is inserted; None if the query has an alias, or
            cannot have one.
    """

    name: Name
    at: Fragment
    time: Fragment | None = None
    options: Mapping[str, str] = field(factory=dict)
    arguments: tuple[Fragment, ...] | None = None
    alias_at: int | None = None


_ENDS_FROM = frozenset(
    [
        "WHERE",
        "GROUP",
        "HAVING",
        "ORDER",
        "SORT",
        "CLUSTER",
        "DISTRIBUTE",
        "LIMIT",
        "OFFSET",
        "WINDOW",
        "LATERAL",
        "SELECT",
        "UNION",
        "EXCEPT",
        "MINUS",
        "INTERSECT",
        "PIVOT",
        "UNPIVOT",
        "SET",
        "VALUES",
    ]
)
_NOT_ALIASES = _ENDS_FROM | frozenset(
    [
        "FROM",
        "JOIN",
        "INNER",
        "LEFT",
        "RIGHT",
        "FULL",
        "CROSS",
        "NATURAL",
        "SEMI",
        "ANTI",
        "ON",
        "USING",
        "TABLESAMPLE",
        "QUALIFY",
        "WHEN",
        "THEN",
        "INSERT",
        "MAP",
        "REDUCE",
        "AND",
        "OR",
        "WITH",
        "REPLACE",
        "PARTITION",
        "BY",
    ]
)
_QUERY_WORDS = ("SELECT", "WITH", "FROM", "VALUES", "TABLE", "MAP", "REDUCE")
_FROM_IN_CALLS = frozenset(("EXTRACT", "TRIM", "SUBSTRING", "SUBSTR", "OVERLAY"))
_BEFORE_TABLES = ("TABLE", "INTO", "OVERWRITE")


def references(part: Fragment, visible: frozenset[str] = frozenset()) -> list[TableReference]:
    """Return the tables that a part of a statement names, in their order in the text.

    Args:
        part: A query, an expression with queries in it, or a whole statement.
        visible: Names in lower case that a clause WITH outside of the part defines.

    Raises:
        StatementError: A parenthesis is not closed, an argument of a table function is missing, or a clause WITH is
            incomplete or invalid.
    """
    return list(_scan(_cursor_of(part), set(visible), in_from=False, at_table=False, in_call=False))


def relation_references(part: Fragment, visible: frozenset[str] = frozenset()) -> list[TableReference]:
    """Return the tables of a part that is itself a table or a query in parentheses, such as the source of MERGE.

    Arguments and errors are those of `references`.
    """
    return list(_scan(_cursor_of(part), set(visible), in_from=True, at_table=True, in_call=False))


def names_in(part: Fragment) -> list[Name]:
    """Return all names of a part, including key words and names that are not those of tables."""
    cursor, found = _cursor_of(part), []
    while not cursor.at_end:
        if cursor.peek().is_name and not cursor.after_dot:
            found.append(cursor.name("a name"))
        else:
            cursor.next()
    return found


def names_of_ctes(part: Fragment | None) -> frozenset[str]:
    """Return the names in lower case that a clause WITH defines; empty for None. Errors are those of `references`."""
    if part is None:
        return frozenset()
    names: set[str] = set()
    cursor = _cursor_of(part)
    list(_scan(cursor, names, in_from=False, at_table=False, in_call=False))
    return frozenset(names)


def _cursor_of(part: Fragment) -> Cursor:
    """Return a cursor over the tokens of a part."""
    cursor = Cursor.of(part.statement[: part.end])
    while cursor.peek().start < part.start and not cursor.at_end:
        cursor.next()
    cursor.text = part.statement
    return cursor


def _scan(cursor: Cursor, names: set[str], *, in_from: bool, at_table: bool, in_call: bool) -> Iterator[TableReference]:
    """Yield the references up to a parenthesis that closes the current one, or up to the end.

    Args:
        cursor: The cursor, at the first token to search.
        names: Names that a clause WITH defines; those of clauses of this level are added.
        in_from: Whether a comma is followed by a table.
        at_table: Whether a table is next.
        in_call: Whether the tokens are arguments of a function in which FROM separates arguments.
    """
    while not cursor.at_end and not cursor.at_symbol(")"):
        token = cursor.peek()
        is_key_word = token.kind is Kind.WORD and not cursor.after_dot
        if is_key_word and token.upper == "WITH" and _is_cte(cursor):
            yield from _ctes(cursor, names)
            in_from = at_table = False
        elif token.is_symbol("("):
            cursor.next()
            query = cursor.peek().upper in _QUERY_WORDS
            before = cursor.tokens[max(0, cursor.index - 2)].upper
            relation = at_table and not query
            yield from _scan(
                cursor, set(names), in_from=relation, at_table=relation, in_call=before in _FROM_IN_CALLS and not query
            )
            if not cursor.at_end:
                cursor.next()
            at_table = False
        elif (
            at_table
            and token.is_name
            and not (is_key_word and token.upper in ("LATERAL", "STREAM", "VALUES", "SELECT"))
        ):
            yield from _table(cursor, names)
            at_table = False
        else:
            at_table, in_from = _after(cursor, at_table, in_from, in_call)


def _after(cursor: Cursor, at_table: bool, in_from: bool, in_call: bool) -> tuple[bool, bool]:
    """Step over a token, and return whether a table is next, and whether a table follows a comma."""
    is_key_word = cursor.peek().kind is Kind.WORD and not cursor.after_dot
    opens = not in_call and not cursor.at_distinct_from()
    token = cursor.next()
    if token.kind is Kind.SYMBOL:
        return (in_from, in_from) if token.value == "," else (False, in_from)
    if not is_key_word:
        return False, in_from
    if token.upper == "FROM":
        return opens, in_from or opens
    if token.upper == "JOIN":
        return True, True
    if token.upper == "UPDATE" and cursor.index == 1:
        return True, in_from
    if token.upper in _BEFORE_TABLES:
        return not cursor.at_any("TABLE", "IF"), in_from
    if token.upper in ("LATERAL", "STREAM") and at_table:
        return True, in_from
    if token.upper == "VALUES" and at_table:
        return False, in_from
    if token.upper in _ENDS_FROM:
        return False, False
    return False, in_from


def _is_cte(cursor: Cursor) -> bool:
    """Return whether the word WITH begins a list of queries: `WITH name [(columns)] [AS] (`."""
    index = cursor.index
    cursor.next()
    cursor.take("RECURSIVE")
    found = cursor.next().is_name
    if found and cursor.at_symbol("("):
        start = cursor.index
        cursor.skip_one()
        if not (cursor.at("AS") or cursor.at_symbol("(") or cursor.at("MAX")):
            # WITH name (query) without AS
            cursor.index = start
    found = found and (cursor.at("AS") or cursor.at("MAX") or cursor.at_symbol("("))
    cursor.index = index
    return found


def _ctes(cursor: Cursor, names: set[str]) -> Iterator[TableReference]:
    """Yield the references in the queries of a WITH clause, and add the names that the clause defines to `names`."""
    cursor.next()
    recursive = cursor.take("RECURSIVE")
    while True:
        name = cursor.next().value.lower()
        if cursor.at_symbol("(") and cursor.peek(1).upper not in _QUERY_WORDS:
            cursor.skip_one()
        if cursor.take("MAX", "RECURSION", "LEVEL"):
            cursor.next()
        cursor.take("AS")
        cursor.expect_symbol("(")
        yield from _scan(
            cursor, {*names, name} if recursive else set(names), in_from=False, at_table=False, in_call=False
        )
        cursor.expect_symbol(")")
        names.add(name)
        if not cursor.take_symbol(","):
            return


def _table(cursor: Cursor, names: set[str]) -> Iterator[TableReference]:
    """Yield the reference of a table, or that of a table function and those in its arguments; none for a query of WITH.

    The arguments of functions `hudi_...` are not searched.
    """
    bare = cursor.tokens[max(0, cursor.index - 1)].upper in _BEFORE_TABLES
    name = cursor.name("a table")
    if cursor.at_symbol("("):
        inside = cursor.inside()
        function = TableReference(name, cursor.fragment(name.at.start, cursor.tokens[cursor.index - 1].end))
        yield _aliased(cursor, evolve(function, arguments=_arguments(inside)), bare)
        if not name.parts[-1].lower().startswith("hudi_"):
            yield from references(inside, frozenset(names))
        return
    if len(name.parts) == 1 and name.parts[0].lower() in names:
        return
    time = _time(cursor)
    options: Mapping[str, str] = {}
    if cursor.at("WITH") and cursor.at_symbol("(", 1):
        cursor.next()
        options = properties(cursor)
    end = cursor.tokens[cursor.index - 1].end
    yield _aliased(cursor, TableReference(name, cursor.fragment(name.at.start, end), time, options), bare)


def _arguments(inside: Fragment) -> tuple[Fragment, ...]:
    cursor = _cursor_of(inside)
    found: list[Fragment] = []
    while not cursor.at_end:
        found.append(cursor.until(what="an argument", symbols=(",",)))
        if not cursor.take_symbol(","):
            break
    return tuple(found)


def _aliased(cursor: Cursor, reference: TableReference, bare: bool) -> TableReference:
    """Return a reference with the offset for an alias if the query has none; step over a sample, not over an alias."""
    if cursor.at("TABLESAMPLE"):
        cursor.next()
        cursor.skip_one()
        if cursor.take("REPEATABLE"):
            cursor.skip_one()
    token = cursor.peek()
    if bare or cursor.at("AS") or (token.is_name and token.upper not in _NOT_ALIASES and not _is_clause(cursor)):
        return reference
    return evolve(reference, alias_at=cursor.tokens[cursor.index - 1].end)


def _is_clause(cursor: Cursor) -> bool:
    """Return whether a word that can be an alias begins a clause here."""
    return cursor.at("FOR") or cursor.at("IDENTIFIED", "BY") or cursor.at("WATERMARK")


def _time(cursor: Cursor) -> Fragment | None:
    """Step over `TIMESTAMP AS OF ...` and its other spellings, and return the expression; None if it is not next."""
    ahead = 1 if cursor.at("FOR") else 0
    word = cursor.peek(ahead).upper
    if word not in ("TIMESTAMP", "VERSION", "SYSTEM_TIME", "SYSTEM_VERSION"):
        return None
    if cursor.peek(ahead + 1).upper != "AS" or cursor.peek(ahead + 2).upper != "OF":
        return None
    cursor.index += ahead + 3
    start = end = cursor.peek().start
    while _operand(cursor):
        end = cursor.tokens[cursor.index - 1].end
        if not (cursor.at_symbol("+") or cursor.at_symbol("-")):
            break
        cursor.next()
    return cursor.fragment(start, end)


def _operand(cursor: Cursor) -> bool:
    """Step over a literal, a parameter, a call, or an expression in parentheses. Return False if none is next."""
    if cursor.at_end or cursor.at_any(*_NOT_ALIASES):
        return False
    if cursor.take("INTERVAL"):
        cursor.skip_one()
        while cursor.peek().upper in ("TO", *_UNITS):
            cursor.next()
        return True
    if cursor.take_symbol(":"):
        cursor.next()
        return True
    if cursor.at_any(*_TYPED) and cursor.peek(1).kind is Kind.STRING:
        cursor.next()
    cursor.skip_one()
    if cursor.at_symbol("("):
        cursor.skip_one()
    return True


_TYPED = ("TIMESTAMP", "DATE", "TIMESTAMP_LTZ", "TIMESTAMP_NTZ")
_UNITS = tuple(
    f"{unit}{end}" for unit in (["YEAR", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND"]) for end in ("", "S")
)
