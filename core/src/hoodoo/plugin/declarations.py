"""Facts that a plugin declares about itself, as values of class attributes."""

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
    """One of Hudi's partial update modes, and the options by which a merger has it.

    Attributes:
        name: Value of the property `hoodie.table.partial.update.mode`.
        options: Options of the merger that mean this mode.
        properties: By option of the merger, the table properties that hold its value. All of them are written, and the
            first one that a table has is read.
        is_written: False for a mode that is read only. A table whose options mean it is stored with a custom merge
            mode, because Hudi's readers do not have the mode.
    """

    name: str
    options: Mapping[str, Any]
    properties: Mapping[str, tuple[str, ...]] = field(factory=dict)
    is_written: bool = True


@frozen
class MergeMode:
    """The merge mode by which table properties name a merger.

    A merger that declares a mode has the mode's name and the strategy id as aliases (entry points of the group
    `hoodoo.merger.alias`): the core finds it by them without an import of other plugins. With partial update modes,
    its aliases are `NAME+PARTIAL_MODE` for each of them, in place of the name.

    Attributes:
        name: Value of the property `hoodie.record.merge.mode`. Hudi refuses names that it does not have: a merger that
            exists in Java has `CUSTOM` and its own strategy id.
        strategy_id: Value of `hoodie.record.merge.strategy.id`, a UUID in lower case.
        payload_class: Java class by which tables of versions that store no mode name the merger. Readers of such tables
            merge by it: it is an alias of the merger too. None where there is none.
        partial_updates: The partial update modes of a merger that fills columns; empty for one that does not.
    """

    name: str
    strategy_id: str
    payload_class: str | None = None
    partial_updates: tuple[PartialUpdate, ...] = ()

    def partial_update(self, name: str) -> PartialUpdate | None:
        """Return the partial update mode of this name, or None."""
        return next((partial for partial in self.partial_updates if partial.name == name), None)

    def written_partial_update(self, options: Mapping[str, Any]) -> PartialUpdate | None:
        """Return the partial update mode that options of the merger mean and Hudi's readers have, or None."""
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
        delete: The column that marks deletes and the text in it, case-sensitive. It is used where a user names no other
            one; None where the payload has none.
        ordering: The ordering columns, which replace those that a user gives; empty where the user's are kept.
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
    """Either of both, by the Hudi release that wrote the table: a stored key shows which. A new table has `id:1`."""
