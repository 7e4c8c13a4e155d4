"""Parser of MERGE INTO."""

from __future__ import annotations

from hoodoo.sql_parsing.cursor import Cursor
from hoodoo.sql_parsing.grammar.common import alias, assignments, names_in_parentheses
from hoodoo.sql_parsing.statements import Action, Assignment, Case, Merge, MergeClause, MergeSource
from hoodoo.sql_text.fragment import Fragment

__all__ = ["parse_merge"]

_UNALLOWED = {
    Case.MATCHED: (Action.INSERT, Action.INSERT_ALL),
    Case.NOT_MATCHED: (Action.UPDATE, Action.UPDATE_ALL, Action.DELETE),
    Case.NOT_MATCHED_BY_SOURCE: (Action.INSERT, Action.INSERT_ALL, Action.UPDATE_ALL),
}


def parse_merge(cursor: Cursor, ctes: Fragment | None = None) -> Merge:
    """Return the parsed MERGE statement at the cursor.

    Args:
        cursor: The position of the word MERGE.
        ctes: The clause WITH before it; None if absent.

    Raises:
        StatementError: A part is missing, invalid or not allowed in its position, a column occurs twice, or a clause
            can never apply.
    """
    cursor.expect("MERGE")
    evolves = cursor.take("WITH", "SCHEMA", "EVOLUTION")
    cursor.expect("INTO")
    target = cursor.name("the table to change")
    target_alias = alias(cursor)
    cursor.expect("USING")
    relation, source_alias = _source(cursor)
    cursor.expect("ON")
    condition = cursor.until(("WHEN",), what="the condition")
    clauses: list[MergeClause] = []
    while cursor.at("WHEN"):
        clauses.append(_clause(cursor))
    cursor.expect_end()
    if not clauses:
        raise cursor.error("MERGE has no clause; add WHEN MATCHED or WHEN NOT MATCHED")
    _check_reachable(clauses)
    source = MergeSource(relation, source_alias, ctes)
    return Merge(target, target_alias, source, condition, tuple(clauses), evolves)


def _source(cursor: Cursor) -> tuple[Fragment, str | None]:
    """Return the text of the source with its alias, and the name of its rows; None if they have no name."""
    first = cursor.peek()
    default: str | None = None
    if cursor.at_symbol("(") or cursor.at_symbol("{"):
        cursor.skip_one()
    else:
        name = cursor.name("the source: a table, or a query in parentheses")
        if cursor.at_symbol("("):
            cursor.skip_one()
        else:
            default = name.parts[-1]
        _skip_time(cursor)
    given = alias(cursor)
    if given is not None and cursor.at_symbol("("):
        # names of the columns: `AS s (id, amount)`
        cursor.skip_one()
    last = cursor.tokens[cursor.index - 1]
    if not cursor.at("ON"):
        raise cursor.error("ON is expected here; write a source of several tables as a query in parentheses")
    return cursor.fragment(first.start, last.end), given or default


def _skip_time(cursor: Cursor) -> None:
    """Step over `TIMESTAMP AS OF ...` and its other spellings."""
    ahead = 1 if cursor.at("FOR") else 0
    word = cursor.peek(ahead).upper
    times = ("TIMESTAMP", "VERSION", "SYSTEM_TIME", "SYSTEM_VERSION")
    if word in times and cursor.peek(ahead + 1).upper == "AS" and cursor.peek(ahead + 2).upper == "OF":
        cursor.index += ahead + 3
        cursor.skip_one()
        if cursor.at_symbol("("):
            cursor.skip_one()


def _clause(cursor: Cursor) -> MergeClause:
    first = cursor.peek()
    cursor.expect("WHEN")
    case = _case(cursor)
    condition = None
    if cursor.take("AND"):
        condition = cursor.until(("THEN",), what="the condition of the clause")
    cursor.expect("THEN")
    at = cursor.peek()
    action, assigned = _action(cursor, case)
    if action in _UNALLOWED[case]:
        advice = {
            Case.MATCHED: "use UPDATE or DELETE, or WHEN NOT MATCHED",
            Case.NOT_MATCHED: "use INSERT, or WHEN MATCHED",
            Case.NOT_MATCHED_BY_SOURCE: "use UPDATE SET column = value, or DELETE",
        }[case]
        message = f"{action.value} is not possible after WHEN {case.value}; {advice}"
        raise cursor.fragment(at.start, at.end).error(message, code="clause")
    return MergeClause(case, action, cursor.fragment(first.start, at.end), condition, assigned)


def _case(cursor: Cursor) -> Case:
    if cursor.take("MATCHED"):
        return Case.MATCHED
    if not cursor.take("NOT", "MATCHED"):
        raise cursor.error("MATCHED or NOT MATCHED is expected here")
    if cursor.take("BY", "SOURCE"):
        return Case.NOT_MATCHED_BY_SOURCE
    if cursor.take("BY"):
        cursor.expect("TARGET")
    return Case.NOT_MATCHED


def _action(cursor: Cursor, case: Case) -> tuple[Action, tuple[Assignment, ...]]:
    if cursor.take("DELETE"):
        return Action.DELETE, ()
    if cursor.take("UPDATE"):
        cursor.expect("SET")
        if cursor.take_symbol("*"):
            return Action.UPDATE_ALL, ()
        return Action.UPDATE, assignments(cursor, ("WHEN",))
    if cursor.take("INSERT"):
        if cursor.take_symbol("*"):
            return Action.INSERT_ALL, ()
        return Action.INSERT, _inserted(cursor)
    raise cursor.error("UPDATE, DELETE or INSERT is expected here")


def _inserted(cursor: Cursor) -> tuple[Assignment, ...]:
    """Return the columns and values of INSERT."""
    if not cursor.at_symbol("("):
        raise cursor.error(
            "the columns are expected here in parentheses: INSERT (columns) VALUES (values), or INSERT *"
        )
    columns = names_in_parentheses(cursor, "the name of a column")
    cursor.expect("VALUES")
    cursor.expect_symbol("(")
    values: list[Fragment] = []
    while True:
        values.append(cursor.until(what="a value", symbols=(",",)))
        if not cursor.take_symbol(","):
            break
    closing = cursor.expect_symbol(")")
    if len(values) != len(columns):
        raise cursor.fragment(closing.start, closing.end).error(
            f"INSERT has {len(columns)} column{'s' * (len(columns) != 1)} and {len(values)} "
            f"value{'s' * (len(values) != 1)}; give one value for each column"
        )
    return tuple(Assignment(column, value) for column, value in zip(columns, values, strict=True))


def _check_reachable(clauses: list[MergeClause]) -> None:
    """Raise if a clause can never apply, because an earlier clause for the same rows has no condition."""
    complete: set[Case] = set()
    for clause in clauses:
        if clause.case in complete:
            raise clause.at.error(
                f"no row reaches this clause, because an earlier WHEN {clause.case.value} has no condition; give that "
                "one a condition, or put it last",
                code="clause",
            )
        if clause.condition is None:
            complete.add(clause.case)
