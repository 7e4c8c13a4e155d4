"""Which delete rule judges incoming rows where the user names none."""

from __future__ import annotations

from collections.abc import Collection

from hoodoo.record.delete_markers import FLAG_COLUMN, OPERATION_COLUMN

__all__ = ["default_delete_rules", "needed_delete_rules"]

_OF_PAYLOAD = {
    "event-time": ("payload-default",),
    "first-value": ("payload-default",),
    "pass-through": ("none",),
    "aws-dms": ("dms-op", "builtin-flag"),
    "mysql-debezium": ("debezium-op", "builtin-flag"),
    "postgres-debezium": ("debezium-op", "builtin-flag"),
}


def default_delete_rules(family: str, name: str) -> tuple[str, ...]:
    """Names of delete rules; a row is a delete where any of them says so."""
    if family == "merger":
        return ("any-of",)
    return _OF_PAYLOAD.get(name, ("builtin-flag",))


_COLUMNS = {
    "none": frozenset[str](),
    "builtin-flag": frozenset({FLAG_COLUMN}),
    "payload-default": frozenset({FLAG_COLUMN}),
    "any-of": frozenset({FLAG_COLUMN, OPERATION_COLUMN}),
    "dms-op": frozenset({"Op"}),
    "debezium-op": frozenset({"_change_operation_type"}),
}
"""The columns that a default rule looks at where no custom marker is set."""


def needed_delete_rules(family: str, name: str, columns: Collection[str], *, marked: bool) -> tuple[str, ...]:
    """The default delete rules that can find a delete in rows of these columns; `marked`: a custom marker is set.

    With it a payload or merger is tested alone, without the delete rules that stand beside it in a table.
    """
    rules = default_delete_rules(family, name)
    return tuple(rule for rule in rules if marked or rule not in _COLUMNS or _COLUMNS[rule] & set(columns))
