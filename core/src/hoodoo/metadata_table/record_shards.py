"""Shards of the record index as of a timeline, for the look-up of incoming keys in tasks."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from attrs import frozen
from msgspec import Struct
from numpy.typing import NDArray

from hoodoo.errors import CorruptTableError
from hoodoo.format.avro.numpy_arrays import int64s, integers, validity
from hoodoo.metadata_table.content.record_locations import LOCATIONS, record_locations
from hoodoo.metadata_table.instants import KnownInstants
from hoodoo.metadata_table.layers import Selection, latest, layers
from hoodoo.metadata_table.metadata_table import MetadataTable
from hoodoo.metadata_table.partition_kind import PartitionKind
from hoodoo.metadata_table.record_groups import group_of, is_partitioned
from hoodoo.metadata_table.shards import Shard, shard_of_keys
from hoodoo.properties import METADATA_TABLE_FOLDER
from hoodoo.schema.columns import one_array
from hoodoo.storage import Storage

__all__ = ["FoundKeys", "PartitionedShards", "RecordShards"]

Ints = NDArray[np.int64]


@frozen(eq=False)
class FoundKeys:
    """Keys that the record index has, among n keys.

    Attributes:
        positions: The positions of the found keys, each once, in order.
        groups: For each of them, the number of its file group.
    """

    positions: Ints
    groups: Ints


class RecordShards(Struct, frozen=True):
    """Shards of a record index that is not partitioned, or of one group, as values that can be sent to tasks as text.

    Attributes:
        shards: All shards, in the order of their numbers.
        instants: The instants whose changes are visible.
    """

    shards: tuple[Shard, ...]
    instants: KnownInstants

    @classmethod
    def of(cls, metadata: MetadataTable) -> RecordShards | None:
        """Return the shards as of the timeline of a metadata table; None if the index is partitioned.

        Raises:
            CorruptTableError: A shard is missing.
        """
        found = metadata.complete_shards(PartitionKind.RECORD_INDEX)
        if is_partitioned(found, metadata.storage, metadata.table):
            return None
        return cls(tuple(found), metadata.visible.known)

    def numbers(self, keys: pa.Array) -> Ints:
        """Return the number of the shard of each of n keys."""
        return shard_of_keys(keys.cast(pa.large_string()), len(self.shards))

    def find(self, storage: Storage, keys: pa.Array, groups: Mapping[tuple[str, str], int]) -> FoundKeys:
        """Return the file groups of the keys that the index has. Only the shards of the keys are read, each once.

        Args:
            storage: The table's files.
            keys: Record keys; one that occurs twice is found twice.
            groups: Numbers of all file groups of the table, by partition path and file id.

        Raises:
            CorruptTableError: A file of the index is missing or damaged, or a key is in a file group that the table
                does not have.
        """
        numbers = self.numbers(keys)
        positions, found = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
        for number in np.unique(numbers).tolist():
            mine = np.flatnonzero(numbers == number)
            wanted = keys.take(integers(mine))
            located = self._locations(storage, number, wanted)
            row = pc.index_in(wanted, value_set=one_array(located.column("key")))
            positions.append(mine[validity(row)])
            found.append(_group_numbers(located, groups)[int64s(row.drop_null())])
        every = np.concatenate(positions)
        order = np.argsort(every)
        return FoundKeys(every[order], np.concatenate(found)[order])

    def _locations(self, storage: Storage, number: int, keys: pa.Array) -> pa.Table:
        wanted = pc.unique(keys.cast(pa.large_binary()))
        read = layers(storage, self.shards[number], self.instants, Selection(keys=wanted))
        located = record_locations(latest(read))
        # layers of deletes have all keys, and the latest versions contain no deletes
        return located.combine_chunks() if located.num_rows else LOCATIONS.empty_table()


class PartitionedShards(Struct, frozen=True):
    """Shards of a partitioned record index, as values that tasks receive as text.

    Attributes:
        groups: The shards of each group, in the order of their numbers.
        instants: The instants whose changes are visible.
    """

    groups: dict[str, tuple[Shard, ...]]
    instants: KnownInstants

    @classmethod
    def of(cls, metadata: MetadataTable) -> PartitionedShards | None:
        """Return the shards as of the timeline of a metadata table; None if the index is not partitioned.

        In a table without partitions, both kinds of record index have the same shards, and the result is never None.

        Raises:
            CorruptTableError: A shard is missing.
        """
        found = metadata.complete_shards(PartitionKind.RECORD_INDEX)
        if metadata.table.partition_by and not is_partitioned(found, metadata.storage, metadata.table):
            return None
        groups: dict[str, list[Shard]] = {}
        for shard in found:
            groups.setdefault(shard.group, []).append(shard)
        return cls({group: tuple(members) for group, members in groups.items()}, metadata.visible.known)

    def find(self, storage: Storage, partition: str, keys: pa.Array, groups: Mapping[str, int]) -> FoundKeys:
        """Return the file groups of keys in a partition; a key that only other partitions have is not found.

        Args:
            storage: The table's files.
            partition: The partition path.
            keys: Record keys; one that occurs twice is found twice.
            groups: Numbers of all file groups of the partition, by file id.

        Raises:
            CorruptTableError: As in `RecordShards.find`.
        """
        shards = self.groups.get(group_of(partition))
        if shards is None:
            return FoundKeys(np.empty(0, np.int64), np.empty(0, np.int64))
        numbers = {(partition, file_id): number for file_id, number in groups.items()}
        return RecordShards(shards, self.instants).find(storage, keys, numbers)


def _group_numbers(located: pa.Table, groups: Mapping[tuple[str, str], int]) -> Ints:
    """Return the number of the file group of each location."""
    partition, file_id = (one_array(located.column(name)).dictionary_encode() for name in ("partition", "file_id"))
    names = partition.dictionary.to_pylist(), file_id.dictionary.to_pylist()
    width = max(len(names[1]), 1)
    pairs, inverse = np.unique(int64s(partition.indices) * width + int64s(file_id.indices), return_inverse=True)
    numbers = np.empty(len(pairs), np.int64)
    for place, pair in enumerate(pairs.tolist()):
        group = names[0][pair // width], names[1][pair % width]
        if group not in groups:
            key = located.column("key")[int(np.flatnonzero(inverse == place)[0])].as_py()
            raise CorruptTableError(
                f"the record index names file group '{group[1]}' in partition '{group[0]}' for key '{key}', and the "
                "table has no such file group; drop the index and create it again with 'hoodoo table index', or write "
                "with 'index' = 'global-simple', or 'simple' if the record index is partitioned",
                file=f"{METADATA_TABLE_FOLDER}/{PartitionKind.RECORD_INDEX}",
            )
        numbers[place] = groups[group]
    found: Ints = numbers[inverse.reshape(-1)]
    return found
