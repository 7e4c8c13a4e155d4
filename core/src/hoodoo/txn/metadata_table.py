"""Taking leave of a metadata table: readers trust it blindly, and a write that leaves it out makes it stale."""

from __future__ import annotations

from hoodoo.properties import load_properties, update_properties
from hoodoo.properties.property_keys import INDEX_DEFINITIONS, METADATA_PARTITIONS, METADATA_PARTITIONS_INFLIGHT
from hoodoo.storage import Storage
from hoodoo.txn.locking.coordination import Coordination
from hoodoo.txn.locking.table_lock import table_lock

__all__ = ["drop_metadata_table"]

_ALONE = Coordination()
_PROPERTIES = (
    METADATA_PARTITIONS,
    METADATA_PARTITIONS_INFLIGHT,
    INDEX_DEFINITIONS,
)
_FOLDERS = (".hoodie/metadata", ".hoodie/.index_defs")


def drop_metadata_table(storage: Storage, coordination: Coordination = _ALONE) -> bool:
    """Remove a table's metadata table, as Hudi does where it is disabled: the properties that name it, then its files.

    Call it before the write begins. A Hudi writer that wants one makes a new one from the files.

    Args:
        storage: The table's files.
        coordination: The writer's lock.

    Returns:
        Whether the table had one.

    Raises:
        CommitError: Another writer holds the table's lock for too long.
        StorageError: The store failed. Once the properties are changed no reader trusts what is left.
    """
    with table_lock(storage, coordination):
        named = [key for key in _PROPERTIES if key in load_properties(storage)]
        if named:
            update_properties(storage, {}, named)
        there = [folder for folder in _FOLDERS if storage.exists(folder)]
        for folder in there:
            storage.delete_tree(folder)
        return bool(named or there)
