"""Choice of the index of a write, by the properties of its table."""

from __future__ import annotations

import re
from collections.abc import Mapping

from hoodoo.errors import CorruptTableError, OptionError, UnsupportedTable
from hoodoo.filegroup import FileSlice
from hoodoo.index.bucket_index import bucket_of
from hoodoo.index.index_types import AnyIndex, BucketIndex, GlobalIndex, index_type
from hoodoo.options import IndexOptions
from hoodoo.properties import TableProperties
from hoodoo.properties import property_keys as keys
from hoodoo.properties.table_properties import PROPERTIES_FILE
from hoodoo.record import KeyConfig
from hoodoo.storage import HOODIE_FOLDER, Storage
from hoodoo.timeline import Timeline

__all__ = ["check_hashing", "resolve_index"]

HASHING_METADATA = f"{HOODIE_FOLDER}/.bucket_index/consistent_hashing_metadata"

DEFAULT_BUCKETS = 4
_LOW_BUCKET = re.compile(r"000\d{5}-")


def resolve_index(
    properties: Mapping[str, str], slices: list[FileSlice], config: KeyConfig, options: IndexOptions
) -> AnyIndex:
    """Return the index of a write.

    Args:
        properties: The properties of the table, completed by those of the options.
        slices: The stored file slices.
        config: The configuration of the key generator, with the record key columns.
        options: The options of the index, for settings that a table does not store.

    Raises:
        OptionError: The index does not fit the stored file groups, or another option.
        CorruptTableError: The stored number of buckets is not a positive number.
    """
    chosen = index_type(properties.get(keys.INDEX))
    if issubclass(chosen, BucketIndex):
        return _bucket_index(properties, slices, config)
    _check_without_buckets(properties, slices, properties.get(keys.INDEX, "simple"))
    if issubclass(chosen, GlobalIndex):
        return chosen(moves_rows=options.update_partition is not False)
    return chosen()


def check_hashing(
    storage: Storage, stored: TableProperties, timeline: Timeline, slices: list[FileSlice], operation: str
) -> None:
    """Raise if file groups follow Hudi's consistent hashing and the operation might add keys to other file groups.

    A later write by Hudi looks a key up only in the file group of its hash, and would store the key again.

    Args:
        storage: The table's files.
        stored: The properties of the table.
        timeline: The timeline of the table, which shows whether file groups were clustered.
        slices: The stored file slices.
        operation: The name of the operation; `delete` passes, because it adds no keys.

    Raises:
        UnsupportedTable: The table has hashing metadata (code `consistent_hashing`).
    """
    if operation == "delete" or stored.table_type != "MERGE_ON_READ" or keys.INDEX in stored:
        return
    # the first file ids are UUIDs of version 3, and clustering replaces them; the store is not listed for other tables
    named = any(file_slice.file_id[14:15] == "3" for file_slice in slices)
    replaced = any(instant.action in ("replacecommit", "clustering") for instant in timeline.instants)
    if not (named or replaced) or next(iter(storage.walk(HASHING_METADATA)), None) is None:
        return
    raise UnsupportedTable(
        f"'{storage.uri}' has file groups by consistent hashing ('{HASHING_METADATA}'), which hoodoo does not follow: "
        f"operation '{operation}' could add keys to other file groups, and the next write by Hudi would store them "
        "twice; write with Hudi, delete by key, or copy the rows to a new table with 'index' = 'bucket'",
        code="consistent_hashing",
    )


def _bucket_index(properties: Mapping[str, str], slices: list[FileSlice], config: KeyConfig) -> BucketIndex:
    buckets = _number_of_buckets(properties)
    for file_slice in slices:
        if not file_slice.file_id[:8].isdigit() or bucket_of(file_slice.file_id) >= buckets:
            raise OptionError(
                f"a bucket index of {buckets} bucket{'' if buckets == 1 else 's'} does not fit the table: file group "
                f"'{file_slice.file_id}' in partition '{file_slice.partition}' is not one of its buckets; give the "
                "number of buckets that the table has, or another index if the ids of its file groups do not begin "
                "with the number of a bucket",
                code="contradiction",
            )
    columns = tuple(name for name in properties.get(keys.BUCKET_BY, "").split(",") if name)
    unknown = [name for name in columns if name not in config.record_key]
    if unknown:
        raise OptionError(
            f"'bucket_by' names {', '.join(unknown)}, which the record key does not contain; name only columns of the "
            "record key"
        )
    return BucketIndex(buckets, columns)


def _number_of_buckets(properties: Mapping[str, str]) -> int:
    text = str(properties.get(keys.BUCKETS, DEFAULT_BUCKETS)).strip()
    if not (text.isascii() and text.isdigit() and int(text)):
        raise CorruptTableError(
            f"'{PROPERTIES_FILE}': '{keys.BUCKETS}' is '{text}', which is not a number of buckets; restore the file",
            file=PROPERTIES_FILE,
        )
    return int(text)


def _check_without_buckets(properties: Mapping[str, str], slices: list[FileSlice], name: str) -> None:
    """Raise if buckets are configured, or the stored file groups are buckets, although the index has no buckets."""
    for option, key in (("buckets", keys.BUCKETS), ("bucket_by", keys.BUCKET_BY)):
        if key in properties:
            raise OptionError(
                f"'{option}' is given and the index is {name}; give 'index' = 'bucket', or leave the option out"
            )
    if slices and all(_LOW_BUCKET.match(s.file_id) for s in slices):
        raise OptionError(
            "the table's file groups are numbered buckets, and the table does not store the number of buckets; "
            "give 'index' = 'bucket' and 'buckets'"
        )
