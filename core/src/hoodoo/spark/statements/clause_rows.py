"""Conversion of joined rows to the rows that the clauses of a statement write."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from attrs import field, frozen
from pyspark.sql import functions as F

from hoodoo.spark.spark_types import quote
from hoodoo.spark.statements import expressions
from hoodoo.spark.statements.expressions import Given, analysed, explained
from hoodoo.spark.statements.store_assignment import assigned, is_assignable
from hoodoo.spark.statements.struct_fields import Fields, assigned_fields, field_of
from hoodoo.sql_text.placed_text import error_at
from hoodoo.statements.clauses import Clause
from hoodoo.statements.names import Names, columns_named, prefix_of, qualified, references
from hoodoo.statements.target import Target
from hoodoo.writing.stored_row_keys import STORED_KEY, STORED_PATH
from hoodoo.writing.tasks.incoming_rows import CLAUSE
from hoodoo.writing.tasks.statement_rows import STORED

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame
    from pyspark.sql.types import StructType

__all__ = ["IN_SOURCE", "IN_TABLE", "KNOWN", "ClauseRows"]

IN_TABLE, IN_SOURCE = "__hoodoo_in_table", "__hoodoo_in_source"
"""Columns that are true for rows of one side of the join, and null in a joined row without that side."""

KNOWN = "__hoodoo_known"
"""Column that is true for a source row whose key the table has, even if the joined row lacks the stored row."""


@frozen
class ClauseRows:
    """Conversion of joined rows to rows that are written.

    Attributes:
        target: The table, with the columns that clauses treat specially.
        names: The alias and the columns of the table.
        source: The alias and the columns of the source; None for UPDATE and DELETE.
        clauses: The clauses; only the first one that applies to a row has an effect.
        equal: The expressions over the source with which the condition compares columns of the table, by column.
        override_ordering: Whether a new version gets the ordering values of the stored row if they are larger.
        lacking: The columns that rows of updates omit.
    """

    target: Target
    names: Names
    source: Names | None
    clauses: Sequence[Clause]
    equal: Mapping[str, str] = field(factory=dict)
    override_ordering: bool = False
    lacking: Collection[str] = ()

    def rows(self, joined: DataFrame, schema: StructType) -> DataFrame:
        """Return the rows to write, with the number of their clause; see `StatementSpec`.

        Columns that no row has are left out.

        Args:
            joined: The rows of table and source, with their aliases and the columns `IN_TABLE` and `IN_SOURCE`.
            schema: The columns of the table after the statement.

        Raises:
            StatementError: An expression is not valid, or its value cannot be assigned to its column.
        """
        numbered = explained(lambda: joined.withColumn(CLAUSE, self._number(joined)).where(F.col(CLAUSE) > 0))
        values = [self._values(clause, schema) for clause in self.clauses]
        given = {
            (number, path): self._given(clause, value)
            for number, (clause, named) in enumerate(zip(self.clauses, values, strict=True), 1)
            for path, value in named.items()
        }
        places = {place: f"__hoodoo_v{at}" for at, place in enumerate(given)}
        made = zip(given, expressions.values(numbered, list(given.values())), strict=True)
        guarded = [F.when(F.col(CLAUSE) == place[0], own).alias(places[place]) for place, own in made]
        copied = self._copied(values, schema)
        stored = [F.col(f"{quote(self.names.alias)}.{quote(name)}").alias(name) for name in copied]
        carried: list[Any] = [name for name in (KNOWN, STORED_KEY, STORED_PATH) if name in joined.columns]
        there = F.when(F.col(IN_TABLE), F.struct(*stored))
        kept = [F.col(CLAUSE), *carried, there.alias(STORED), *guarded]
        flat = explained(lambda: analysed(numbered.select(*kept)))
        columns = {
            field.name: self._column(flat, field.name, schema, copied, values, places).alias(field.name)
            for field in schema
            if field.name in copied or any(_is_assigned(field.name, named) for named in values)
        }
        keys = [name for name in carried if name != KNOWN]
        rows = [*columns.values(), *keys, self._checked(flat, columns).alias(CLAUSE)]
        if self.target.counts_losers:
            compared = [F.col(f"{STORED}.{quote(name)}").alias(name) for name in copied if self._is_needed(name)]
            rows.append(F.when(F.col(STORED).isNotNull(), F.struct(*compared)).alias(STORED))
        return flat.select(*rows)

    def read_columns(self, schema: StructType, *others: Any) -> frozenset[str] | None:
        """Return the columns of stored rows that `rows` and other expressions use; None for all.

        Args:
            schema: As in `rows`.
            others: Other expressions of the statement, such as its condition, or None.
        """
        given = [*others, *(clause.condition for clause in self.clauses)]
        for clause in self.clauses:
            given += (clause.values or {}).values()
        read = set(self._copied([self._values(clause, schema) for clause in self.clauses], schema))
        for expression in given:
            named = columns_named(expression, self.names)
            if named is None:
                return None
            read |= named
        return frozenset(read)

    def _copied(self, values: Sequence[Mapping[str, Any]], schema: StructType) -> list[str]:
        """Return the columns of stored rows that are copied to new versions or compared with them."""
        return [
            field.name
            for field in schema
            if self.names.column(field.name) is not None
            and (
                self._is_needed(field.name)
                or any(
                    self._keeps(clause, field.name) or _is_assigned(field.name, named)
                    for clause, named in zip(self.clauses, values, strict=True)
                    if field.name not in named
                )
            )
        ]

    def _is_needed(self, name: str) -> bool:
        return self.target.needed is None or name in self.target.needed or name in self.target.routing

    def _keeps(self, clause: Clause, name: str) -> bool:
        """Return whether the rows of a clause have the stored value of a column that the clause does not assign."""
        if clause.action == "update":
            return name not in self.lacking or name in self.target.routing
        return clause.action == "delete" and self._is_needed(name)

    def _number(self, joined: DataFrame) -> Column:
        """Return the number of the first clause that applies to a joined row; 0 for none."""
        in_table = F.coalesce(F.col(IN_TABLE), F.lit(False))
        in_source = F.coalesce(F.col(IN_SOURCE), F.lit(False))
        applies = {
            "matched": in_table & in_source,
            "not matched": ~in_table & in_source,
            "not matched by source": in_table & ~in_source,
        }
        given = {
            at: self._given(clause, clause.condition, is_condition=True)
            for at, clause in enumerate(self.clauses)
            if clause.condition is not None
        }
        own = dict(zip(given, expressions.values(joined, list(given.values())), strict=True))
        number: Any = None
        for at, clause in enumerate(self.clauses, 1):
            test = applies[clause.when]
            if at - 1 in own:
                test = test & own[at - 1]
            number = F.when(test, F.lit(at)) if number is None else number.when(test, F.lit(at))
        return number.otherwise(F.lit(0))  # type: ignore[no-any-return]

    def _given(self, clause: Clause, given: Any, *, is_condition: bool = False) -> Given:
        """Return an expression of a clause. Raise `StatementError` if it names columns that have no values there."""
        if not isinstance(given, str) or clause.when == "matched" or self.source is None:
            return Given(given, is_condition=is_condition)
        present, absent = self.names, self.source
        if clause.when == "not matched":
            present, absent = absent, present
        for found in references(given):
            own, other = (side.path(found.parts) is not None for side in (present, absent))
            named = len(found.parts) > 1 and absent.is_alias(found.parts[0])
            if named or (other and not own):
                raise error_at(
                    f"'{'.'.join(found.parts)}' has no value in a clause WHEN {clause.when.upper()}; leave it out",
                    given,
                    found.start,
                )
        return Given(qualified(given, present), given, prefix_of(present), is_condition)

    def _values(self, clause: Clause, schema: StructType) -> dict[str, Any]:
        """Return the values that a clause assigns, by column.

        The delete of a matched row in a MERGE has the ordering values of the source row.
        """
        if clause.values is not None:
            named = dict(clause.values)
        else:
            assert self.source is not None
            named = {}
            for field in schema:
                own = self.source.column(field.name)
                if own is not None:
                    named[field.name] = F.col(f"{quote(self.source.alias)}.{quote(own)}")
        if clause.action == "delete" and self.source is not None and clause.when == "matched":
            # a delete is as new as its source row
            for name in self.target.ordering:
                own = self.source.column(name)
                if own is not None:
                    named[name] = F.col(f"{quote(self.source.alias)}.{quote(own)}")
        if clause.action == "update":
            # a matched row has the key of the stored row, which may have another type in the source
            fixed = {*self.target.keys, *(self.equal if clause.when == "matched" else ())}
            named = {name: value for name, value in named.items() if name not in fixed}
        return named

    def _column(
        self,
        flat: DataFrame,
        name: str,
        schema: StructType,
        copied: Collection[str],
        values: Sequence[Mapping[str, Any]],
        places: Mapping[tuple[int, str], str],
    ) -> Column:
        wanted = schema[name].dataType
        stored = F.col(f"{STORED}.{quote(name)}") if name in copied else F.lit(None).cast(wanted)
        chosen: Any = None
        for number, (clause, named) in enumerate(zip(self.clauses, values, strict=True), 1):
            whole = places.get((number, name))
            inside = [path for path in named if path.startswith(f"{name}.")]
            if whole is not None:
                value = self._assigned(flat, clause, name, whole, wanted)
                if clause.action == "delete":
                    value = F.coalesce(value, stored)
            elif inside:
                made: dict[Fields, Column] = {}
                for path in inside:
                    fields, kind = field_of(path, wanted, case_sensitive=self.names.case_sensitive)
                    made[fields] = self._assigned(flat, clause, path, places[number, path], kind)
                value = assigned_fields(stored, wanted, made)
            else:
                # the stored value, which is null for an insert; PySpark takes milliseconds for each case
                continue
            if self.override_ordering and name in self.target.ordering and clause.action != "insert":
                value = F.greatest(value, stored)
            test = F.col(CLAUSE) == number
            chosen = F.when(test, value) if chosen is None else chosen.when(test, value)
        return stored if chosen is None else chosen.otherwise(stored)

    def _assigned(self, flat: DataFrame, clause: Clause, path: str, column: str, wanted: Any) -> Column:
        given = flat.schema[column].dataType
        if not is_assignable(given, wanted):
            message = (
                f"a value of type {given.simpleString()} cannot be assigned to column '{path}' of type "
                f"{wanted.simpleString()} in {clause.text}; cast the value"
            )
            written = (clause.values or {}).get(path)
            if isinstance(written, str):
                raise error_at(message, written, code="assignment_type")
            raise clause.error(message, code="assignment_type")
        return assigned(column, given, wanted, path)

    def _checked(self, flat: DataFrame, columns: Mapping[str, Column]) -> Column:
        """Return the number of the clause, negative for rows that cannot be written; see `StatementSpec`."""
        number = F.col(CLAUSE)
        if KNOWN in flat.columns:
            inserts = [at for at, clause in enumerate(self.clauses, 1) if clause.action == "insert"]
            twice = number.isin(inserts) & F.coalesce(F.col(KNOWN), F.lit(False))
            number = F.when(twice, -number - len(self.clauses)).otherwise(number)
        fixed = [name for name in self.target.partitions if name in columns]
        updates = [at for at, clause in enumerate(self.clauses, 1) if clause.action == "update"]
        if self.target.moves_rows or not fixed or not updates:
            return number
        moved = F.lit(False)
        for name in fixed:
            moved = moved | ~columns[name].eqNullSafe(F.col(f"{STORED}.{quote(name)}"))
        return F.when(F.col(CLAUSE).isin(updates) & moved, -F.col(CLAUSE)).otherwise(number)


def _is_assigned(name: str, values: Mapping[str, Any]) -> bool:
    return any(path == name or path.startswith(f"{name}.") for path in values)
