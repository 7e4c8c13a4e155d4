"""Entries of a delete block, which are decoded by columns if all ordering values have one type, else one at a time."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

import fastavro
import numpy as np
import numpy.typing as npt
import pyarrow as pa
from attrs import frozen

from hoodoo.format.avro.columns_by_polars import read_columns
from hoodoo.format.avro.container import container, long, record
from hoodoo.format.avro.flat_records import stored_type
from hoodoo.format.avro.logical_values import plain_type, to_arrow
from hoodoo.format.avro.nested_records import DECODE_ERRORS
from hoodoo.format.avro.numpy_arrays import int64s, integers
from hoodoo.format.log.delete_schema import ARRAY, DEFAULT, DELETES, UNION, WRAPPERS

__all__ = ["Entries", "Values", "read_entries"]

# Sentinel entry after the last one; it is decoded correctly only if the entries before it are.
_LAST_KEY = b"behind the last entry"
_DEFAULT = ("IntWrapper", DEFAULT)
_ZERO = {"boolean": b"\0", "float": bytes(4), "double": bytes(8)}
# two nulls and the branch of a third union
_SMALLEST_ENTRY = 3


@frozen
class Values:
    """Ordering values of one type.

    Attributes:
        rows: The positions of their entries.
        wrapper: The name of the type's wrapper, a key of `WRAPPERS`.
        values: One value for each of `rows`.
    """

    rows: npt.NDArray[np.int64]
    wrapper: str
    values: pa.Array


@frozen
class Entries:
    """Decoded content of a delete block.

    Attributes:
        keys: The record key of each entry.
        partitions: The partition path of each entry.
        ordering: For each ordering field, the values by type; entries without a value are in none of them.
    """

    keys: pa.Array
    partitions: pa.Array
    ordering: tuple[tuple[Values, ...], ...]


def read_entries(data: bytes, fields: int) -> Entries:
    """Decode the Avro bytes of a delete block.

    Args:
        data: One `HoodieDeleteRecordList`.
        fields: Number of ordering fields of the table. Values of another number of fields are ignored.

    Raises:
        ValueError: The bytes do not match the schema.
    """
    return _by_columns(data, fields) or _one_by_one(data, fields)


def _by_columns(data: bytes, fields: int) -> Entries | None:
    """Return the entries, or None if they cannot be decoded by columns.

    This decoder needs one Avro block, and single ordering values of one type.

    The union is encoded as a number and a value: two plain columns, if the number is the same in all entries. If it
    changes, later columns are decoded incorrectly, which the column of numbers shows.
    """
    count, start = _long_at(data, 0)
    if not 0 < count <= len(data) // _SMALLEST_ENTRY or data[-1:] != b"\0":
        return None
    branch = _first_branch(data, start)
    names = list(UNION)
    if branch is None or branch > len(names):
        return None
    schema: list[dict[str, Any]] = [
        {"name": "key", "type": ["null", "string"]},
        {"name": "partition", "type": ["null", "string"]},
        {"name": "branch", "type": "long"},
    ]
    last = b"\2" + long(len(_LAST_KEY)) + _LAST_KEY + b"\0" + long(branch)
    if branch:
        type_ = UNION[names[branch - 1]]
        schema.append({"name": "value", "type": stored_type(type_, "")})
        last += _ZERO.get(type_.kind, b"\0")
    columns = [column["name"] for column in schema]
    try:
        whole = container(record(schema), count + 1, (memoryview(data)[start:-1], last))
        keys, partitions, branches, *values = read_columns(whole, columns, count + 1)
    except ValueError:
        return None
    if keys[-1].as_py() != _LAST_KEY.decode() or (int64s(branches) != branch).any():
        return None
    ordering: tuple[Values, ...] = ()
    if values and fields == 1:
        found, rows = to_arrow(values[0][:-1], type_), np.arange(count)
        if names[branch - 1] == _DEFAULT[0]:
            rows = rows[int64s(found) != _DEFAULT[1]]
        ordering = (Values(rows, names[branch - 1], found.take(integers(rows))),)
    return _checked(keys[:-1].cast(pa.string()), partitions[:-1].cast(pa.string()), [ordering] * fields)


def _first_branch(data: bytes, at: int) -> int | None:
    """Return the union branch of the first ordering value, or None if its entry is invalid."""
    for _ in ("recordKey", "partitionPath"):
        there, at = _long_at(data, at)
        if there:
            length, at = _long_at(data, at)
            if not 0 <= length <= len(data) - at:
                return None
            at += length
    branch, _ = _long_at(data, at)
    return branch if branch >= 0 else None


def _long_at(data: bytes, at: int) -> tuple[int, int]:
    """Return a number and the offset after it; 0 and `at` if the bytes end within the number."""
    number = shift = 0
    for position in range(at, min(at + 10, len(data))):
        number |= (data[position] & 0x7F) << shift
        shift += 7
        if data[position] < 0x80:
            return (number >> 1) ^ -(number & 1), position + 1
    return 0, at


def _one_by_one(data: bytes, fields: int) -> Entries:
    stream = io.BytesIO(data)
    try:
        document: Any = fastavro.schemaless_reader(stream, _PARSED, return_record_name=True)
    except DECODE_ERRORS as error:
        raise ValueError("the bytes do not match the schema of deletes") from error
    if stream.tell() != len(data):
        raise ValueError(f"the last entry ends at byte {stream.tell()} of {len(data)}")
    entries = document["deleteRecordList"]
    groups: list[dict[str, tuple[list[int], list[Any]]]] = [{} for _ in range(fields)]
    for row, entry in enumerate(entries):
        values = _unwrap(entry["orderingVal"])
        if len(values) == fields:
            for group, (wrapper, value) in zip(groups, values, strict=True):
                rows, found = group.setdefault(wrapper, ([], []))
                rows.append(row)
                found.append(value)
    ordering = [
        tuple(
            Values(np.array(rows), wrapper, to_arrow(pa.array(found, plain_type(WRAPPERS[wrapper])), WRAPPERS[wrapper]))
            for wrapper, (rows, found) in group.items()
        )
        for group in groups
    ]
    keys = pa.array([entry["recordKey"] for entry in entries], pa.string())
    return _checked(keys, pa.array([entry["partitionPath"] for entry in entries], pa.string()), ordering)


def _unwrap(value: Any) -> list[tuple[str, Any]]:
    """Return wrapper name and value by field; [] without values, for a single `int` 0, or if one of several is null."""
    if value is None:
        return []
    name, content = value
    name = name.rpartition(".")[2]
    if name != ARRAY:
        pair = name, content["value"]
        return [] if pair == _DEFAULT else [pair]
    wrapped = content["wrappedValues"] or []
    return [] if None in wrapped else [(item.rpartition(".")[2], found["value"]) for item, found in wrapped]


def _checked(keys: pa.Array, partitions: pa.Array, ordering: Sequence[tuple[Values, ...]]) -> Entries:
    if keys.null_count:
        raise ValueError("an entry without a record key")
    return Entries(keys, partitions, tuple(ordering))


_PARSED = fastavro.parse_schema(DELETES)
