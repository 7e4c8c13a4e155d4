"""Table of a statement, with the columns that its clauses treat specially."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from attrs import frozen

from hoodoo.errors import StatementError
from hoodoo.index.index_types import GlobalIndex
from hoodoo.schema.meta_columns import META_COLUMNS
from hoodoo.sql_text.placed_text import at_place_of, error_at
from hoodoo.statements.clauses import Clause
from hoodoo.statements.names import Names, path_of
from hoodoo.statements.partial_versions import logs_partial_records, needed_columns_of
from hoodoo.writing.prepare.prepared_write import Prepared

__all__ = ["Target"]

_COLUMN = re.compile(r"^Column<'(.*)'>$")
"""Pattern of the text of a `Column` object."""


@frozen
class Target:
    """Table of a statement.

    Attributes:
        keys: The record key columns; none if each row has a generated key.
        partitions: The partition columns.
        ordering: The ordering columns of the merge rule for stored rows.
        moves_rows: Whether an update may move a row to another partition.
        is_global: Whether a key is unique in the whole table rather than in its partition.
        counts_losers: Whether each row has the values of its stored row, because tasks of a merge-on-read table do not
            read it.
        needed: The columns, in addition to those of keys and partitions, that new versions and the stored rows compared
            with them have; None for all.
        lacks_columns: Whether the rows of an update may lack columns that do not change.
    """

    keys: tuple[str, ...]
    partitions: tuple[str, ...]
    ordering: tuple[str, ...]
    moves_rows: bool
    is_global: bool
    counts_losers: bool
    needed: frozenset[str] | None = None
    lacks_columns: bool = False

    @property
    def keeps_keys(self) -> bool:
        """Return whether rows have generated keys, which new versions keep."""
        return not self.keys

    @classmethod
    def of(cls, prepared: Prepared) -> Target:
        """Return the table of a write.

        Raises:
            StatementError: The table has neither record key columns nor stored keys, by which a new version finds its
                stored row.
        """
        config, index = prepared.keys.config, prepared.index
        if not config.record_key and not prepared.table.fills_meta:
            raise StatementError(
                f"table '{prepared.table.name}' has neither record key columns nor meta columns with generated keys, "
                "so that no row can be found; create the table with 'record_key'",
                code="keyless_table",
            )
        columns = prepared.rule.payload_ordering
        moves = isinstance(index, GlobalIndex) and index.moves_rows and bool(config.record_key)
        needed = needed_columns_of(prepared)
        return cls(
            keys=config.record_key,
            partitions=config.partition_columns,
            ordering=columns,
            moves_rows=moves,
            is_global=index.is_global,
            counts_losers=prepared.table.appends,
            needed=needed,
            lacks_columns=needed is not None and (not prepared.table.appends or logs_partial_records(prepared)),
        )

    @property
    def routing(self) -> frozenset[str]:
        """Return the columns that determine the file group of a row: dotted paths, and their top-level columns."""
        return frozenset(part for path in (*self.keys, *self.partitions) for part in (path, path.partition(".")[0]))

    def lacking(self, clauses: Sequence[Clause], columns: Sequence[str]) -> tuple[str, ...]:
        """Return the columns that no update assigns and no rule needs.

        Return () if there is no update, updates need whole rows, or rows without these columns are not smaller.

        Args:
            clauses: All clauses of the statement.
            columns: The columns of the table after the statement.
        """
        updates = [clause.values for clause in clauses if clause.action == "update"]
        if not self.lacks_columns or self.needed is None or not updates:
            return ()
        assigned: set[str] = set()
        for values in updates:
            if values is None:
                return ()
            assigned.update(part for path in values for part in (path, path.partition(".")[0]))
        lacking = tuple(name for name in columns if name not in assigned and name not in self.needed)
        # such records would be larger than whole ones
        return lacking if frozenset(lacking) - self.routing else ()

    def compared(self, columns: Sequence[str]) -> tuple[str, ...] | None:
        """Return the columns of stored rows that tasks of a merge-on-read table compare; None for other tables.

        Args:
            columns: The columns of the table after the statement.
        """
        if not self.counts_losers:
            return None
        return tuple(name for name in columns if self.needed is None or name in self.needed)

    def assignments(self, clause: Clause, names: Names, equal: Mapping[str, str]) -> dict[str, Any]:
        """Return the values of a clause by the columns of the table, as dotted paths.

        Args:
            clause: The clause.
            names: The alias and the columns of the table.
            equal: The expressions over the source with which the condition compares columns, by column.

        Raises:
            StatementError: A column does not exist, is assigned twice, or must not be assigned.
        """
        made: dict[str, Any] = {}
        for text, value in (clause.values or {}).items():
            path = path_of(text, names)
            name = at_place_of(text, ".".join(path))
            if any(f"{each}.".startswith(f"{name}.") or f"{name}.".startswith(f"{each}.") for each in made):
                raise error_at(f"column '{name}' is assigned twice; assign it once", text)
            self._check(clause, path, text, value, equal)
            made[name] = value
        return made

    def check_inserted(self, clause: Clause, equal: Mapping[str, str], source: Names) -> None:
        """Raise if a clause inserts another key or partition than the condition compares, into a merge-on-read table.

        Tasks do not read the keys of such a table, so that a row could replace a stored row.

        Args:
            clause: The clause.
            equal: The expressions over the source with which the condition compares columns, by column.
            source: The alias and the columns of the source.

        Raises:
            StatementError: The clause inserts another expression.
        """
        if clause.action != "insert" or not self.counts_losers:
            return
        partitions = () if self.is_global else tuple(name for name in self.partitions if name in equal)
        for name in (*self.keys, *partitions):
            written = _COLUMN.sub(r"\1", str(name if clause.values is None else _inserted(clause.values, name)))
            prefix = f"{source.alias.lower()}."
            if _folded(written).removeprefix(prefix) != _folded(equal[name]).removeprefix(prefix):
                kind = "record key" if name in self.keys else "partition"
                raise clause.error(
                    f"{clause.text} inserts {written} as {kind} column '{name}', and the condition compares the "
                    f"column with {equal[name]}; in a merge-on-read table both must be the same expression",
                    code="inserted_key",
                )

    def _check(self, clause: Clause, path: tuple[str, ...], text: str, value: Any, equal: Mapping[str, str]) -> None:
        if path[0] in META_COLUMNS:
            raise error_at(f"'{path[0]}' is a meta column, which a write fills; leave it out", text)
        if clause.action != "update":
            return
        same = isinstance(value, str) and _folded(equal.get(path[0], "")) == _folded(value)
        if path[0] in self.keys and not same:
            raise error_at(
                f"'{path[0]}' is a record key column, which an update cannot change; delete the row and insert another",
                text,
            )
        # tasks refuse a row of a MERGE that would move
        copied = bool(equal) and path[0] not in equal and _is_column(value, path[0])
        if path[0] in self.partitions and not (same or copied or self.moves_rows):
            reason = (
                "the index of the table leaves a row in its partition; write with a global index and "
                "'update_partition' set to true, or"
                if self.keys
                else "a row with a generated key stays in its partition;"
            )
            raise error_at(f"'{path[0]}' is a partition column, and {reason} delete the row and insert another", text)


def _inserted(values: Mapping[str, Any], name: str) -> str:
    """Return the expression of a column, or the field of the expression of its struct; "NULL" if there is neither."""
    parent, _, field = name.partition(".")
    if name in values or not field or parent not in values:
        return str(values.get(name, "NULL"))
    return _COLUMN.sub(r"\1", str(values[parent])) + f".{field}"


def _is_column(value: Any, name: str) -> bool:
    """Return whether a value is a column of this name, with or without an alias."""
    return isinstance(value, str) and _folded(value).rpartition(".")[2] == name.lower()


def _folded(text: str) -> str:
    return "".join(text.split()).replace("`", "").lower()
