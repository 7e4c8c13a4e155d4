"""MERGE, UPDATE and DELETE as methods of a table, executed by Spark."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

from hoodoo.statements.clauses import Clause
from hoodoo.statements.merge_builder import MergeBuilder, needed
from hoodoo.statements.result import StatementResult
from hoodoo.storage import Storage

__all__ = ["TableStatements"]


class TableStatements:
    """Methods of a table that change its rows by a statement."""

    _storage: Storage

    def merge(
        self,
        source: Any,
        condition: str,
        *,
        target_alias: str | None = None,
        source_alias: str | None = None,
        override_ordering: bool = False,
        **options: Any,
    ) -> MergeBuilder:
        """Return a builder of a MERGE of a DataFrame's rows: add clauses as with DeltaTable, then call `execute()`.

        The clauses make the new version of a row; the merge rule of the table decides between it and the stored row.

        Args:
            source: The source rows, a DataFrame of classic Spark or Spark Connect.
            condition: The condition in Spark's SQL, such as `t.id = s.id`. It compares each record key column with the
                source; for a table with generated keys, any condition is accepted.
            target_alias: The name of the table in expressions; by default `t`, or `target` or `tgt` if the condition
                uses it.
            source_alias: The name of the source; by default the other name that the condition uses, or `s` if it uses
                none.
            override_ordering: Whether a new version gets the stored ordering values if they are larger, so that a rule
                that compares them does not keep the stored row.
            options: The options of a write: `index`, `lock_provider` and others, or Hudi's keys.
        """
        aliases = (target_alias, source_alias)
        return MergeBuilder(self._storage, source, condition, aliases, options, override_ordering)

    def update(
        self,
        condition: Any = None,
        set: Mapping[str, Any] | None = None,  # noqa: A002 - the name that DeltaTable uses
        *,
        spark: Any = None,
        alias: str | None = None,
        **options: Any,
    ) -> StatementResult:
        """Update the rows that satisfy a condition, as one commit, and return the result of the commit.

        Args:
            condition: The condition in Spark's SQL, or a `Column`; None for all rows.
            set: The new value of each column, in Spark's SQL or as a `Column`, by the name of the column.
            spark: The session; None for the active one.
            alias: The name of the table in expressions; by default `t`. Columns need no name before them.
            options: The options of a write.

        Raises:
            StatementError: `set` is not a dictionary with columns, an expression or a column is invalid, or `spark` is
                None and no session is active. The table is unchanged.
            HoodooError: As in `hoodoo.write`.
        """
        return self._change(Clause("matched", "update", condition, needed(set, "set")), spark, alias, options)

    def delete(
        self,
        condition: Any = None,
        *,
        spark: Any = None,
        alias: str | None = None,
        **options: Any,
    ) -> StatementResult:
        """Delete the rows that satisfy a condition, as one commit.

        The arguments, without `set`, and the errors are those of `update`.
        """
        return self._change(Clause("matched", "delete", condition), spark, alias, options)

    def _change(self, clause: Clause, spark: Any, alias: str | None, options: Mapping[str, Any]) -> StatementResult:
        module = importlib.import_module("hoodoo.spark.statements.predicate")
        result: StatementResult = module.change_rows(spark, self._storage, clause, alias, options)
        return result
