"""Builder of a MERGE with the methods of DeltaTable's merge builder."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

from attrs import define, field

from hoodoo.errors import StatementError
from hoodoo.statements.clauses import Clause, When
from hoodoo.statements.result import StatementResult
from hoodoo.storage import Storage

__all__ = ["MergeBuilder", "needed"]


@define
class MergeBuilder:
    """MERGE of source rows into a table: add clauses, then call `execute`. The other methods return the builder.

    Only the first clause that applies to a row has an effect. Conditions and values are texts in Spark's SQL, or
    `Column`s. In them, columns of the table have the alias of the table, by default `t`, and columns of the source have
    that of the source, by default `s`.

    Attributes:
        storage: The table's files.
        source: The source rows, a DataFrame.
        condition: The condition, which compares each record key column.
        aliases: The aliases of table and source; None for those that the condition uses.
        options: The options of the write.
        override_ordering: Whether a new version gets the stored ordering values if they are larger.
        evolves: Whether columns of the source that the table lacks are added.
        clauses: The clauses, in order.
    """

    storage: Storage
    source: Any = field(repr=False)
    condition: str
    aliases: tuple[str | None, str | None] = (None, None)
    options: Mapping[str, Any] = field(factory=dict, repr=False)
    override_ordering: bool = False
    evolves: bool = field(default=False, init=False)
    clauses: list[Clause] = field(factory=list, init=False)

    def whenMatchedUpdate(  # noqa: N802 - the names of DeltaTable
        self,
        condition: Any = None,
        set: Mapping[str, Any] | None = None,  # noqa: A002
    ) -> MergeBuilder:
        """Update stored rows that have a source row.

        Args:
            condition: The additional condition; None if there is none.
            set: The new values by column; other columns keep theirs.

        Raises:
            StatementError: `set` is not a dictionary with at least one column.
        """
        return self._add("matched", "update", condition, needed(set, "set"))

    def whenMatchedUpdateAll(self, condition: Any = None) -> MergeBuilder:  # noqa: N802
        """Update all columns of stored rows with those of the source.

        Without `withSchemaEvolution`, the source must have all columns of the table.
        """
        return self._add("matched", "update", condition, None)

    def whenMatchedDelete(self, condition: Any = None) -> MergeBuilder:  # noqa: N802
        """Delete stored rows that have a source row."""
        return self._add("matched", "delete", condition, {})

    def whenNotMatchedInsert(  # noqa: N802
        self, condition: Any = None, values: Mapping[str, Any] | None = None
    ) -> MergeBuilder:
        """Insert source rows that have no stored row; columns without a value are null.

        Raises:
            StatementError: `values` is not a dictionary with at least one column.
        """
        return self._add("not matched", "insert", condition, needed(values, "values"))

    def whenNotMatchedInsertAll(self, condition: Any = None) -> MergeBuilder:  # noqa: N802
        """Insert source rows that have no stored row, with all columns.

        Without `withSchemaEvolution`, the source must have all columns of the table.
        """
        return self._add("not matched", "insert", condition, None)

    def whenNotMatchedBySourceUpdate(  # noqa: N802
        self,
        condition: Any = None,
        set: Mapping[str, Any] | None = None,  # noqa: A002
    ) -> MergeBuilder:
        """Update stored rows that have no source row; the values may only name columns of the table.

        Raises:
            StatementError: `set` is not a dictionary with at least one column.
        """
        return self._add("not matched by source", "update", condition, needed(set, "set"))

    def whenNotMatchedBySourceDelete(self, condition: Any = None) -> MergeBuilder:  # noqa: N802
        """Delete stored rows that have no source row."""
        return self._add("not matched by source", "delete", condition, {})

    def withSchemaEvolution(self) -> MergeBuilder:  # noqa: N802
        """Add columns of the source that the table lacks, where a clause updates or inserts all columns.

        The source may then lack columns of the table: such an update keeps their values, and such an insert sets them
        to null.
        """
        self.evolves = True
        return self

    with_schema_evolution = withSchemaEvolution

    def execute(self) -> StatementResult:
        """Execute the statement as one commit.

        Raises:
            StatementError: There is no clause; a clause, an expression or the condition is invalid; or the source is
                not a DataFrame or lacks a column that a clause needs. The table is unchanged.
            DataError: Rows cannot be written: two source rows for one key without ordering, a key that is stored and
                does not satisfy the condition, or a row that would move to another partition. The table is unchanged.
            HoodooError: As in `hoodoo.write`.
        """
        module = importlib.import_module("hoodoo.spark.statements.merge")
        result: StatementResult = module.execute_merge(self)
        return result

    def _add(self, when: When, action: Any, condition: Any, values: Mapping[str, Any] | None) -> MergeBuilder:
        self.clauses.append(Clause(when, action, condition, values))
        return self


def needed(values: Mapping[str, Any] | None, name: str) -> Mapping[str, Any]:
    """Return the values of a clause unchanged; `name` is their parameter, for messages.

    Raises:
        StatementError: They are not a dictionary with at least one column.
    """
    if values is not None and not isinstance(values, Mapping):
        raise StatementError(
            f"'{name}' is of type {type(values).__name__}; give a dictionary such as {{'amount': 's.amount'}}"
        )
    if not values:
        raise StatementError(f"'{name}' has no column; give a dictionary such as {{'amount': 's.amount'}}")
    return values
