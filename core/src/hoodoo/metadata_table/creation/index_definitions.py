"""Definitions of the indexes of a table in a JSON file: from table version 8 on, they name the indexed columns."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from hoodoo.errors import CorruptTableError
from hoodoo.metadata_table.index_definitions import DEFINITIONS, definitions_in, read_document
from hoodoo.metadata_table.partition_kind import PartitionKind
from hoodoo.properties import TableProperties
from hoodoo.properties.property_keys import INDEX_DEFINITIONS
from hoodoo.properties.table_properties import INDEX_DEFINITIONS_FOLDER
from hoodoo.storage import Missing, Storage

__all__ = ["DEFINITIONS_FILE", "define", "definition_of", "drop_definitions"]

DEFINITIONS_FILE = f"{INDEX_DEFINITIONS_FOLDER}/index.json"
_FIRST_VERSION = 8
"""The table version from which on indexes have definitions."""


def definition_of(
    kind: PartitionKind, version: int, columns: Sequence[str] | None, *, is_partitioned: bool = False
) -> dict[str, Any] | None:
    """Return the definition of an index in the form of the Hudi release that introduced the table version.

    Args:
        kind: The kind of the index.
        version: The table version. In version 8, that of Hudi 1.0, a definition has no version of the index.
        columns: The columns with statistics, including meta columns; None for all columns, which need no definition.
        is_partitioned: Whether a record index is partitioned.

    Returns:
        The definition; None if the index has none.
    """
    name = str(kind)
    if kind is PartitionKind.COLUMN_STATS and version >= _FIRST_VERSION and columns is not None:
        found = {"indexName": name, "indexType": name, "indexFunction": name, "sourceFields": list(columns)}
        return {**found, "indexOptions": {}, **({"version": "V2"} if version > _FIRST_VERSION else {})}
    if kind is PartitionKind.RECORD_INDEX and version > _FIRST_VERSION:
        options = {"isPartitioned": str(is_partitioned).lower()}
        found = {"indexName": name, "indexType": name, "indexFunction": "", "sourceFields": []}
        return {**found, "indexOptions": options, "version": "V1"}
    return None


def define(storage: Storage, table: TableProperties, name: str, definition: dict[str, Any]) -> str:
    """Store the definition of an index in the file with those of other indexes, and return the path of the file.

    Args:
        storage: The table's files.
        table: The properties of the table.
        name: Name of the index, which is that of its partition of the metadata table.
        definition: Its definition.

    Raises:
        CorruptTableError: The file of definitions is damaged.
    """
    path = table.get(INDEX_DEFINITIONS) or DEFINITIONS_FILE
    try:
        document = read_document(storage, path)
    except Missing:
        document = {}
    _replace(storage, path, document, {**definitions_in(document), name: definition})
    return path


def drop_definitions(storage: Storage, path: str | None, names: Collection[str]) -> None:
    """Remove the definitions of indexes from their file, if `path` names one; a missing or damaged file is ignored."""
    if not path:
        return
    try:
        document = read_document(storage, path)
    except (Missing, CorruptTableError):
        # without readable definitions there is nothing to remove
        return
    definitions = definitions_in(document)
    kept = {name: value for name, value in definitions.items() if name not in names}
    if len(kept) < len(definitions):
        _replace(storage, path, document, kept)


def _replace(
    storage: Storage, path: str, document: Mapping[str, Any], definitions: Mapping[str, Mapping[str, Any]]
) -> None:
    storage.replace(path, json.dumps({**document, DEFINITIONS: definitions}, ensure_ascii=False).encode())
