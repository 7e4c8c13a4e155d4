"""Execution of UPDATE and DELETE, which change the rows of a table that satisfy a condition."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from attrs import evolve
from pyspark.sql import functions as F

from hoodoo.errors import StatementError
from hoodoo.spark.session_conf import is_case_sensitive
from hoodoo.spark.statements.clause_rows import IN_SOURCE, IN_TABLE, ClauseRows
from hoodoo.spark.statements.execution import Execution
from hoodoo.spark.statements.expressions import condition
from hoodoo.statements.clauses import Clause, check_condition, check_expression
from hoodoo.statements.names import Names
from hoodoo.statements.result import StatementResult
from hoodoo.storage import Storage

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

__all__ = ["change_rows"]


def change_rows(
    spark: SparkSession | None,
    storage: Storage,
    clause: Clause,
    alias: str | None,
    options: Mapping[str, Any],
) -> StatementResult:
    """Update or delete the stored rows that satisfy the condition of a clause, as one commit.

    Args:
        spark: The session; None for the active one.
        storage: The table's files.
        clause: The clause, whose condition may be None for all rows.
        alias: The alias of the table in expressions; None for `t`.
        options: The options of the write.

    Raises:
        StatementError: An expression or a column is invalid, or no session is active. The table is unchanged.
        HoodooError: As in `hoodoo.write`.
    """
    check_condition(clause.condition)
    for each in (clause.values or {}).values():
        check_expression(each)
    session = spark or _active_session()
    execution = Execution.of(session, storage, options)
    stored = execution.stored(execution.timeline)
    columns = execution.columns(stored)
    names = Names(alias or "t", tuple(columns.names), is_case_sensitive(session))
    values = execution.target.assignments(clause, names, {})
    changed = evolve(clause, condition=None, values=values)
    lacking = execution.target.lacking([changed], columns.names)
    rows = ClauseRows(execution.target, names, None, [changed], lacking=lacking)

    def made(now: DataFrame) -> DataFrame:
        aliased = now.withColumns({IN_TABLE: F.lit(True), IN_SOURCE: F.lit(True)}).alias(names.alias)
        return rows.rows(_filtered(aliased, clause.condition), columns)

    where = "" if clause.condition is None else f" WHERE {clause.condition}"
    texts = ", ".join(f"{name} = {value}" for name, value in values.items())
    begin = f"UPDATE {execution.name} SET {texts}" if values else f"DELETE FROM {execution.name}"  # noqa: S608 - a record
    read = rows.read_columns(columns, clause.condition)
    return execution.run([changed], stored, columns, made, begin + where, read)


def _filtered(frame: DataFrame, given: str | Column | None) -> DataFrame:
    return frame if given is None else frame.where(condition(frame, given))


def _active_session() -> SparkSession:
    from pyspark.sql import SparkSession

    session = SparkSession.getActiveSession()
    if session is None:
        raise StatementError("this statement needs a Spark session, and none is active; pass one as spark=")
    return session
