"""Which delete rule judges incoming rows where the user names none."""

from __future__ import annotations

__all__ = ["default_delete_rules"]

_OF_PAYLOAD = {
    "event-time": ("payload-default",),
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
