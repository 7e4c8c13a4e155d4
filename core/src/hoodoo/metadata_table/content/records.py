"""Decoding of records of the metadata table, and Hudi's rules for merging their versions."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import fastavro

from hoodoo.errors import CorruptTableError
from hoodoo.format.avro.nested_records import DECODE_ERRORS
from hoodoo.metadata_table.layers import Layer

__all__ = ["BLOOM", "FILES", "STATS", "Record", "file_entries", "merged_files", "merged_records", "records"]

FILES, BLOOM, STATS = "filesystemMetadata", "BloomFilterMetadata", "ColumnStatsMetadata"
"""Fields of a record that contain its content."""

Record = Mapping[str, Any]


def records(layer: Layer, member: str) -> Iterator[tuple[str, Record | None]]:
    """Yield the key of each version of a layer, and one field of its record; None for a delete.

    Raises:
        CorruptTableError: A value does not match the schema, or lacks the field.
    """
    keys, values = layer.cells.keys.to_pylist(), layer.cells.values.to_pylist()
    if layer.schema is None:
        yield from ((key.decode(), None) for key in keys)
        return
    try:
        schema = _parsed(layer.schema)
        for key, value in zip(keys, values, strict=True):
            stream = io.BytesIO(value)
            record: Any = fastavro.schemaless_reader(
                stream, schema, None, return_record_name=True, return_record_name_override=True
            )
            if stream.tell() != len(value):
                raise ValueError("bytes follow the record")
            content = record.get(member)
            if content is None:
                raise ValueError(f"it has no {member}")
            yield key.decode(), content
    except (ValueError, *DECODE_ERRORS) as error:
        raise CorruptTableError(
            f"{layer.what} has a record of the metadata table that cannot be decoded: "
            f"{str(error) or 'its bytes do not match its schema'}; restore the file, or remove the metadata table and "
            "create it again",
            file=layer.file,
        ) from error


@cache
def _parsed(schema: str) -> Any:
    return fastavro.parse_schema(json.loads(schema))


def merged_records(
    layers: Sequence[Layer], member: str, merge: Callable[[Record, Record], Record]
) -> dict[str, Record]:
    """Return the record of each key after merging its versions; deleted keys are left out.

    Args:
        layers: Layers, oldest first.
        member: The field of the record to return.
        merge: Function that merges an older and a newer version.

    Raises:
        CorruptTableError: As in `records`.
    """
    found: dict[str, Record] = {}
    for layer in layers:
        for key, record in records(layer, member):
            if record is None:
                found.pop(key, None)
            else:
                found[key] = merge(found[key], record) if key in found else record
    return found


def merged_files(older: Record, newer: Record) -> Record:
    """Return the files of a partition, or the partitions of a table, after merging two versions.

    A deletion removes the file. A deletion of a file that `older` lacks remains, because it applies to a version before
    `older`. The size of a file never decreases.
    """
    found = dict(older)
    for name, entry in newer.items():
        before = found.get(name)
        if before is None or before["isDeleted"]:
            # also after a deletion: like Hudi, keep the newer entry with the larger size, which is that of the file
            found[name] = entry
        elif entry["isDeleted"]:
            del found[name]
        else:
            found[name] = {"size": max(entry["size"], before["size"]), "isDeleted": False}
    return found


def file_entries(record: Record) -> dict[str, int]:
    """Return the size in bytes of each file of a record, without deletions."""
    return {name: entry["size"] for name, entry in record.items() if not entry["isDeleted"]}
