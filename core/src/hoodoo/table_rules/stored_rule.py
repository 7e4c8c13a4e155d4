"""Which merge rule a table names, in Hudi's properties or in ours."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from hoodoo.errors import CorruptTableError
from hoodoo.properties import TableProperties
from hoodoo.properties.property_keys import (
    DELETE_FIELD,
    DELETE_MARKER,
    DELETE_RULE,
    DELETE_RULE_OPTIONS,
    MERGE_PROPERTY,
    MERGER,
    PAYLOAD,
    RULE_OPTIONS,
)
from hoodoo.properties.table_properties import PROPERTIES_FILE
from hoodoo.record import DeleteContext
from hoodoo.table_rules.merge_modes import named_rule

__all__ = [
    "field_names",
    "stored_delete",
    "stored_delete_options",
    "stored_delete_rules",
    "stored_rule",
    "stored_rule_options",
]


def stored_rule(properties: Mapping[str, str]) -> tuple[str, str, dict[str, Any]] | None:
    """Family, name and options of the table's rule for a writer, None where the table names none.

    Our own property comes first: a merger is stored for other readers under what means the same to them. Below version
    8 a payload class is that payload, which compares differently in the batch and with what is stored; later versions
    name the mode that is left of it.

    Raises:
        UnsupportedTable: a mode that is not known here.
    """
    for family, key in (("merger", MERGER), ("payload", PAYLOAD)):
        name = properties.get(key)
        if name:
            return family, name, stored_rule_options(properties)
    table = TableProperties(properties)
    if table.merge_mode is not None and table.version >= 8 and (named := named_rule(table)) is not None:
        return "merger", *named
    payload = table.payload_class
    return ("payload", payload, {}) if payload else None


def stored_rule_options(properties: Mapping[str, str]) -> dict[str, Any]:
    """The options that the table's rule was created with."""
    return _options(properties, RULE_OPTIONS)


def stored_delete_rules(properties: Mapping[str, str]) -> tuple[str, ...]:
    """The delete rules that the table names, none where it leaves them to the rule's default."""
    return tuple(name.strip() for name in properties.get(DELETE_RULE, "").split(",") if name.strip())


def stored_delete_options(properties: Mapping[str, str]) -> dict[str, Any]:
    """The options of the table's delete rules."""
    return _options(properties, DELETE_RULE_OPTIONS)


def stored_delete(properties: Mapping[str, str]) -> DeleteContext:
    """The column and the text by which a table marks deletes, under their later or their first names."""

    def value(key: str) -> str | None:
        return properties.get(MERGE_PROPERTY + key) or properties.get(key)

    return DeleteContext(value(DELETE_FIELD), value(DELETE_MARKER))


def _options(properties: Mapping[str, str], key: str) -> dict[str, Any]:
    text = properties.get(key)
    if not text:
        return {}
    try:
        options = json.loads(text)
    except json.JSONDecodeError as error:
        file = PROPERTIES_FILE
        raise CorruptTableError(f"'{file}': '{key}' is not valid JSON: {error}", file=file) from error
    return dict(options)


def field_names(text: str | None) -> tuple[str, ...]:
    """The columns of a comma list in a property."""
    return tuple(name.strip() for name in (text or "").split(",") if name.strip())
