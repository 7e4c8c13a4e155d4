"""Conversion between Avro's stored numbers and bytes and the Arrow values they represent, one column at a time."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hoodoo.format.avro.numpy_arrays import bitmap, integers, validity
from hoodoo.format.avro.resolved_schema import AvroType

__all__ = ["decimals", "plain_type", "stored_values", "to_arrow"]

_PLAIN = {
    "boolean": pa.bool_(),
    "int": pa.int32(),
    "long": pa.int64(),
    "float": pa.float32(),
    "double": pa.float64(),
    "bytes": pa.large_binary(),
    "fixed": pa.large_binary(),
    "string": pa.large_string(),
    "enum": pa.large_string(),
}
# Avro types that are converted through an Arrow type of the same unit
_UNITS = {
    "timestamp-millis": pa.timestamp("ms", "UTC"),
    "local-timestamp-millis": pa.timestamp("ms"),
}
_DECIMAL_BYTES = 16
_LONGEST_DECIMAL = 64


def plain_type(type_: AvroType) -> pa.DataType:
    """Return the Arrow type of the stored values: integers for dates and timestamps, bytes for decimals."""
    if type_.kind == "array":
        return pa.list_(pa.field(type_.arrow.value_field.name, plain_type(type_.children[0])))
    if type_.kind == "map":
        return pa.map_(pa.string(), plain_type(type_.children[0]))
    if type_.kind == "record":
        return pa.struct([(f.name, plain_type(child)) for f, child in zip(type_.arrow, type_.children, strict=True)])
    return _PLAIN[type_.kind]


def to_arrow(values: pa.Array, type_: AvroType) -> pa.Array:
    """Return the Arrow values that stored values represent.

    Args:
        values: An array that is not a slice, of the type `plain_type` or a wider one.
        type_: The type of the values.

    Raises:
        pyarrow.ArrowInvalid: A value does not fit into its type, or a decimal has no bytes.
    """
    arrow = type_.arrow
    if type_.kind == "array":
        items = to_arrow(values.values, type_.children[0])
        return pa.ListArray.from_arrays(values.offsets, items, type=arrow, mask=values.is_null())
    if type_.kind == "map":
        items = to_arrow(values.items, type_.children[0])
        return pa.MapArray.from_arrays(
            values.offsets, values.keys.cast(arrow.key_type), items, type=arrow, mask=values.is_null()
        )
    if type_.kind == "record":
        # flattened, the fields of a null are null instead of arbitrary values
        fields = [to_arrow(field, child) for field, child in zip(values.flatten(), type_.children, strict=True)]
        return pa.StructArray.from_arrays(fields, fields=list(arrow), mask=values.is_null())
    if pa.types.is_decimal(arrow):
        return decimals(values, arrow)
    if pa.types.is_fixed_size_binary(arrow):
        return values.cast(pa.binary()).cast(arrow)
    if type_.kind in ("int", "long") and not pa.types.is_integer(arrow):
        values = values.cast(_PLAIN[type_.kind])
        return values.cast(_UNITS.get(type_.logical, arrow)).cast(arrow)
    return values.cast(arrow)


def stored_values(values: pa.Array, type_: AvroType) -> pa.Array:
    """Return the numbers and bytes that Avro stores for Arrow values of a compatible type: the inverse of `to_arrow`.

    Raises:
        pyarrow.ArrowInvalid: The type cannot represent a value.
    """
    # copied, because the offsets of a slice would refer to arrays that are replaced below
    return _stored(values.cast(type_.arrow).take(integers(np.arange(len(values)))), type_)


def _stored(values: pa.Array, type_: AvroType) -> pa.Array:
    if type_.kind == "array":
        items = _stored(values.values, type_.children[0])
        return pa.ListArray.from_arrays(values.offsets, items, mask=values.is_null())
    if type_.kind == "map":
        items = _stored(values.items, type_.children[0])
        return pa.MapArray.from_arrays(values.offsets, values.keys, items, mask=values.is_null())
    if type_.kind == "record":
        fields = [_stored(field, child) for field, child in zip(values.flatten(), type_.children, strict=True)]
        return pa.StructArray.from_arrays(fields, [f.name for f in type_.arrow], mask=values.is_null())
    if pa.types.is_decimal(type_.arrow):
        return _big_endian(values, type_.size)
    if type_.kind in ("int", "long"):
        return values.cast(_UNITS.get(type_.logical, type_.arrow)).cast(_PLAIN[type_.kind])
    return values.cast(_PLAIN[type_.kind])


def decimals(values: pa.Array, type_: pa.DataType) -> pa.Array:
    """Return the decimals of unscaled values, which are big-endian two's complement numbers of 1 to 64 bytes.

    Raises:
        pyarrow.ArrowInvalid: A value has no bytes or more than 64, does not fit into 16 bytes, or has more digits than
            the type.
    """
    rows = len(values)
    ends, data = _ends_and_bytes(values)
    lengths = np.diff(ends)
    valid = validity(values)
    if (lengths[valid] == 0).any():
        raise pa.ArrowInvalid("a decimal value has no bytes")
    longest = int(lengths.max(initial=0))
    if longest > _LONGEST_DECIMAL:
        raise pa.ArrowInvalid(f"a decimal value has {longest} bytes, more than any decimal type permits")
    last, first = ends[1:] - 1, ends[:-1]
    filling = np.zeros(rows, np.uint8)
    filling[lengths > 0] = np.where(data[first[lengths > 0]] >= 0x80, 0xFF, 0)
    little_endian = np.repeat(filling[:, np.newaxis], max(longest, _DECIMAL_BYTES), axis=1)
    for place in range(longest):
        there = lengths > place
        little_endian[there, place] = data[last[there] - place]
    if (little_endian[:, _DECIMAL_BYTES:] != filling[:, np.newaxis]).any():
        raise pa.ArrowInvalid(f"a decimal value needs more than {_DECIMAL_BYTES} bytes")
    unscaled = np.ascontiguousarray(little_endian[:, :_DECIMAL_BYTES])
    array = pa.Array.from_buffers(type_, rows, [bitmap(valid), pa.py_buffer(unscaled)])
    array.validate(full=True)
    return array


def _big_endian(values: pa.Array, size: int) -> pa.Array:
    """Return the unscaled values of decimals, big-endian with `size` bytes each; the fewest bytes if `size` is 0."""
    _, data = values.buffers()
    rows = memoryview(data)[values.offset * _DECIMAL_BYTES :]
    encoded = []
    for row, valid in enumerate(values.is_valid().to_pylist()):
        number = int.from_bytes(rows[row * _DECIMAL_BYTES : (row + 1) * _DECIMAL_BYTES], "little", signed=True)
        # one more bit for the sign
        needed = size or (number if number >= 0 else ~number).bit_length() // 8 + 1
        encoded.append(number.to_bytes(needed, "big", signed=True) if valid else None)
    return pa.array(encoded, pa.large_binary())


def _ends_and_bytes(values: pa.Array) -> tuple[np.ndarray, np.ndarray]:
    """Return the offsets of the values and the end of the last one, and the bytes that these offsets refer to."""
    values = pc.cast(values, pa.large_binary())
    _, offsets, data = values.buffers()
    ends = np.frombuffer(offsets, np.int64)[values.offset : values.offset + len(values) + 1]
    return ends, np.frombuffer(data if data is not None else b"", np.uint8)
