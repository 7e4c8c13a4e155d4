"""Rows of a MERGE that needs no join, because clauses and values depend only on the source.

The merge task determines whether a key is stored. A row therefore has two numbers of clauses, see `StatementSpec`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Any

from attrs import frozen
from pyspark.sql import functions as F

from hoodoo.spark.spark_types import is_same_type, quote
from hoodoo.spark.statements.expressions import condition
from hoodoo.statements.clauses import Clause
from hoodoo.statements.names import Names, prefix_of, qualified, references
from hoodoo.statements.on_condition import OnCondition
from hoodoo.statements.target import Target
from hoodoo.writing.tasks.incoming_rows import CLAUSE, CLAUSE_IF_NEW

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame
    from pyspark.sql.types import StructField, StructType

__all__ = ["SourceRows"]


@frozen
class SourceRows:
    """Conversion of source rows to the rows that are written.

    Attributes:
        target: The table, with the columns that clauses treat specially.
        names: The alias and the columns of the table.
        source: The alias and the columns of the source.
        clauses: The clauses; only the first one that applies to a row has an effect.
        on: The condition of the MERGE.
    """

    target: Target
    names: Names
    source: Names
    clauses: Sequence[Clause]
    on: OnCondition

    def suffice(self, source: StructType, columns: StructType) -> bool:
        """Return whether the rows of the statement can be made without a join.

        Clauses and values must depend only on the source, and each row must have the same values in all clauses. The
        condition must only compare each key and partition column with the source column of the same name. The values
        must have the types of the table, which must not have a global index or generated keys.

        Args:
            source: The columns of the source.
            columns: The columns of the table after the statement.
        """
        if self.target.is_global or self.target.keeps_keys or self.on.others:
            return False
        for clause in self.clauses:
            if clause.when == "not matched by source" or (clause.action != "delete" and clause.values is not None):
                return False
            if clause.condition is not None and not self._is_of_source(clause):
                return False
        for name in (*self.target.keys, *self.target.partitions):
            compared = self.on.equal.get(name)
            if compared is None or self._column(compared) != name:
                return False
        # a value of another type would need Spark's store assignment
        types = {field.name: field.dataType for field in source}
        given = [(types.get(self.source.column(field.name) or ""), field.dataType) for field in self._used(columns)]
        return all(type_ is not None and is_same_type(type_, wanted) for type_, wanted in given)

    def rows(self, source: DataFrame, columns: StructType) -> DataFrame:
        """Return the source rows to which a clause can apply, with the numbers of their clauses.

        The first number is -1 for a row with null in a partition column, which requires a join.
        """
        aliased = source.alias(self.source.alias)
        stored, new = self._number(aliased, "matched"), self._number(aliased, "not matched")
        # in SQL a null equals nothing: keys have none, and for one in a partition column a join is required
        stored = F.when(self._has_null(self.target.keys), 0).otherwise(stored)
        unknown = self._has_null(self.target.partitions) & ((stored > 0) | (new > 0))
        stored = F.when(unknown, -1).otherwise(stored)
        numbered = aliased.withColumns({CLAUSE: stored, CLAUSE_IF_NEW: new})
        kept = numbered.where((F.col(CLAUSE) != 0) | (F.col(CLAUSE_IF_NEW) > 0))
        own = [
            F.col(f"{quote(self.source.alias)}.{quote(field.name)}").alias(field.name) for field in self._used(columns)
        ]
        return kept.select(*own, CLAUSE, CLAUSE_IF_NEW)

    def _used(self, columns: StructType) -> list[StructField]:
        """Return the columns of the rows; for deletes alone, only those by which stored rows are found and compared."""
        if self.target.needed is None or any(clause.action != "delete" for clause in self.clauses):
            return list(columns)
        return [field for field in columns if field.name in self.target.needed or field.name in self.target.routing]

    def _has_null(self, names: Sequence[str]) -> Column:
        columns = (F.col(f"{quote(self.source.alias)}.{quote(name)}").isNull() for name in names)
        return reduce(or_, columns, F.lit(False))

    def _number(self, source: DataFrame, when: str) -> Column:
        number: Any = None
        for at, clause in enumerate(self.clauses, 1):
            if clause.when != when:
                continue
            test = F.lit(True)
            if clause.condition is not None:
                own = qualified(clause.condition, self.source)
                test = condition(source, own, clause.condition, prefix_of(self.source))
            number = F.when(test, F.lit(at)) if number is None else number.when(test, F.lit(at))
        return F.lit(0) if number is None else number.otherwise(F.lit(0))

    def _is_of_source(self, clause: Clause) -> bool:
        if not isinstance(clause.condition, str):
            return False
        for found in references(clause.condition):
            is_qualified = len(found.parts) > 1 and self.source.is_alias(found.parts[0])
            is_ambiguous = clause.when == "matched" and self.names.path(found.parts) is not None
            if not is_qualified and (is_ambiguous or self.source.path(found.parts) is None):
                return False
        return True

    def _column(self, text: str) -> str | None:
        found = references(text)
        if len(found) != 1 or found[0].end - found[0].start != len(text):
            return None
        path = self.source.path(found[0].parts)
        return None if path is None or len(path) > 1 else self.names.column(path[0])
