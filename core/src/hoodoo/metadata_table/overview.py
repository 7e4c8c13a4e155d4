"""Overview of a metadata table: the state, size and latest instant of each partition."""

from __future__ import annotations

from attrs import frozen

from hoodoo.metadata_table.metadata_table import MetadataTable
from hoodoo.metadata_table.missing_commits import missing_commits
from hoodoo.properties import METADATA_TABLE_FOLDER
from hoodoo.storage import HOODIE_FOLDER, parent_of

__all__ = ["PartitionState", "partition_states"]


@frozen
class PartitionState:
    """State of a partition of the metadata table.

    Attributes:
        partition: The name of the partition.
        state: `used` if readers use it, `building` while it is built, `unused` otherwise.
        file_groups: Number of file groups.
        files: Number of files in the current file slices.
        bytes: Size of these files in bytes.
        latest: Instant of the latest visible commit in the partition; None without one.
        lacking: Number of commits of the table that the metadata table lacks, equal for all partitions.
    """

    partition: str
    state: str
    file_groups: int
    files: int
    bytes: int
    latest: str | None
    lacking: int


def partition_states(metadata: MetadataTable) -> list[PartitionState]:
    """Return the states of the partitions that are stored or named in the properties of the table, sorted by name.

    Raises:
        CorruptTableError: A commit of the metadata table is damaged.
    """
    folders = (parent_of(info.path) for info in metadata.storage.walk(METADATA_TABLE_FOLDER))
    stored = {folder.removeprefix(f"{METADATA_TABLE_FOLDER}/") for folder in folders if folder != METADATA_TABLE_FOLDER}
    stored = {name for name in stored if not name.startswith(HOODIE_FOLDER)}
    lacking = len(missing_commits(metadata.timeline, metadata.metadata))
    return [_state(metadata, name, lacking) for name in sorted({*stored, *metadata.partitions, *metadata.inflight})]


def _state(metadata: MetadataTable, partition: str, lacking: int) -> PartitionState:
    shards = metadata.shards(partition)
    instants = [shard.base_instant for shard in shards if shard.base is not None] + [
        commit.time
        for commit in metadata.metadata.commits
        if metadata.visible.has(commit.time)
        and any(f.partition_path == partition for f in metadata.metadata.commit_outline(commit).written())
    ]
    state = "unused"
    if partition in metadata.inflight:
        state = "building"
    elif partition in metadata.partitions:
        state = "used"
    return PartitionState(
        partition,
        state,
        len(shards),
        sum((shard.base is not None) + len(shard.logs) for shard in shards),
        sum(shard.size for shard in shards),
        max(instants, default=None),
        lacking,
    )
