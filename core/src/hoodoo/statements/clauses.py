"""Clauses of a MERGE, UPDATE or DELETE."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from attrs import field, frozen

from hoodoo.errors import StatementError
from hoodoo.sql_text.fragment import Fragment
from hoodoo.sql_text.placed_text import error_at
from hoodoo.sql_text.tokens import Kind, tokenize

__all__ = ["Action", "Clause", "When", "check_clauses", "check_condition", "check_expression"]

When = Literal["matched", "not matched", "not matched by source"]
Action = Literal["update", "delete", "insert"]

_NOT_REPEATABLE = frozenset(
    {
        "input_file_block_length",
        "input_file_block_start",
        "input_file_name",
        "java_method",
        "monotonically_increasing_id",
        "rand",
        "randn",
        "random",
        "randstr",
        "reflect",
        "shuffle",
        "spark_partition_id",
        "uniform",
        "uuid",
    }
)
"""Functions of Spark that may return another value when a task is repeated."""


_PLAIN = (bool, int, float, str, bytes, dict, list, set, tuple)


@frozen
class Clause:
    """Clause of a statement.

    Attributes:
        when: The rows to which it applies.
        action: The change that it makes.
        condition: The additional condition, in Spark's SQL or as a `Column`; None if there is none.
        values: The assigned expressions by column, in Spark's SQL or as `Column`s; None for `*`: all columns of the
            source. Empty for a delete.
        at: The position in the text of the statement; None for a clause of the builder.
    """

    when: When
    action: Action
    condition: Any = None
    values: Mapping[str, Any] | None = field(factory=dict)
    at: Fragment | None = field(default=None, eq=False, repr=False)

    def error(self, message: str, *, code: str | None = None) -> StatementError:
        """Return an error with the place of the clause; without a place for a clause of the builder."""
        return StatementError(message, code=code) if self.at is None else self.at.error(message, code=code)

    @property
    def text(self) -> str:
        """Return the clause in the form of SQL, for messages."""
        condition = "" if self.condition is None else f" AND {self.condition}"
        return f"WHEN {self.when.upper()}{condition} THEN {self.action.upper()}{self._assigned()}"

    def _assigned(self) -> str:
        if self.values is None:
            return " SET *" if self.action == "update" else " *"
        if not self.values:
            return ""
        if self.action == "insert":
            return f" ({', '.join(self.values)}) VALUES ({', '.join(map(str, self.values.values()))})"
        return f" SET {', '.join(f'{name} = {value}' for name, value in self.values.items())}"


def check_clauses(clauses: Sequence[Clause]) -> None:
    """Raise if there is no clause, a clause can never apply, or a condition or a value is not a valid expression.

    Raises:
        StatementError: There is no clause; a clause follows one without a condition for the same rows; or
            `check_condition` or `check_expression` refuses a condition or a value.
    """
    if not clauses:
        raise StatementError(
            "the merge has no clause; add at least one, such as whenMatchedUpdateAll() or whenNotMatchedInsertAll()"
        )
    final: dict[str, Clause] = {}
    for clause in clauses:
        before = final.get(clause.when)
        if before is not None:
            raise clause.error(
                f"'{clause.text}' never applies, because '{before.text}' before it has no condition; give that clause "
                "a condition, or move it to the end"
            )
        if clause.condition is None:
            final[clause.when] = clause
        check_condition(clause.condition)
        for expression in (clause.values or {}).values():
            check_expression(expression)


def check_condition(condition: Any) -> None:
    """Raise if a condition is a plain value other than a text, or a text without a valid expression.

    Raises:
        StatementError: The condition is such a value, for example a number, or such a text.
    """
    if isinstance(condition, _PLAIN) and not isinstance(condition, str):
        raise StatementError(
            f"the condition is of type {type(condition).__name__}, and must be a text in Spark's SQL or a Column; "
            "leave it out if the statement is for all rows"
        )
    check_expression(condition)


def check_expression(expression: Any) -> None:
    """Raise if a value is not an expression, or calls a window function or a function that is not repeatable.

    Raises:
        StatementError: The value is a collection, or its text is empty, has a semicolon or an unclosed string, or calls
            such a function.
    """
    if isinstance(expression, (dict, list, set, tuple)):
        raise StatementError(
            f"a value of type {type(expression).__name__} is not an expression; give a text in Spark's SQL, a number "
            "or a Column"
        )
    if not isinstance(expression, str):
        return
    tokens = tokenize(expression)
    if not tokens:
        raise error_at("the expression is empty; give a text in Spark's SQL", expression)
    for token, following in zip(tokens, [*tokens[1:], None], strict=True):
        if token.is_symbol(";"):
            raise error_at("an expression cannot have a semicolon; remove it", expression, token.start)
        if following is None or not following.is_symbol("(") or token.kind is Kind.STRING:
            continue
        if token.value.lower() in _NOT_REPEATABLE:
            raise error_at(
                f"function {token.value} may return another value when a task is repeated, which would change rows "
                "that are written already; compute the column in the source of a MERGE, and persist the source",
                expression,
                token.start,
            )
        if token.value.lower() == "over":
            raise error_at(
                "a window function needs other rows, and a clause has only one; compute the column in the source of a "
                "MERGE",
                expression,
                token.start,
            )
