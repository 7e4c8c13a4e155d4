"""File with the definitions of the indexes of a table, which name the columns of each index."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from hoodoo.errors import CorruptTableError
from hoodoo.properties import TableProperties
from hoodoo.properties.property_keys import INDEX_DEFINITIONS
from hoodoo.storage import Missing, Storage

__all__ = ["DEFINITIONS", "definitions_in", "read_document", "source_columns", "valid_definitions"]

DEFINITIONS = "indexDefinitions"
"""Member of the document with the definitions, by the name of the partition of the metadata table."""


def source_columns(storage: Storage, properties: TableProperties) -> Mapping[str, tuple[str, ...]]:
    """Return the columns of each defined index, by the name of its partition.

    A missing or damaged file has no definitions: without a definition, an index is not used.
    """
    definitions = valid_definitions(storage, properties)
    return {name: tuple(definition.get("sourceFields") or ()) for name, definition in definitions.items()}


def valid_definitions(storage: Storage, properties: TableProperties) -> Mapping[str, Mapping[str, Any]]:
    """Return the definitions of the indexes, by the name of the partition.

    The result is empty if the table names no file with definitions, or if the file is missing or damaged.
    """
    path = properties.get(INDEX_DEFINITIONS)
    if not path:
        return {}
    try:
        return definitions_in(read_document(storage, path))
    except (Missing, CorruptTableError):
        return {}


def definitions_in(document: Mapping[str, Any]) -> Mapping[str, Mapping[str, Any]]:
    """Return the definitions of a document that `read_document` returned, by the name of the partition."""
    definitions: Mapping[str, Mapping[str, Any]] = document.get(DEFINITIONS) or {}
    return definitions


def read_document(storage: Storage, path: str) -> dict[str, Any]:
    """Return the JSON document of the file with the definitions.

    Raises:
        Missing: The file does not exist.
        CorruptTableError: The file is not a JSON object, or its definitions are not an object with an object for each
            index.
    """
    try:
        document = json.loads(storage.read(path))
    except ValueError as error:
        raise CorruptTableError(f"'{path}' is not a JSON document: {error}; restore the file", file=path) from error
    if not isinstance(document, dict):
        raise CorruptTableError(f"'{path}' is not a JSON object; restore the file", file=path)
    definitions = document.get(DEFINITIONS)
    if definitions is None:
        return document
    if not isinstance(definitions, dict) or not all(isinstance(each, dict) for each in definitions.values()):
        raise CorruptTableError(
            f"'{path}' has a member '{DEFINITIONS}' that is not an object with one object for each index; restore the "
            "file",
            file=path,
        )
    return document
