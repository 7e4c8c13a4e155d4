"""MERGE: a builder in the words of DeltaTable."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from attrs import define, evolve, field
from pyspark.sql import functions as F
from pyspark.sql.types import StructType

from hoodoo.errors import StatementError
from hoodoo.schema.meta_columns import META_COLUMNS
from hoodoo.spark.session_conf import is_case_sensitive
from hoodoo.spark.spark_types import quote
from hoodoo.spark.statements.clause_rows import IN_SOURCE, IN_TABLE, KNOWN, ClauseRows, explained
from hoodoo.spark.statements.execution import Execution
from hoodoo.statements.clauses import Clause, When, check_clauses, check_expression
from hoodoo.statements.names import Names
from hoodoo.statements.on_condition import OnCondition, aliases_of, on_condition
from hoodoo.statements.result import StatementResult
from hoodoo.statements.sql_text import error_at
from hoodoo.table import Table

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["MergeBuilder"]


@define
class MergeBuilder:
    """MERGE of source rows into a table: add clauses, then call `execute`. Each method returns the builder.

    The first clause that applies to a row decides. Conditions and values are texts in Spark's SQL, or `Column`s; those
    of the table have its alias, by default `t`, and those of the source its alias, by default `s`.
    """

    _table: Table
    _source: DataFrame = field(repr=False)
    _condition: str
    _aliases: tuple[str | None, str | None]
    _options: Mapping[str, Any] = field(repr=False)
    _override_ordering: bool = False
    _evolves: bool = field(default=False, init=False)
    _clauses: list[Clause] = field(factory=list, init=False)

    def whenMatchedUpdate(  # noqa: N802 - the names of DeltaTable
        self,
        condition: Any = None,
        set: Mapping[str, Any] | None = None,  # noqa: A002
    ) -> MergeBuilder:
        """Update stored rows that have a source row.

        Args:
            condition: The further condition; None for none.
            set: By column, the new value; other columns keep theirs.
        """
        return self._add("matched", "update", condition, _needed(set, "set"))

    def whenMatchedUpdateAll(self, condition: Any = None) -> MergeBuilder:  # noqa: N802
        """Update all columns of stored rows with those of the source."""
        return self._add("matched", "update", condition, None)

    def whenMatchedDelete(self, condition: Any = None) -> MergeBuilder:  # noqa: N802
        """Delete stored rows that have a source row."""
        return self._add("matched", "delete", condition, {})

    def whenNotMatchedInsert(  # noqa: N802
        self, condition: Any = None, values: Mapping[str, Any] | None = None
    ) -> MergeBuilder:
        """Insert source rows that have no stored row; columns without a value are null."""
        return self._add("not matched", "insert", condition, _needed(values, "values"))

    def whenNotMatchedInsertAll(self, condition: Any = None) -> MergeBuilder:  # noqa: N802
        """Insert source rows that have no stored row, with all columns."""
        return self._add("not matched", "insert", condition, None)

    def whenNotMatchedBySourceUpdate(  # noqa: N802
        self,
        condition: Any = None,
        set: Mapping[str, Any] | None = None,  # noqa: A002
    ) -> MergeBuilder:
        """Update stored rows that have no source row; the values may only name columns of the table."""
        return self._add("not matched by source", "update", condition, _needed(set, "set"))

    def whenNotMatchedBySourceDelete(self, condition: Any = None) -> MergeBuilder:  # noqa: N802
        """Delete stored rows that have no source row."""
        return self._add("not matched by source", "delete", condition, {})

    def withSchemaEvolution(self) -> MergeBuilder:  # noqa: N802
        """Add columns of the source that the table lacks, where a clause updates or inserts all columns."""
        self._evolves = True
        return self

    with_schema_evolution = withSchemaEvolution

    def execute(self) -> StatementResult:
        """Execute the statement as one commit.

        Raises:
            StatementError: A clause, an expression or the condition is not valid. Nothing has been written.
            DataError: Rows cannot be written: two source rows for one key without ordering, a key that is stored and
                does not satisfy the condition, a row that would move to another partition. The table is unchanged.
            HoodooError: As in `hoodoo.write`.
        """
        check_clauses(self._clauses)
        check_expression(self._condition)
        source = self._source
        execution = Execution.of(source.sparkSession, self._table, self._options)
        stored = execution.stored(execution.timeline)
        sensitive = is_case_sensitive(source.sparkSession)
        target_alias, source_alias = aliases_of(self._condition, source.columns, stored.columns, self._aliases)
        names = Names(target_alias, tuple(stored.columns), sensitive)
        own = Names(source_alias, tuple(source.columns), sensitive)
        partitions = execution.target.partitions
        on = on_condition(self._condition, names, own, execution.target.keys, partitions)
        clauses = [
            evolve(clause, values=execution.target.assignments(clause, names, on.equal))
            if clause.values is not None
            else clause
            for clause in self._clauses
        ]
        columns = self._columns(stored, own, clauses)
        rows = ClauseRows(execution.target, names, own, clauses, on.equal, self._override_ordering)
        joined = _Joined(source, names, own, on, execution, clauses)
        return execution.run(
            clauses, stored, columns, lambda now: rows.rows(joined.frame(now), columns), self._text(target_alias)
        )

    def _add(self, when: When, action: Any, condition: Any, values: Mapping[str, Any] | None) -> MergeBuilder:
        self._clauses.append(Clause(when, action, condition, values))
        return self

    def _columns(self, stored: DataFrame, source: Names, clauses: list[Clause]) -> StructType:
        """Return the columns of the table after the statement; check those of clauses with all columns."""
        fields = list(stored.schema.fields)
        if not any(clause.values is None for clause in clauses):
            return StructType(fields)
        if self._evolves:
            known = Names("", tuple(stored.columns), source.case_sensitive)
            given = self._source.schema
            fields += [f for f in given.fields if known.column(f.name) is None and f.name not in META_COLUMNS]
            return StructType(fields)
        missing = [name for name in stored.columns if source.column(name) is None]
        if missing:
            starred = next(clause for clause in clauses if clause.values is None)
            raise StatementError(
                f"the source has no column '{missing[0]}' of the table, which {starred.text} needs; add it, name the "
                "columns in the clause, or call withSchemaEvolution()",
                code="missing_column",
            )
        return StructType(fields)

    def _text(self, alias: str) -> str:
        clauses = "\n".join(clause.text for clause in self._clauses)
        return f"MERGE INTO {quote(self._table.properties.name)} AS {alias} ON {self._condition}\n{clauses}"


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
        """Return the joined rows that a clause may apply to."""
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
        def work() -> DataFrame:
            made = join()
            made.schema  # noqa: B018 - a Connect session analyses it now
            return made

        try:
            return explained(work)
        except StatementError as error:
            raise error_at(str(error), self.on.text) from error

    def _source(self, stored: DataFrame) -> DataFrame:
        """Return the source; with a flag for keys that the table has, if tasks cannot find that they are stored."""
        target = self.execution.target
        inserts = any(clause.action == "insert" for clause in self.clauses)
        if not (target.counts_losers and inserts and self.on.others):
            return self.source
        texts = list(self.on.conjuncts)
        compared = set(self.on.equal)
        if not target.moves_rows:
            for name in target.partitions:
                column = self.own.column(name)
                if name not in compared and column is not None:
                    compared.add(name)
                    texts.append(f"{quote(self.names.alias)}.{quote(name)} <=> {quote(self.own.alias)}.{quote(column)}")
        keys = stored.select(*(quote(name.partition(".")[0]) for name in sorted(compared))).distinct()
        table = keys.withColumn(KNOWN, F.lit(True)).alias(self.names.alias)
        source = self.source.alias(self.own.alias)
        flagged = source.join(table, F.expr(" AND ".join(f"({text})" for text in texts)), "left")
        return flagged.select(f"{quote(self.own.alias)}.*", KNOWN)


def _needed(values: Mapping[str, Any] | None, name: str) -> Mapping[str, Any]:
    if not values:
        raise StatementError(f"'{name}' has no column; give a dictionary such as {{'amount': 's.amount'}}")
    return values
