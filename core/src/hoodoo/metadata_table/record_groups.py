"""Groups of shards of a record index: a partitioned index has one for each partition of the table, others have one."""

from __future__ import annotations

from collections.abc import Iterable

from hoodoo.keys.partition_path import escaped_path
from hoodoo.metadata_table.index_definitions import valid_definitions
from hoodoo.metadata_table.partition_kind import PartitionKind, file_id_prefix
from hoodoo.metadata_table.shards import Shard
from hoodoo.properties import TableProperties
from hoodoo.storage import Storage

__all__ = ["WHOLE_TABLE", "group_of", "is_partitioned", "new_group", "shard_count"]

WHOLE_TABLE = ""
"""The group of an index that is not partitioned, and of a table without partitions."""

_MOST = 10_000
_GROWTH = 2
_GROUP_BYTES, _RECORD_BYTES = 1024**3, 48
"""Size of a file group of the record index, and of a record, from which Hudi computes the number of file groups."""


def group_of(path: str) -> str:
    """Return the group of a partition of the table: its path, escaped for use in file ids.

    Args:
        path: The partition path.
    """
    return escaped_path(path).replace("-", "%2D").replace("_", "%5F")


def is_partitioned(found: Iterable[Shard], storage: Storage, table: TableProperties) -> bool:
    """Return whether the record index has shards of its own for each partition of the table.

    Args:
        found: The shards of the index. If there is none, as in a table without rows, the definition of the index is
            read.
        storage: The table's files.
        table: The properties of the table.
    """
    groups = {shard.group for shard in found}
    if groups:
        return groups != {WHOLE_TABLE}
    # an index without shards and without a definition is damaged
    definition = valid_definitions(storage, table).get(PartitionKind.RECORD_INDEX) or {}
    options = definition.get("indexOptions") or {}
    return bool(options.get("isPartitioned") == "true")


def shard_count(records: int, fewest: int) -> int:
    """Return the number of shards of a new group, at most 10,000, which does not change when the group grows.

    Args:
        records: The number of records now.
        fewest: The minimum number of shards.
    """
    return min(_MOST, max(fewest, records * _GROWTH // (_GROUP_BYTES // _RECORD_BYTES)))


def new_group(group: str, count: int) -> list[Shard]:
    """Return `count` shards without files, for a new group of a partitioned record index."""
    prefix = f"{file_id_prefix(PartitionKind.RECORD_INDEX)}{group}-"
    return [Shard(f"{prefix}{number:04}-0", group, number, None, "", ()) for number in range(count)]
