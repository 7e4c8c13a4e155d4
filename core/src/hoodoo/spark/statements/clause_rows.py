"""Rows that the clauses of a statement make of joined rows."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from attrs import field, frozen
from pyspark.sql import functions as F

from hoodoo.errors import StatementError
from hoodoo.spark.spark_types import quote
from hoodoo.spark.statements.expressions import analysed, condition, explained, value
from hoodoo.spark.statements.store_assignment import assigned, is_assignable
from hoodoo.statements.clauses import Clause
from hoodoo.statements.names import Names, columns_named, prefix_of, qualified, references
from hoodoo.statements.sql_text import error_at
from hoodoo.statements.target import Target
from hoodoo.writing.tasks.incoming_rows import CLAUSE
from hoodoo.writing.tasks.statement_rows import STORED

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame
    from pyspark.sql.types import StructType

__all__ = ["IN_SOURCE", "IN_TABLE", "KNOWN", "ClauseRows"]

IN_TABLE, IN_SOURCE = "__hoodoo_in_table", "__hoodoo_in_source"
"""Columns that are true for rows of one side, and null in a joined row without that side."""

KNOWN = "__hoodoo_known"
"""Column of a source row that is true if the table has its key; a joined row without the stored row can have it."""


@frozen
class ClauseRows:
    """Conversion of joined rows to rows that are written.

    Attributes:
        target: The table.
        names: The names of the table.
        source: The names of the source; None for UPDATE and DELETE.
        clauses: The clauses, in order.
        equal: The expressions over the source that the condition compares columns of the table with.
        override_ordering: Whether a new version gets the ordering values of the stored row where they are larger.
        lacking: The columns that rows of updates lack.
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

        A column that no row has is left out.

        Args:
            joined: The rows of table and source, with their aliases and the columns `IN_TABLE` and `IN_SOURCE`.
            schema: The columns of the table after the statement.

        Raises:
            StatementError: An expression is not valid, or its value cannot be assigned to its column.
        """
        numbered = explained(lambda: joined.withColumn(CLAUSE, self._number(joined)).where(F.col(CLAUSE) > 0))
        values = [self._values(clause, schema) for clause in self.clauses]
        guarded: list[Column] = []
        places: dict[tuple[int, str], str] = {}
        for number, (clause, named) in enumerate(zip(self.clauses, values, strict=True), 1):
            for path, given in named.items():
                name = f"__hoodoo_v{len(guarded)}"
                places[number, path] = name
                own = self._expression(numbered, clause, given)
                guarded.append(F.when(F.col(CLAUSE) == number, own).alias(name))
        copied = self._copied(values, schema)
        stored = [F.col(f"{quote(self.names.alias)}.{quote(name)}").alias(name) for name in copied]
        known = [F.col(KNOWN)] if KNOWN in joined.columns else []
        there = F.when(F.col(IN_TABLE), F.struct(*stored))
        kept = [F.col(CLAUSE), *known, there.alias(STORED), *guarded]
        flat = explained(lambda: analysed(numbered.select(*kept)))
        columns = {
            field.name: self._column(flat, field.name, schema, copied, values, places).alias(field.name)
            for field in schema
            if field.name in copied or any(_is_assigned(field.name, named) for named in values)
        }
        made = [*columns.values(), self._checked(flat, columns).alias(CLAUSE)]
        if self.target.counts_losers:
            compared = [F.col(f"{STORED}.{quote(name)}").alias(name) for name in copied if self._is_needed(name)]
            made.append(F.when(F.col(STORED).isNotNull(), F.struct(*compared)).alias(STORED))
        return flat.select(*made)

    def read_columns(self, schema: StructType, *others: Any) -> frozenset[str] | None:
        """Return the columns of stored rows that `rows` uses, and other expressions; None for all.

        Args:
            schema: As in `rows`.
            others: The expressions.
        """
        values = [self._values(clause, schema) for clause in self.clauses]
        given = [*others, *(clause.condition for clause in self.clauses)]
        for clause in self.clauses:
            given += (clause.values or {}).values()
        read = set(self._copied(values, schema))
        for expression in given:
            named = columns_named(expression, self.names)
            if named is None:
                return None
            read |= named
        return frozenset(read)

    def _copied(self, values: Sequence[Mapping[str, Any]], schema: StructType) -> list[str]:
        """Return the columns of stored rows that new versions have, or are compared with."""
        return [
            field.name
            for field in schema
            if self.names.column(field.name) is not None
            and (
                self._is_needed(field.name)
                or any(
                    self._keeps(clause, field.name) or any(path.startswith(f"{field.name}.") for path in named)
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
        number: Any = None
        for at, clause in enumerate(self.clauses, 1):
            test = applies[clause.when]
            if clause.condition is not None:
                own = self._expression(joined, clause, clause.condition, condition)
                test = test & own
            number = F.when(test, F.lit(at)) if number is None else number.when(test, F.lit(at))
        return number.otherwise(F.lit(0))  # type: ignore[no-any-return]

    def _expression(
        self, frame: DataFrame, clause: Clause, given: Any, checked: Callable[..., Column] = value
    ) -> Column:
        """Return an expression of a clause; it may only name columns of the sides that the clause has."""
        if not isinstance(given, str):
            return checked(frame, given)
        if clause.when == "matched" or self.source is None:
            return checked(frame, given)
        present, absent = self.names, self.source
        if clause.when == "not matched":
            present, absent = absent, present
        for found in references(given, present, absent):
            own, other = (side.path(found.parts) is not None for side in (present, absent))
            named = len(found.parts) > 1 and absent.is_alias(found.parts[0])
            if named or (other and not own):
                raise error_at(
                    f"'{'.'.join(found.parts)}' has no value in a clause WHEN {clause.when.upper()}", given, found.start
                )
        return checked(frame, qualified(given, present), given, prefix_of(present))

    def _values(self, clause: Clause, schema: StructType) -> dict[str, Any]:
        """Return the values of the columns that a clause assigns."""
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
                    value = F.col(f"{quote(self.source.alias)}.{quote(own)}")
                    stored = F.col(f"{quote(self.names.alias)}.{quote(name)}")
                    named[name] = F.coalesce(value.cast(schema[name].dataType), stored)
        if clause.action == "update":
            # a matched row has the key of the stored row, whatever its type in the source
            fixed = {*self.target.keys, *(self.equal if clause.when == "matched" else ())}
            named = {name: value for name, value in named.items() if name not in fixed}
        return named

    def _column(
        self,
        flat: DataFrame,
        name: str,
        schema: StructType,
        copied: Sequence[str],
        values: Sequence[Mapping[str, Any]],
        places: Mapping[tuple[int, str], str],
    ) -> Column:
        wanted = schema[name].dataType
        nothing = F.lit(None).cast(wanted)
        stored = F.col(f"{STORED}.{quote(name)}") if name in copied else nothing
        chosen: Any = None
        for number, (clause, named) in enumerate(zip(self.clauses, values, strict=True), 1):
            whole = places.get((number, name))
            inside = [path for path in named if path.startswith(f"{name}.")]
            if whole is not None:
                value = self._assigned(flat, clause, name, whole, wanted)
            elif inside:
                value = stored
                for path in inside:
                    field = path.partition(".")[2]
                    kind = _type_inside(wanted, field)
                    value = value.withField(field, self._assigned(flat, clause, path, places[number, path], kind))
            else:
                value = stored if self._keeps(clause, name) else nothing
            if self.override_ordering and name in self.target.ordering and clause.action != "insert":
                value = F.greatest(value, stored)
            test = F.col(CLAUSE) == number
            chosen = F.when(test, value) if chosen is None else chosen.when(test, value)
        return chosen  # type: ignore[no-any-return]

    def _assigned(self, flat: DataFrame, clause: Clause, path: str, column: str, wanted: Any) -> Column:
        given = flat.schema[column].dataType
        if not is_assignable(given, wanted):
            raise StatementError(
                f"a value of type {given.simpleString()} cannot be assigned to column '{path}' of type "
                f"{wanted.simpleString()} in {clause.text}; cast the value",
                code="assignment_type",
            )
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


def _type_inside(type_: Any, path: str) -> Any:
    for part in path.split("."):
        type_ = type_[part].dataType
    return type_
