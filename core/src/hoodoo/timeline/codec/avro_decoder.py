"""Decoder of one Avro record whose schema and bytes come from other writers.

The bytes are not trusted: a length is compared with the remaining bytes before memory is allocated, and a schema is
rejected if the bytes do not limit the work (records that have no bytes, or contain themselves). The decoded record has
every field; values of logical types are decoded as their primitive type.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from attrs import define, field, frozen

__all__ = ["DECODE_ERRORS", "CompiledType", "DecodeError", "compile_schema", "read_bytes", "read_long"]

Reader = Callable[[bytes, int], tuple[Any, int]]
"""Function of bytes and a position that returns a value and the position after it."""


class DecodeError(ValueError):
    """Error about bytes that do not match the schema, or an invalid schema. The caller adds the name of the file."""


DECODE_ERRORS = (ValueError, IndexError, KeyError, TypeError, AttributeError, struct.error, RecursionError)
"""Errors of reading corrupt bytes: `DecodeError`, UTF-8 and JSON errors, the end of the bytes, an invalid schema."""

_NOT_OPTIONAL = (-1, -1, False)
"""Placeholder for the branches of fields that are not optional; no byte equals -1."""

_ONE_BYTE_NUMBERS = tuple((byte >> 1) ^ -(byte & 1) for byte in range(0x80))
"""The values of numbers that are encoded in one byte."""
_MAX_VARINT_BITS = 63


@frozen
class CompiledType:
    """Type of a schema: its reader, and the minimum number of bytes of a value."""

    read: Reader
    min_bytes: int


@lru_cache(maxsize=64)
def compile_schema(text: str) -> CompiledType:
    """Return the type of a schema's JSON text. Raise one of `DECODE_ERRORS` if the schema is invalid."""
    return _Compiler().type(json.loads(text), "")


def read_long(data: bytes, at: int) -> tuple[int, int]:
    """Return a zigzag varint, and the position after it. Raise one of `DECODE_ERRORS` if the varint is invalid."""
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            break
        shift += 7
        if shift > _MAX_VARINT_BITS:
            raise DecodeError("a number of more than 64 bits")
    return (value >> 1) ^ -(value & 1), at


def read_bytes(data: bytes, at: int) -> tuple[bytes, int]:
    """Return length-prefixed bytes, and the position after them. Raise one of `DECODE_ERRORS` if they are invalid."""
    size, at = read_long(data, at)
    end = at + size
    if size < 0 or end > len(data):
        raise DecodeError(f"a length of {size}, but a remaining length of {len(data) - at}")
    return data[at:end], end


def _read_string(data: bytes, at: int) -> tuple[str, int]:
    body, at = read_bytes(data, at)
    return body.decode(), at


def _read_null(data: bytes, at: int) -> tuple[None, int]:
    return None, at


def _read_boolean(data: bytes, at: int) -> tuple[bool, int]:
    byte = data[at]
    if byte > 1:
        raise DecodeError(f"a boolean with byte {byte}")
    return byte == 1, at + 1


def _read_float(data: bytes, at: int) -> tuple[float, int]:
    return struct.unpack_from("<f", data, at)[0], at + 4


def _read_double(data: bytes, at: int) -> tuple[float, int]:
    return struct.unpack_from("<d", data, at)[0], at + 8


_PRIMITIVES = {
    "null": CompiledType(_read_null, 0),
    "boolean": CompiledType(_read_boolean, 1),
    "int": CompiledType(read_long, 1),
    "long": CompiledType(read_long, 1),
    "float": CompiledType(_read_float, 4),
    "double": CompiledType(_read_double, 8),
    "bytes": CompiledType(read_bytes, 1),
    "string": CompiledType(_read_string, 1),
}


@define
class _Compiler:
    """Builder of readers that stores named types for later references to them."""

    named: dict[str, CompiledType | None] = field(factory=dict)

    def type(self, schema: Any, namespace: str) -> CompiledType:
        if isinstance(schema, list):
            return _union([self.type(branch, namespace) for branch in schema])
        if isinstance(schema, str):
            return _PRIMITIVES[schema] if schema in _PRIMITIVES else self._named_type(schema, namespace)
        kind = schema["type"]
        if kind == "record":
            return self._record(schema, namespace)
        if kind == "array":
            return _array(self.type(schema["items"], namespace))
        if kind == "map":
            return _map(self.type(schema["values"], namespace))
        if kind == "enum":
            return self._name(schema, namespace, _enum(tuple(schema["symbols"])))
        if kind == "fixed":
            return self._name(schema, namespace, _fixed(schema["size"]))
        return self.type(kind, namespace)

    def _record(self, schema: Mapping[str, Any], namespace: str) -> CompiledType:
        name = _full_name(schema, namespace)
        self.named[name] = None
        inner = name.rpartition(".")[0]
        fields = {entry["name"]: self.type(entry["type"], inner) for entry in schema["fields"]}
        optional = {entry["name"]: _optional(entry["type"]) for entry in schema["fields"]}
        return self._name(schema, namespace, _record(fields, optional))

    def _named_type(self, name: str, namespace: str) -> CompiledType:
        full = name if "." in name or not namespace else f"{namespace}.{name}"
        type_ = self.named[full]
        if type_ is None:
            raise DecodeError(f"the type '{name}' contains itself")
        return type_

    def _name(self, schema: Mapping[str, Any], namespace: str, type_: CompiledType) -> CompiledType:
        self.named[_full_name(schema, namespace)] = type_
        return type_


def _full_name(schema: Mapping[str, Any], namespace: str) -> str:
    name: str = schema["name"]
    outer = schema.get("namespace", namespace)
    return name if "." in name or not outer else f"{outer}.{name}"


def _optional(schema: Any) -> tuple[int, int, bool] | None:
    """Return the branches of a union of null with a whole number or string; None for other schemas.

    Returns:
        The byte of the value branch, the byte of the null branch, and whether the value is a string.
    """
    if not isinstance(schema, list) or len(schema) != 2 or "null" not in schema:
        return None
    null = schema.index("null")
    other = schema[1 - null]
    if isinstance(other, dict):
        other = other.get("type")
    return (2 - 2 * null, 2 * null, other == "string") if other in ("int", "long", "string") else None


def _record(fields: Mapping[str, CompiledType], optional: Mapping[str, tuple[int, int, bool] | None]) -> CompiledType:
    """Return the type of a record.

    Optional numbers and strings, of which a commit has hundreds, are read inline, which is twice as fast.
    """
    min_bytes = sum(type_.min_bytes for type_ in fields.values())
    if min_bytes == 0:
        raise DecodeError("a record without bytes")
    steps = tuple(
        (name, *(optional[name] or _NOT_OPTIONAL), None if optional[name] else type_.read)
        for name, type_ in fields.items()
        if type_.min_bytes
    )
    empty = dict.fromkeys(fields)

    def read(data: bytes, at: int) -> tuple[dict[str, Any], int]:
        record: dict[str, Any] = empty.copy()
        for name, present, absent, is_string, inner in steps:
            branch = data[at]
            if branch == absent:
                at += 1
            elif branch == present:
                byte = data[at + 1]
                if byte < 0x80:
                    number = _ONE_BYTE_NUMBERS[byte]
                    at += 2
                else:
                    number, at = read_long(data, at + 1)
                if is_string:
                    end = at + number
                    if number < 0 or end > len(data):
                        raise DecodeError(
                            f"a length of {number}, but a remaining length of {len(data) - at}, at '{name}'"
                        )
                    record[name] = data[at:end].decode()
                    at = end
                else:
                    record[name] = number
            elif inner is None:
                raise DecodeError(f"branch {branch} of a union of two, at '{name}'")
            else:
                record[name], at = inner(data, at)
        return record, at

    return CompiledType(read, min_bytes)


def _union(branches: list[CompiledType]) -> CompiledType:
    readers = tuple(branch.read for branch in branches)

    def read(data: bytes, at: int) -> tuple[Any, int]:
        branch, at = read_long(data, at)
        if not 0 <= branch < len(readers):
            raise DecodeError(f"branch {branch} of a union of {len(readers)}")
        return readers[branch](data, at)

    return CompiledType(read, 1)


def _block_count(data: bytes, at: int, min_bytes: int) -> tuple[int, int]:
    """Return the number of items in the next block of an array or map (0 at the end), and the position of its items."""
    count, at = read_long(data, at)
    if count < 0:
        count = -count
        _, at = read_long(data, at)
    if count * min_bytes > len(data) - at:
        raise DecodeError(f"more items than the remaining bytes can hold: {count}, in a length of {len(data) - at}")
    return count, at


def _array(items: CompiledType) -> CompiledType:
    if items.min_bytes == 0:
        raise DecodeError("an array of items without bytes")

    def read(data: bytes, at: int) -> tuple[list[Any], int]:
        found: list[Any] = []
        while True:
            count, at = _block_count(data, at, items.min_bytes)
            if count == 0:
                return found, at
            for _ in range(count):
                item, at = items.read(data, at)
                found.append(item)

    return CompiledType(read, 1)


def _map(values: CompiledType) -> CompiledType:
    def read(data: bytes, at: int) -> tuple[dict[str, Any], int]:
        found: dict[str, Any] = {}
        while True:
            count, at = _block_count(data, at, 1 + values.min_bytes)
            if count == 0:
                return found, at
            for _ in range(count):
                key, at = _read_string(data, at)
                found[key], at = values.read(data, at)

    return CompiledType(read, 1)


def _enum(symbols: tuple[str, ...]) -> CompiledType:
    def read(data: bytes, at: int) -> tuple[str, int]:
        index, at = read_long(data, at)
        if not 0 <= index < len(symbols):
            raise DecodeError(f"symbol {index} of an enum of {len(symbols)}")
        return symbols[index], at

    return CompiledType(read, 1)


def _fixed(size: int) -> CompiledType:
    if not isinstance(size, int) or size <= 0:
        raise DecodeError("a fixed type whose size is not a positive whole number")

    def read(data: bytes, at: int) -> tuple[bytes, int]:
        end = at + size
        if end > len(data):
            raise DecodeError(f"a fixed value of length {size}, but a remaining length of {len(data) - at}")
        return data[at:end], end

    return CompiledType(read, size)
