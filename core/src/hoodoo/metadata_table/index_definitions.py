"""Columns of the indexes of a metadata table, from the file with their definitions."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from hoodoo.properties import TableProperties
from hoodoo.properties.property_keys import INDEX_DEFINITIONS
from hoodoo.storage import Missing, Storage

__all__ = ["source_columns"]


def source_columns(storage: Storage, properties: TableProperties) -> Mapping[str, tuple[str, ...]]:
    """Return the columns of each defined index, by the name of its partition.

    A missing or damaged file has no definitions: without a definition, an index is not used.
    """
    path = properties.get(INDEX_DEFINITIONS)
    if not path:
        return {}
    try:
        definitions: Mapping[str, Any] = json.loads(storage.read(path)).get("indexDefinitions", {})
    except (Missing, ValueError):
        return {}
    return {name: tuple(definition.get("sourceFields") or ()) for name, definition in definitions.items()}
