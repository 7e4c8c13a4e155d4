"""`.hoodie_partition_metadata`: the file that marks a folder as a partition and records its depth."""

from __future__ import annotations

from attrs import frozen

from hoodoo.errors import CorruptTableError
from hoodoo.properties import dump_properties, parse_properties
from hoodoo.storage import AlreadyExists, Storage, join

__all__ = ["PARTITION_METADATA_FILE", "PartitionMetadata", "ensure_partition_metadata", "read_partition_metadata"]

PARTITION_METADATA_FILE = ".hoodie_partition_metadata"


@frozen
class PartitionMetadata:
    """Instant that created a partition, and the depth of its folder below the table's root; 0 for the root itself."""

    commit_time: str
    depth: int


def ensure_partition_metadata(storage: Storage, partition: str, instant: str) -> None:
    """Create the metadata file of a partition that `instant` created ("" for the table's root), unless it exists."""
    path = join(partition, PARTITION_METADATA_FILE)
    if storage.exists(path):
        return
    depth = partition.count("/") + 1 if partition else 0
    try:
        storage.create(
            path, dump_properties({"commitTime": instant, "partitionDepth": str(depth)}, ["partition metadata"])
        )
    except AlreadyExists:
        # another task created the file; its content is equally valid
        return


def read_partition_metadata(storage: Storage, partition: str) -> PartitionMetadata:
    """Read the metadata file of a partition.

    Raises:
        Missing: The file does not exist.
        CorruptTableError: The file is corrupt.
    """
    path = join(partition, PARTITION_METADATA_FILE)
    try:
        entries = parse_properties(storage.read(path))
        return PartitionMetadata(entries["commitTime"], int(entries["partitionDepth"]))
    except KeyError as error:
        raise CorruptTableError(f"'{path}' lacks the property {error}; restore the file", file=path) from error
    except ValueError as error:
        raise CorruptTableError(
            f"'{path}' has a damaged escape, or a partitionDepth that is not a whole number; restore the file",
            file=path,
        ) from error
