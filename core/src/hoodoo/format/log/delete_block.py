"""Keys of a delete block, with their ordering values in the types of the table's columns."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hoodoo.errors import UnsupportedTable
from hoodoo.format.avro.numpy_arrays import booleans, integers
from hoodoo.format.log.block import BlockType, LogBlock
from hoodoo.format.log.block_content import read_content, translate_content_errors
from hoodoo.format.log.delete_entries import Values, read_entries
from hoodoo.storage import Storage

__all__ = ["CONTENT_VERSION", "decode_deletes"]

CONTENT_VERSION = 3
_HEAD = struct.Struct(">II")


def decode_deletes(storage: Storage, block: LogBlock, ordering_types: Sequence[pa.DataType]) -> pa.Table:
    """Return the entries of a delete block, in their order.

    Args:
        storage: The table's files.
        block: A block of type `DELETE`.
        ordering_types: The types of the table's ordering fields; may be empty.

    Returns:
        A table with `record_key` and `partition_path` (string), `ordering_0`, `ordering_1`, ... of the given types, and
        `unordered` (boolean). If `unordered` is true, the entry has no comparable ordering value, its ordering values
        are null, and the delete is unconditional. This is the case in a table without ordering fields, for null, for
        the integer 0 as the only value (Hudi's "no value", unless it is written as another type), for another number of
        fields, and for a value whose type or range the field does not permit, because Hudi compares values of one type
        only.

    Raises:
        CorruptTableError: The file is missing, or the block is corrupt.
        UnsupportedTable: The block is not a delete block, was written in Kryo by Hudi before 0.14, or has an unknown
            version.
    """
    if block.type is not BlockType.DELETE:
        raise UnsupportedTable(f"{block} is of type {block.type.name} and contains no deletes", code="log_block")
    content = read_content(storage, block)
    with translate_content_errors(block):
        if len(content) < _HEAD.size:
            raise ValueError(f"its content has {len(content)} of the {_HEAD.size} bytes of a version and a length")
        version, length = _HEAD.unpack_from(content)
        if version in (1, 2):
            raise UnsupportedTable(
                f"{block} contains deletes of version {version}, serialised with Kryo, which only Java can read; "
                "compact the table with the Hudi version that wrote it",
                code="log_block",
            )
        if version != CONTENT_VERSION:
            raise UnsupportedTable(
                f"{block} contains deletes of unknown version {version}; "
                "read the table with the Hudi version that wrote it",
                code="log_block",
            )
        if length != len(content) - _HEAD.size:
            raise ValueError(f"the stated length of its deletes is {length} instead of {len(content) - _HEAD.size}")
        entries = read_entries(content[_HEAD.size :], len(ordering_types))
        rows = len(entries.keys)
        ordering = [
            _as_column(values, type_, rows) for values, type_ in zip(entries.ordering, ordering_types, strict=True)
        ]
        unordered = booleans(np.full(rows, not ordering))
        for column in ordering:
            unordered = pc.or_(unordered, column.is_null())
        ordering = [pc.if_else(unordered, pa.scalar(None, column.type), column) for column in ordering]
        return pa.table(
            [entries.keys, entries.partitions, *ordering, unordered],
            ["record_key", "partition_path", *(f"ordering_{i}" for i in range(len(ordering))), "unordered"],
        )


def _as_column(groups: Sequence[Values], wanted: pa.DataType, rows: int) -> pa.Array:
    """Return the values of one ordering field by row; null without a value, or if the field does not permit it."""
    places = np.full(rows, -1)
    found: list[pa.Array] = []
    for group in groups:
        places[group.rows] = np.arange(len(group.rows)) + sum(len(array) for array in found)
        found.append(_as_type(group, wanted))
    if not found:
        return pa.nulls(rows, wanted)
    return pa.concat_arrays(found).take(integers(places, places >= 0))


def _as_type(group: Values, wanted: pa.DataType) -> pa.Array:
    """Return the values in the type of the field, null if that is not possible; see `decode_deletes`."""
    values = group.values
    stored = values.type
    if pa.types.is_integer(stored):
        if pa.types.is_floating(wanted):
            return values.cast(wanted, safe=False)
        # a date or time, written by a writer that ignores logical types
        same = pa.types.is_integer(wanted) or (
            pa.types.is_date32(wanted)
            if stored == pa.int32()
            else pa.types.is_timestamp(wanted) or pa.types.is_time64(wanted)
        )
    else:
        same = _class(stored) == _class(wanted)
    if not same:
        return pa.nulls(len(values), wanted)
    cast = values.cast(wanted, safe=False)
    fits = pc.equal(cast.cast(stored, safe=False), values)
    if pa.types.is_floating(stored):
        fits = pc.or_(fits, pc.is_nan(values))  # NaN is a valid value, but does not equal itself
    if pa.types.is_decimal(wanted) and wanted.precision - wanted.scale < stored.precision - stored.scale:
        # the cast does not check the number of digits
        limit = pa.scalar(Decimal(10) ** (wanted.precision - wanted.scale), stored)
        fits = pc.and_(fits, pc.less(pc.abs(values), limit))
    return pc.if_else(fits, cast, pa.scalar(None, wanted))


def _class(type_: pa.DataType) -> str:
    for name, check in _CLASSES.items():
        if check(type_):
            return name
    return str(type_)


_CLASSES = {
    "float": pa.types.is_floating,
    "decimal": pa.types.is_decimal,
    "timestamp": pa.types.is_timestamp,
    "time": pa.types.is_time,
    "string": lambda type_: pa.types.is_string(type_) or pa.types.is_large_string(type_),
    "binary": lambda type_: pa.types.is_binary(type_) or pa.types.is_large_binary(type_),
}
