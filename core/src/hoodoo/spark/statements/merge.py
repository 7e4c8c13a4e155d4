"""Execution of a MERGE: source rows are joined with stored rows, and clauses create new versions of joined rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from attrs import define, evolve
from pyspark.sql import functions as F
from pyspark.sql.types import StructType

from hoodoo.errors import DataError, StatementError
from hoodoo.keys.partition_path import DEFAULT_PARTITION
from hoodoo.schema.meta_columns import META_COLUMNS
from hoodoo.spark.session_conf import is_case_sensitive
from hoodoo.spark.spark_types import quote
from hoodoo.spark.statements.clause_rows import IN_SOURCE, IN_TABLE, KNOWN, ClauseRows
from hoodoo.spark.statements.execution import Execution
from hoodoo.spark.statements.expressions import analysed, explained
from hoodoo.spark.statements.source_rows import SourceRows
from hoodoo.statements.clauses import Clause, check_clauses, check_expression
from hoodoo.statements.merge_builder import MergeBuilder
from hoodoo.statements.names import Names
from hoodoo.statements.on_condition import OnCondition, aliases_of, on_condition
from hoodoo.statements.result import StatementResult
from hoodoo.writing.tasks.statement_rows import NEEDS_STORED_ROWS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["execute_merge"]


def execute_merge(merge: MergeBuilder) -> StatementResult:
    """Execute a MERGE as one commit; see `MergeBuilder.execute`."""
    check_clauses(merge.clauses)
    if not isinstance(merge.condition, str):
        raise StatementError(
            f"the condition is {_type_name(merge.condition)}; give a text in Spark's SQL, such as t.id = s.id"
        )
    check_expression(merge.condition)
    source = merge.source
    if not hasattr(source, "sparkSession"):
        raise StatementError(f"the source of merge is {_type_name(source)}; give a DataFrame of Spark")
    execution = Execution.of(source.sparkSession, merge.storage, merge.options)
    stored = execution.stored(execution.timeline)
    sensitive = is_case_sensitive(source.sparkSession)
    present = execution.columns(stored)
    target_alias, source_alias = aliases_of(merge.condition, source.columns, present.names, merge.aliases)
    names = Names(target_alias, tuple(present.names), sensitive)
    own = Names(source_alias, tuple(source.columns), sensitive)
    partitions = execution.target.partitions
    on = on_condition(merge.condition, names, own, execution.target.keys, partitions)
    clauses = [
        evolve(clause, values=execution.target.assignments(clause, names, on.equal))
        if clause.values is not None
        else clause
        for clause in merge.clauses
    ]
    for clause in clauses:
        execution.target.check_inserted(clause, on.equal, own)
    columns = _columns(merge, present, own, clauses)
    text = _text(merge, execution, target_alias)
    alone = SourceRows(execution.target, names, own, clauses, on)
    if not merge.override_ordering and alone.suffice(source.schema, columns):
        try:
            return execution.run(clauses, stored, columns, lambda _: alone.rows(source, columns), text, ())
        except DataError as error:
            # a delete without an ordering value of its own has the stored one
            if error.code not in (NEEDS_STORED_ROWS, "ordering_null"):
                raise
    lacking = execution.target.lacking(clauses, columns.names)
    rows = ClauseRows(execution.target, names, own, clauses, on.equal, merge.override_ordering, lacking)
    joined = _Joined(source, names, own, on, execution, clauses)
    read = rows.read_columns(columns, merge.condition)
    return execution.run(clauses, stored, columns, lambda now: rows.rows(joined.frame(now), columns), text, read)


def _type_name(value: object) -> str:
    return f"of type {type(value).__module__}.{type(value).__qualname__}"


def _columns(merge: MergeBuilder, stored: StructType, source: Names, clauses: list[Clause]) -> StructType:
    """Return the columns of the table after the statement.

    Raise `StatementError` if the source lacks a column that a clause needs.
    """
    fields = list(stored.fields)
    if not any(clause.values is None for clause in clauses):
        return StructType(fields)
    if merge.evolves:
        known = Names("", tuple(stored.names), source.case_sensitive)
        given = merge.source.schema
        fields += [f for f in given.fields if known.column(f.name) is None and f.name not in META_COLUMNS]
        return StructType(fields)
    missing = [name for name in stored.names if source.column(name) is None]
    if missing:
        starred = next(clause for clause in clauses if clause.values is None)
        raise starred.error(
            f"the source has no column '{missing[0]}' of the table, which {starred.text} needs; add it, name the "
            "columns in the clause, or use withSchemaEvolution() (in SQL: MERGE WITH SCHEMA EVOLUTION)",
            code="missing_column",
        )
    return StructType(fields)


def _text(merge: MergeBuilder, execution: Execution, alias: str) -> str:
    clauses = "\n".join(clause.text for clause in merge.clauses)
    return f"MERGE INTO {execution.name} AS {alias} ON {merge.condition}\n{clauses}"


@define
class _Joined:
    """Join of stored rows with the source."""

    source: DataFrame
    names: Names
    own: Names
    on: OnCondition
    execution: Execution
    clauses: list[Clause]

    def frame(self, stored: DataFrame) -> DataFrame:
        """Return the joined rows to which a clause may apply."""
        whens = {clause.when for clause in self.clauses}
        source = self._source(stored).withColumn(IN_SOURCE, F.lit(True)).alias(self.own.alias)
        table = stored.withColumn(IN_TABLE, F.lit(True)).alias(self.names.alias)
        condition = F.expr(str(self.on.text))
        if "not matched by source" not in whens:
            how = "left" if "not matched" in whens else "inner"
            return self._checked(lambda: source.join(table, condition, how))
        how = "full" if "not matched" in whens else "left"
        return self._checked(lambda: table.join(source, condition, how))

    def _checked(self, join: Callable[[], DataFrame]) -> DataFrame:
        return explained(lambda: analysed(join()), self.on.text)

    def _source(self, stored: DataFrame) -> DataFrame:
        """Return the source, with a flag for keys in the table if tasks cannot determine whether keys are stored."""
        target, alias = self.execution.target, quote(self.names.alias)
        inserts = any(clause.action == "insert" for clause in self.clauses)
        if target.keeps_keys or not (target.counts_losers and inserts):
            return self.source
        if not self.on.others and not self._may_compare_nulls():
            return self.source
        texts = {name: f"({text})" for name, text in self.on.equal.items()}
        if not target.moves_rows:
            for name in target.partitions:
                column = self.own.column(name)
                if column is not None:
                    texts.setdefault(name, f"{quote(self.own.alias)}.{quote(column)}")
        keys = stored.select(*dict.fromkeys(quote(name.partition(".")[0]) for name in texts)).distinct()
        table = keys.withColumn(KNOWN, F.lit(True)).alias(self.names.alias)
        source = self.source.alias(self.own.alias)
        # in SQL a null equals nothing, but rows with null share a partition
        same = " AND ".join(f"{alias}.{_quoted_path(name)} <=> {text}" for name, text in texts.items())
        flagged = source.join(table, F.expr(same), "left")
        return flagged.select(f"{quote(self.own.alias)}.*", KNOWN)

    def _may_compare_nulls(self) -> bool:
        """Return whether the condition compares a partition column, and the table has a partition of nulls."""
        if not set(self.on.equal).intersection(self.execution.target.partitions):
            return False
        return any(DEFAULT_PARTITION in partition for partition, _ in self.execution.groups)


def _quoted_path(name: str) -> str:
    return ".".join(quote(part) for part in name.split("."))
