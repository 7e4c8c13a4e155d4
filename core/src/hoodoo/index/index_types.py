"""Types of indexes, with which a write finds the file groups of incoming keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal, TypeAlias

import msgspec
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from hoodoo.format.bloom import KeyHashes
from hoodoo.index.bloom_index import locate_pruned
from hoodoo.index.bucket_index import bucket_ids, bucket_of
from hoodoo.index.kept_keys import KeptKeys
from hoodoo.index.key_source import META_KEYS, KeySource
from hoodoo.index.simple_index import locate, stored_keys
from hoodoo.metadata_table.record_shards import FoundKeys, PartitionedShards, RecordShards
from hoodoo.properties import property_keys as keys
from hoodoo.storage import Storage

__all__ = [
    "AnyIndex",
    "BloomIndex",
    "BucketIndex",
    "GlobalBloomIndex",
    "GlobalIndex",
    "GlobalSimpleIndex",
    "Index",
    "PartitionedRecordIndex",
    "RecordIndex",
    "SimpleIndex",
    "index_type",
]


class Index(msgspec.Struct, frozen=True, tag_field="type"):
    """One index of a table, as a write uses it.

    Attributes:
        is_global: Whether a key is unique in the whole table rather than in its partition.
        uses_bloom: Whether the bloom filters in footers of base files are read before the keys.
        uses_buckets: Whether a hash of a record key determines the number of the key's file group.
        new_keys: The scope in which two concurrent writes that insert keys may insert the same key: a partition, the
            whole table, or None if the index cannot miss a key.
    """

    is_global: ClassVar[bool] = False
    uses_bloom: ClassVar[bool] = False
    uses_buckets: ClassVar[bool] = False
    new_keys: ClassVar[Literal["partition", "table"] | None] = "partition"

    @property
    def name(self) -> str:
        """Return the value of the option `index`."""
        return str(self.__struct_config__.tag)

    def properties(self) -> dict[str, str]:
        """Return the entries of `hoodie.properties` by which a new table stores its index."""
        return {keys.INDEX: self.name}

    @property
    def moves_rows(self) -> bool:
        """Return whether a stored row moves to the partition of the incoming row that it is merged with."""
        return False

    @property
    def has_locations(self) -> bool:
        """Return whether the index has the locations of all keys, so that no base file is searched."""
        return False

    def locate(
        self,
        storage: Storage,
        path: str,
        incoming: KeyHashes,
        source: KeySource = META_KEYS,
        kept: KeptKeys | None = None,
    ) -> NDArray[np.int64]:
        """Return the positions of the incoming keys that a base file contains, each once, in ascending order.

        Args:
            storage: The table's files.
            path: Table-relative path of the base file.
            incoming: The incoming record keys.
            source: The source of the keys of stored rows.
            kept: Cache for the keys of the file, if all of them are read; None to keep none.

        Raises:
            CorruptTableError: The file is damaged or missing.
            UnsupportedTable: The file cannot be read.
        """
        return locate(stored_keys(storage, path, source), incoming.keys, kept, path)

    def find(self, storage: Storage, record_keys: pa.Array, groups: Mapping[tuple[str, str], int]) -> FoundKeys | None:
        """Return the file groups of n record keys, by an index of all keys; None if base files must be searched.

        Args:
            storage: The table's files.
            record_keys: The incoming record keys.
            groups: Numbers of all file groups of the table, by partition path and file id.

        Raises:
            CorruptTableError: The index is damaged, or has a file group that the table lacks.
        """
        return None

    def find_in(
        self, storage: Storage, partition: str, record_keys: pa.Array, groups: Mapping[str, int]
    ) -> FoundKeys | None:
        """Return the file groups of n record keys in a partition, by an index of all its keys.

        Args:
            storage: The table's files.
            partition: The partition path.
            record_keys: The incoming record keys of the partition.
            groups: Numbers of all file groups of the partition, by file id.

        Returns:
            The found keys; None if base files must be searched.

        Raises:
            CorruptTableError: The index is damaged, or has a file group that the table lacks.
        """
        return None

    def most_tasks(self, count: int) -> int:
        """Return how many of `count` look-up tasks can receive keys."""
        return count

    def slot_of(self, file_id: str, ordinal: int) -> int:
        """Return the slot of a stored file group: its number within the partition.

        Args:
            file_id: The file group.
            ordinal: The position of the file group in its partition, in the order of file ids.
        """
        return ordinal


class SimpleIndex(Index, frozen=True, tag="simple"):
    """Index that reads the keys of all base files in the partitions of incoming rows."""


class BloomIndex(Index, frozen=True, tag="bloom"):
    """Index that reads the keys of those base files whose bloom filters do not exclude the incoming keys."""

    uses_bloom: ClassVar[bool] = True

    def locate(
        self,
        storage: Storage,
        path: str,
        incoming: KeyHashes,
        source: KeySource = META_KEYS,
        kept: KeptKeys | None = None,
    ) -> NDArray[np.int64]:
        """Return the positions of the incoming keys that a base file contains, see `Index.locate`."""
        return locate_pruned(storage, path, incoming, source, kept)


class BucketIndex(Index, frozen=True, tag="bucket"):
    """Index that hashes record keys and reads no files.

    Attributes:
        buckets: Number of buckets per partition.
        columns: The record key columns that are hashed; empty for all of them.
    """

    uses_buckets: ClassVar[bool] = True
    new_keys: ClassVar[Literal["partition", "table"] | None] = None

    buckets: int
    columns: tuple[str, ...] = ()

    def slot_of(self, file_id: str, ordinal: int) -> int:
        """Return the bucket of a stored file group, see `Index.slot_of`; errors as in `bucket_of`."""
        return bucket_of(file_id)

    def properties(self) -> dict[str, str]:
        """Return the entries of a new table; see `Index.properties`."""
        return {keys.INDEX: self.name, keys.BUCKETS: str(self.buckets)}

    def slots(self, record_keys: pa.Array, key_columns: Sequence[str]) -> NDArray[np.int32]:
        """Return the bucket of each of n record keys, which are made of `key_columns`; errors as in `bucket_ids`."""
        return bucket_ids(record_keys, self.buckets, self.columns, key_columns)


class GlobalIndex(Index, frozen=True):
    """Index of keys that are unique in the whole table.

    Attributes:
        moves_rows: Whether a stored row moves to the partition of the incoming row that it is merged with.
    """

    is_global: ClassVar[bool] = True
    new_keys: ClassVar[Literal["partition", "table"] | None] = "table"

    moves_rows: bool = True

    def tasks(self, record_keys: pa.Array, count: int) -> NDArray[np.int64]:
        """Return, for each of n record keys, the number of the task that looks it up, from 0 to `count` - 1.

        Raises:
            DataError: A record key is null or not valid UTF-8.
        """
        return bucket_ids(record_keys, count).astype(np.int64)


class GlobalSimpleIndex(GlobalIndex, frozen=True, tag="global-simple"):
    """Index that reads the keys of all base files of the table."""


class GlobalBloomIndex(GlobalIndex, BloomIndex, frozen=True, tag="global-bloom"):
    """Index that reads the keys of all base files whose bloom filters do not exclude the incoming keys."""


class RecordIndex(GlobalIndex, frozen=True, tag="record"):
    """Index that reads the locations of keys from the record index of the metadata table.

    Attributes:
        shards: The shards of the record index; None if the table has no record index, or a partitioned one, so that
            base files are searched.
    """

    shards: RecordShards | None = None

    @property
    def has_locations(self) -> bool:
        """Return whether the table has a record index that is not partitioned."""
        return self.shards is not None

    def tasks(self, record_keys: pa.Array, count: int) -> NDArray[np.int64]:
        """Return the task of each key, see `GlobalIndex.tasks`; all keys of a shard have the same task."""
        if self.shards is None:
            return super().tasks(record_keys, count)
        return self.shards.numbers(record_keys) % count

    def find(self, storage: Storage, record_keys: pa.Array, groups: Mapping[tuple[str, str], int]) -> FoundKeys | None:
        """Return the file groups of record keys, see `Index.find`."""
        return None if self.shards is None else self.shards.find(storage, record_keys, groups)

    def most_tasks(self, count: int) -> int:
        """Return how many of `count` look-up tasks can receive keys, see `Index.most_tasks`."""
        return count if self.shards is None else min(count, len(self.shards.shards))


class PartitionedRecordIndex(Index, frozen=True, tag="partitioned-record"):
    """Index that reads the locations of the keys of a partition from the partitioned record index.

    Attributes:
        shards: The shards of the record index; None if the table has no record index, or one that is not partitioned,
            so that base files are searched.
    """

    shards: PartitionedShards | None = None

    @property
    def has_locations(self) -> bool:
        """Return whether the table has a partitioned record index."""
        return self.shards is not None

    def find_in(
        self, storage: Storage, partition: str, record_keys: pa.Array, groups: Mapping[str, int]
    ) -> FoundKeys | None:
        """Return the file groups of record keys in a partition, see `Index.find_in`."""
        return None if self.shards is None else self.shards.find(storage, partition, record_keys, groups)


AnyIndex: TypeAlias = (
    SimpleIndex | BloomIndex | BucketIndex | GlobalSimpleIndex | GlobalBloomIndex | RecordIndex | PartitionedRecordIndex
)
"""Union of all index types, for decoding."""

_TYPES: dict[str, type[AnyIndex]] = {
    "simple": SimpleIndex,
    "bloom": BloomIndex,
    "bucket": BucketIndex,
    "global-simple": GlobalSimpleIndex,
    "global-bloom": GlobalBloomIndex,
    "record": RecordIndex,
    "partitioned-record": PartitionedRecordIndex,
}


def index_type(name: str | None) -> type[AnyIndex]:
    """Return the type of an index by the value of the option `index`, or of the property `hoodoo.index`.

    Without a stored index, or with one of a later release, the type is the simple index, which finds the same file
    groups as any other index that reads keys and is not global.
    """
    return _TYPES.get(name or "", SimpleIndex)
