"""The merge rule in a table's properties, stored under Hudi's keys or hoodoo's."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from hoodoo.errors import CorruptTableError
from hoodoo.plugin.installed.catalogue import Catalogue
from hoodoo.plugin.installed.official import is_official
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
from hoodoo.table_rules.merge_modes import merger_of_payload_class, named_rule

__all__ = [
    "field_names",
    "stored_delete",
    "stored_delete_options",
    "stored_delete_rules",
    "stored_options",
    "stored_rule",
    "stored_rule_options",
]


def stored_rule(properties: Mapping[str, str], catalogue: Catalogue) -> tuple[str, str, dict[str, Any]] | None:
    """Return family, name and options of the table's rule for a writer; None if the table names no rule.

    The properties of hoodoo have precedence, because a merger is also stored under Hudi's keys for other readers. From
    version 8 on, a table with a merge mode has the merger of `named_rule`, if there is one. Otherwise a payload class
    names the payload, or a merger that declares the class if no payload does.

    Raises:
        UnknownPlugin: As `named_rule`.
        UnsupportedTable: As `named_rule`.
        PluginError: As `named_rule`.
        CorruptTableError: The stored options of the rule are not a JSON object.
    """
    for family, key in (("merger", MERGER), ("payload", PAYLOAD)):
        name = properties.get(key)
        if name:
            return family, name, stored_rule_options(properties)
    table = TableProperties(properties)
    if table.merge_mode is not None and table.version >= 8 and (named := named_rule(table, catalogue)) is not None:
        return "merger", *named
    payload = table.payload_class
    if payload and not is_official("payload", payload) and catalogue.found("payload", payload) is None:
        # a merger may declare a payload class that no payload declares
        merger = merger_of_payload_class(payload, catalogue)
        if merger is not None:
            return "merger", merger, {}
    return ("payload", payload, {}) if payload else None


def stored_rule_options(properties: Mapping[str, str]) -> dict[str, Any]:
    """Return the options with which the table's rule was created; empty if there are none.

    Raises:
        CorruptTableError: The property is not a JSON object.
    """
    return stored_options(properties, RULE_OPTIONS)


def stored_delete_rules(properties: Mapping[str, str]) -> tuple[str, ...]:
    """Return the delete rules that the table names; empty if the defaults of its rule apply."""
    return tuple(name.strip() for name in properties.get(DELETE_RULE, "").split(",") if name.strip())


def stored_delete_options(properties: Mapping[str, str]) -> dict[str, Any]:
    """Return the options of the table's delete rules; empty if there are none.

    Raises:
        CorruptTableError: The property is not a JSON object.
    """
    return stored_options(properties, DELETE_RULE_OPTIONS)


def stored_delete(properties: Mapping[str, str]) -> DeleteContext:
    """Return the column and the text that mark deletes in a table, by new or old keys; each is None if not stored."""

    def value(key: str) -> str | None:
        return properties.get(MERGE_PROPERTY + key) or properties.get(key)

    return DeleteContext(value(DELETE_FIELD), value(DELETE_MARKER))


def stored_options(properties: Mapping[str, str], key: str) -> dict[str, Any]:
    """Return the options of a plugin that a property contains as a JSON object; {} without the property.

    Raises:
        CorruptTableError: The property is not a JSON object.
    """
    text = properties.get(key)
    if not text:
        return {}
    file = PROPERTIES_FILE
    try:
        options = json.loads(text)
    except (json.JSONDecodeError, RecursionError) as error:
        raise CorruptTableError(f"'{file}': '{key}' is not valid JSON: {error}; restore the file", file=file) from error
    if not isinstance(options, dict):
        raise CorruptTableError(f"'{file}': '{key}' is not a JSON object: {text}; restore the file", file=file)
    return options


def field_names(text: str | None) -> tuple[str, ...]:
    """Return the columns of a comma-separated list in a property; empty if the property is missing."""
    return tuple(name.strip() for name in (text or "").split(",") if name.strip())
