"""`.hoodie_partition_metadata`: marks a folder as a partition and says how far above it the table's root is."""

from __future__ import annotations

from attrs import frozen

from hoodoo.errors import CorruptTableError
from hoodoo.properties import dump_properties, parse_properties
from hoodoo.storage import AlreadyExists, Storage, join

__all__ = ["PARTITION_METADATA_FILE", "PartitionMetadata", "ensure_partition_metadata", "read_partition_metadata"]

PARTITION_METADATA_FILE = ".hoodie_partition_metadata"


@frozen
class PartitionMetadata:
    """The instant that created a partition, and the number of folders between it and the table's root."""

    commit_time: str
    depth: int


def ensure_partition_metadata(storage: Storage, partition: str, instant: str) -> None:
    """Mark a partition (path "" for the table itself) unless it is marked already."""
    path = join(partition, PARTITION_METADATA_FILE)
    if storage.exists(path):
        return
    depth = partition.count("/") + 1 if partition else 0
    try:
        storage.create(
            path, dump_properties({"commitTime": instant, "partitionDepth": str(depth)}, ["partition metadata"])
        )
    except AlreadyExists:
        # another task was first; what it wrote serves as well
        return


def read_partition_metadata(storage: Storage, partition: str) -> PartitionMetadata:
    """Read the mark of a partition. Raises `Missing` where there is none, `CorruptTableError` where it is damaged."""
    path = join(partition, PARTITION_METADATA_FILE)
    try:
        entries = parse_properties(storage.read(path))
        return PartitionMetadata(entries["commitTime"], int(entries["partitionDepth"]))
    except (KeyError, ValueError) as error:
        raise CorruptTableError(f"'{path}' is no partition metadata: {error!r}", file=path) from error
