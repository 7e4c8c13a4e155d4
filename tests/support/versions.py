"""Versions of a record, and the merge of two of them: the definition that the models of tables share.

It is written from the definitions of the table format and of the merge modes, and imports nothing from hoodoo.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["DELETE_FLAG", "META", "Rules", "Version"]

Row = dict[str, Any]

META = (
    "_hoodie_commit_time",
    "_hoodie_commit_seqno",
    "_hoodie_record_key",
    "_hoodie_partition_path",
    "_hoodie_file_name",
)
"""Meta columns of a stored row, in their order."""

DELETE_FLAG = "_hoodie_is_deleted"


@dataclass(frozen=True)
class Version:
    """A version of a record: a row, perhaps without some columns, or a delete.

    Attributes:
        key: The record key.
        row: The values by column.
        order: The ordering value; None without one.
        is_delete: Whether the version deletes the row.
        key_only: Whether a delete has no columns except its record key and perhaps its ordering value.
        is_partial: Whether a row lacks columns on purpose. Columns that another row lacks were added later.
    """

    key: str
    row: Row = field(default_factory=dict)
    order: tuple[Any, ...] | None = None
    is_delete: bool = False
    key_only: bool = False
    is_partial: bool = False


@dataclass(frozen=True)
class Rules:
    """Rules that merge two versions of a record.

    Attributes:
        event_time: Whether the greater ordering value wins, and the newer version if they are equal; otherwise the
            newer version always wins.
        ordering: The ordering columns, compared as one tuple.
        partial: `IGNORE_DEFAULTS` (a null takes the loser's value), `FILL_UNAVAILABLE` (a text equal to `unavailable`
            takes it) or "".
        unavailable: The text for `FILL_UNAVAILABLE`.
        marker: A column and its value that makes a record a delete.
    """

    event_time: bool
    ordering: tuple[str, ...] = ()
    partial: str = ""
    unavailable: str = "__hoodie_unavailable"
    marker: tuple[str, str] | None = None

    def order(self, row: Mapping[str, Any]) -> tuple[Any, ...] | None:
        """Return the ordering value of a row; None if an ordering column is null or missing, or if there is none."""
        values = tuple(row.get(name) for name in self.ordering)
        return None if not values or any(value is None for value in values) else values

    def deletes(self, row: Mapping[str, Any]) -> bool:
        """Return whether a record of a data block is a delete."""
        if row.get(DELETE_FLAG) is True or row.get("_hoodie_operation") in ("D", "-U"):
            return True
        return self.marker is not None and row.get(self.marker[0]) == self.marker[1]

    def newer_wins(self, older: Version, newer: Version) -> bool:
        """Return whether the newer of two versions wins.

        Without `event_time` the newer one always wins. Otherwise a version without an ordering value is less than every
        other version, except that a delete without one is unconditional: it wins, and every later version replaces it
        except another unconditional delete and a delete of the key alone.
        """
        if not self.event_time:
            return True
        if newer.is_delete and newer.order is None:
            return not (older.is_delete and older.order is None)
        if older.is_delete and older.order is None:
            return not (newer.is_delete and newer.key_only)
        if older.order is None:
            return True
        return newer.order is not None and newer.order >= older.order

    def merge(self, older: Version, newer: Version) -> Version:
        """Return the winner of two versions; values of the loser fill its gaps, unless one of the two is a delete.

        A column that the winner lacks is also filled if the winner is the newer version or partial.
        """
        winner, loser = (newer, older) if self.newer_wins(older, newer) else (older, newer)
        if winner.is_delete or loser.is_delete:
            return winner
        row = dict(winner.row)
        for name, value in loser.row.items():
            lacks = name not in row and (winner is newer or winner.is_partial)
            if lacks or (self._is_gap(row.get(name)) and not name.startswith("_hoodie_")):
                row[name] = value
        return Version(winner.key, row, winner.order, is_partial=winner.is_partial)

    def _is_gap(self, value: Any) -> bool:
        if self.partial == "IGNORE_DEFAULTS":
            return value is None
        return self.partial == "FILL_UNAVAILABLE" and value in (self.unavailable, self.unavailable.encode())
