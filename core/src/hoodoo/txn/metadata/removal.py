"""Removal of a metadata table before a write that does not update it: readers would use a stale list of files."""

from __future__ import annotations

from collections.abc import Mapping

from hoodoo.properties import METADATA_TABLE_FOLDER, load_properties, update_properties
from hoodoo.properties.property_keys import INDEX_DEFINITIONS, METADATA_PARTITIONS, METADATA_PARTITIONS_INFLIGHT
from hoodoo.properties.table_properties import INDEX_DEFINITIONS_FOLDER
from hoodoo.storage import Storage
from hoodoo.txn.locking.coordination import Coordination
from hoodoo.txn.locking.table_lock import table_lock

__all__ = ["drop_metadata_table", "has_metadata_table"]

_DEFAULT_COORDINATION = Coordination()
_PROPERTIES = (
    METADATA_PARTITIONS,
    METADATA_PARTITIONS_INFLIGHT,
    INDEX_DEFINITIONS,
)
_FOLDERS = (METADATA_TABLE_FOLDER, INDEX_DEFINITIONS_FOLDER)


def has_metadata_table(properties: Mapping[str, str]) -> bool:
    """Return whether the properties of a table name a metadata table, which may still be under construction."""
    return any(properties.get(key) for key in (METADATA_PARTITIONS, METADATA_PARTITIONS_INFLIGHT))


def drop_metadata_table(storage: Storage, coordination: Coordination = _DEFAULT_COORDINATION) -> bool:
    """Remove a table's metadata table as Hudi does: first the properties that name it, then its files.

    Call it before the write begins. A Hudi writer with an enabled metadata table creates a new one from the files.

    Args:
        storage: The table's files.
        coordination: The writer's lock.

    Returns:
        Whether the table had a metadata table.

    Raises:
        LockTimeout: Another writer holds the table's lock for too long.
        StorageError: The store failed. After the properties are changed, no reader uses the remaining files.
    """
    with table_lock(storage, coordination):
        named = [key for key in _PROPERTIES if key in load_properties(storage)]
        if named:
            update_properties(storage, {}, named)
        existing = [folder for folder in _FOLDERS if storage.exists(folder)]
        for folder in existing:
            storage.delete_tree(folder)
        return bool(named or existing)
