"""Classes for the values of the class attributes that a plugin declares."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any

from attrs import field, frozen

__all__ = ["CUSTOM_MODE", "LoneKey", "MergeMode", "PartialUpdate", "Substitute"]

CUSTOM_MODE = "CUSTOM"
"""Hudi's merge mode of tables whose merger is identified by its strategy id alone."""


@frozen
class PartialUpdate:
    """Partial update mode of Hudi, and the options of a merger that select it.

    Attributes:
        name: Value of the property `hoodie.table.partial.update.mode`.
        options: Options of the merger that select this mode.
        properties: The table properties that store the value of an option, by option of the merger. All of them are
            written; the first one that a table has is read.
        is_written: False for a mode that is only read, because Hudi's readers do not have it. A table whose options
            select no written mode is stored with a custom merge mode.
    """

    name: str
    options: Mapping[str, Any]
    properties: Mapping[str, tuple[str, ...]] = field(factory=dict)
    is_written: bool = True


@frozen
class MergeMode:
    """Merge mode that table properties store for a merger.

    A merger that declares a mode has aliases (entry points of the group `hoodoo.merger.alias`), by which the core finds
    the merger without importing other plugins: the strategy id, and the mode's name unless it is `CUSTOM`. A merger
    with partial update modes has the alias `NAME+PARTIAL_MODE` for each of them instead.

    Attributes:
        name: Value of the property `hoodie.record.merge.mode`. Hudi refuses names other than its own: a merger whose
            Java counterpart is not one of Hudi's modes has `CUSTOM` and its own strategy id.
        strategy_id: Value of `hoodie.record.merge.strategy.id`, a UUID in lower case.
        payload_class: Java class that tables of versions without merge modes store for the merger, and by which their
            readers find the merger; the class is also an alias of the merger. None if there is no such class.
        partial_updates: The partial update modes of a merger that fills columns; empty for one that does not.
    """

    name: str
    strategy_id: str
    payload_class: str | None = None
    partial_updates: tuple[PartialUpdate, ...] = ()

    def partial_update(self, name: str) -> PartialUpdate | None:
        """Return the partial update mode of this name, or None if there is none."""
        return next((partial for partial in self.partial_updates if partial.name == name), None)

    def written_partial_update(self, options: Mapping[str, Any]) -> PartialUpdate | None:
        """Return the partial update mode that options of the merger select and that Hudi's readers have, or None."""
        return next(
            (
                partial
                for partial in self.partial_updates
                if partial.is_written and all(options.get(key) == value for key, value in partial.options.items())
            ),
            None,
        )


@frozen
class Substitute:
    """The merger that replaces a payload in new tables of version 9, as Hudi creates them.

    Attributes:
        merger: Name of the merger.
        options: Its options; those that a user gives take precedence.
        delete: The column that marks deletes, and its text in deletes, case-sensitive; a column or a text
            that a user gives replaces both. None if the payload has no such column.
        ordering: The ordering columns, which replace those of the user; empty if those of the user are kept.
    """

    merger: str
    options: Mapping[str, Any] = field(factory=dict)
    delete: tuple[str, str] | None = None
    ordering: tuple[str, ...] = ()


class LoneKey(Enum):
    """The form of record keys in a table that has one record key column."""

    VALUE = "value"
    """The value alone: `1`."""
    NAMED = "named"
    """With the column's name: `id:1`."""
    BY_RELEASE = "by_release"
    """Either form, depending on the Hudi release that wrote the table; a stored key shows which one.

    New tables have `id:1`; with the option `plain_lone_key`, those of version 6 or 8 have `1`.
    """
