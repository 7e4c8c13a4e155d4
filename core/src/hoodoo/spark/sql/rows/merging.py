"""Execution of parsed MERGE, UPDATE and DELETE statements by the methods of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hoodoo.spark.sql.context import Context, check_named
from hoodoo.spark.sql.results import statement_frame
from hoodoo.spark.sql.tables.named_table import NamedTable
from hoodoo.sql_parsing.statements import Action, Assignment, Case, Delete, Merge, MergeClause, Update
from hoodoo.sql_text.fragment import Fragment
from hoodoo.sql_text.placed_text import Piece, placed
from hoodoo.statements.clauses import Action as TableAction
from hoodoo.statements.clauses import Clause as TableClause
from hoodoo.statements.clauses import When

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["run_delete", "run_merge", "run_update"]


def run_merge(context: Context, target: NamedTable, merge: Merge) -> DataFrame:
    """Execute a MERGE, and return its result as one row."""
    check_named(context, "MERGE")
    source = context.query(merge.source.relation, ctes=merge.source.ctes, is_relation=True)
    table: Any = target.table(context.spark)
    alias = _alias(target, merge.alias)
    builder = table.merge(
        source,
        context.expression(merge.condition),
        target_alias=alias,
        source_alias=merge.source.alias,
        **_options(context, target),
    )
    for clause in merge.clauses:
        builder.clauses.append(_clause(context, clause))
    if merge.evolves_schema:
        builder = builder.withSchemaEvolution()
    return statement_frame(context.spark, builder.execute())


def run_update(context: Context, target: NamedTable, update: Update) -> DataFrame:
    """Execute an UPDATE, and return its result as one row."""
    check_named(context, "UPDATE")
    table: Any = target.table(context.spark)
    alias = _alias(target, update.alias)
    assigned = _assigned(context, update.assignments)
    result = table.update(
        _maybe(context, update.condition), assigned, spark=context.spark, alias=alias, **_options(context, target)
    )
    return statement_frame(context.spark, result)


def run_delete(context: Context, target: NamedTable, delete: Delete) -> DataFrame:
    """Execute a DELETE, and return its result as one row."""
    check_named(context, "DELETE")
    table: Any = target.table(context.spark)
    alias = _alias(target, delete.alias)
    condition = _maybe(context, delete.condition)
    result = table.delete(condition, spark=context.spark, alias=alias, **_options(context, target))
    return statement_frame(context.spark, result)


def _alias(target: NamedTable, given: str | None) -> str | None:
    """Return the name of the table in expressions: its alias, or its name; None for a path without an alias."""
    if given is not None:
        return given
    return target.parts[-1] if target.parts else None


def _options(context: Context, target: NamedTable) -> dict[str, Any]:
    """Return the options of the write; the operation is part of the statement."""
    return target.given(context.spark).of_operation(None)


def _maybe(context: Context, condition: Fragment | None) -> str | None:
    return None if condition is None else context.expression(condition)


def _assigned(context: Context, assignments: tuple[Assignment, ...]) -> dict[str, str]:
    """Return the assigned values by column; the names have their position in the statement."""
    return {placed([Piece(each.column.at.sql, each.column.at)]): context.expression(each.value) for each in assignments}


def _clause(context: Context, clause: MergeClause) -> TableClause:
    condition = _maybe(context, clause.condition)
    takes_all = clause.action in (Action.UPDATE_ALL, Action.INSERT_ALL)
    values = None if takes_all else _assigned(context, clause.assignments)
    return TableClause(_WHENS[clause.case], _ACTIONS[clause.action], condition, values, clause.at)


_WHENS: dict[Case, When] = {
    Case.MATCHED: "matched",
    Case.NOT_MATCHED: "not matched",
    Case.NOT_MATCHED_BY_SOURCE: "not matched by source",
}
_ACTIONS: dict[Action, TableAction] = {
    Action.UPDATE: "update",
    Action.UPDATE_ALL: "update",
    Action.DELETE: "delete",
    Action.INSERT: "insert",
    Action.INSERT_ALL: "insert",
}
