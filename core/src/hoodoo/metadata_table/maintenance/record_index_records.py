"""Records of the partition `record_index`: the file group of each record key."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

import fastavro
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from attrs import frozen

from hoodoo.errors import UnsupportedTable
from hoodoo.format.avro.numpy_arrays import integers
from hoodoo.metadata_table.maintenance.changed_files.changed_keys import Group, KeyChange, key_changes
from hoodoo.metadata_table.maintenance.record_schema import record_schema
from hoodoo.metadata_table.maintenance.table_change import RecordChange, TableChange
from hoodoo.metadata_table.metadata_table import MetadataTable
from hoodoo.properties import TableProperties
from hoodoo.timeline import Timeline
from hoodoo.timeline.instant_time import instant_datetime

__all__ = [
    "KeysOfGroup",
    "location_datum",
    "location_records",
    "records",
    "records_by_partition",
]

_KIND = 5
_MEMBER = "recordIndexMetadata"
_NONE = -1
_TEXT = 1
_FILE_ID = re.compile(r"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:-(0|[1-9][0-9]{0,8}))?")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_SECONDS_DIGITS = 14


@frozen
class KeysOfGroup:
    """Record keys of the rows of a file group.

    Attributes:
        group: Partition path and file id.
        instant: The instant of its file slice.
        keys: The keys (`large_binary`).
    """

    group: Group
    instant: str
    keys: pa.Array


def records(metadata_table: MetadataTable, change: TableChange) -> RecordChange:
    """Return the locations of the keys that a change adds, and the keys that it removes.

    A key that moves to another file group is added. Keys that are known to stay in their file group have no record, as
    in Hudi.

    Args:
        metadata_table: The metadata table, without the change.
        change: The files that an instant adds to the table and removes from it.

    Raises:
        CorruptTableError: A file is missing or damaged, or the metadata table has no schema.
        UnsupportedTable: The rows have no meta columns with their keys, or a file or a log block cannot be read.
    """
    _check_keys(metadata_table.table)
    found = key_changes(metadata_table, change)
    return _encoded(found, record_schema(metadata_table), _milliseconds(change.instant, metadata_table.timeline))


def records_by_partition(metadata_table: MetadataTable, change: TableChange) -> Mapping[str, RecordChange]:
    """Return the records of each partition path, for a partitioned index; arguments and errors as for `records`.

    In a partitioned index, several partitions may have the same key.
    """
    _check_keys(metadata_table.table)
    schema = record_schema(metadata_table)
    milliseconds = _milliseconds(change.instant, metadata_table.timeline)
    by_partition: dict[str, list[KeyChange]] = {}
    for found in key_changes(metadata_table, change):
        by_partition.setdefault(found.group[0], []).append(found)
    return {partition: _encoded(found, schema, milliseconds) for partition, found in by_partition.items()}


def location_records(found: Sequence[KeysOfGroup], schema: str, timeline: Timeline) -> RecordChange:
    """Return the locations of the keys of file groups; for a repeated key, the last one.

    Args:
        found: The keys of the file groups.
        schema: The Avro schema of the records.
        timeline: The timeline of the table.
    """
    data = [location_datum(schema, part.group, _milliseconds(part.instant, timeline)) for part in found]
    empty = pa.array([], pa.large_binary())
    places = np.repeat(np.arange(len(found)), [len(part.keys) for part in found])
    values = pa.array(data, pa.large_binary()).take(integers(places))
    return _unique(pa.concat_arrays([empty, *(part.keys for part in found)]), values, empty)


def _check_keys(table: TableProperties) -> None:
    if not table.populate_meta_fields:
        raise UnsupportedTable(
            f"table '{table.name}' has a record index, and its rows have no meta columns with their keys; drop the "
            "index with 'hoodoo table index drop'",
            code="metadata_table",
        )


def location_datum(schema: str, group: Group, milliseconds: int) -> bytes:
    """Return the Avro datum of the keys that one commit adds to a file group; they share it because it has no key.

    Args:
        schema: The Avro schema of the records.
        group: Partition path and file id.
        milliseconds: The instant, as milliseconds since 1970 in UTC.
    """
    partition, file_id = group
    content: dict[str, Any] = {
        "partitionName": partition,
        "fileIdHighBits": _NONE,
        "fileIdLowBits": _NONE,
        "fileIndex": _NONE,
        "fileId": file_id,
        "instantTime": milliseconds,
        "fileIdEncoding": _TEXT,
        "position": None,
    }
    match = _FILE_ID.fullmatch(file_id)
    if match is not None:
        digits = bytes.fromhex(match[1].replace("-", ""))
        content |= {
            "fileIdHighBits": int.from_bytes(digits[:8], "big", signed=True),
            "fileIdLowBits": int.from_bytes(digits[8:], "big", signed=True),
            "fileIndex": _NONE if match[2] is None else int(match[2]),
            "fileId": "",
            "fileIdEncoding": 0,
        }
    stream = io.BytesIO()
    fastavro.schemaless_writer(stream, _parsed(schema), {"key": "", "type": _KIND, _MEMBER: content})
    return stream.getvalue()


@cache
def _parsed(schema: str) -> Any:
    return fastavro.parse_schema(json.loads(schema))


def _milliseconds(instant: str, timeline: Timeline) -> int:
    # like Hudi, take the last millisecond of the second for an instant without milliseconds
    whole = f"{instant}999" if len(instant) == _SECONDS_DIGITS else instant
    return (instant_datetime(whole, timeline.zone) - _EPOCH) // timedelta(milliseconds=1)


def _encoded(found: Sequence[KeyChange], schema: str, milliseconds: int) -> RecordChange:
    """Return the records for the key changes of file groups."""
    data = pa.array([location_datum(schema, part.group, milliseconds) for part in found], pa.large_binary())
    places = np.repeat(np.arange(len(found)), [len(part.added) for part in found])
    empty = pa.array([], pa.large_binary())
    return _unique(
        pa.concat_arrays([empty, *(part.added for part in found)]),
        data.take(integers(places)),
        pa.concat_arrays([empty, *(part.removed for part in found)]),
    )


def _unique(keys: pa.Array, values: pa.Array, deleted: pa.Array) -> RecordChange:
    """Return a change with the last value of each key, without deletions of added keys."""
    codes = keys.dictionary_encode()
    if len(codes.dictionary) < len(keys):
        last = np.zeros(len(codes.dictionary), np.int64)
        last[codes.indices.to_numpy(zero_copy_only=False)] = np.arange(len(keys))
        keys, values = keys.take(integers(last)), values.take(integers(last))
    if len(deleted):
        deleted = pc.unique(deleted.filter(pc.invert(pc.is_in(deleted, value_set=keys))))
    return RecordChange(keys, values, deleted)
