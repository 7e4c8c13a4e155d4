"""Footers of Parquet files, written field by field in Thrift's compact protocol, with any content."""

from __future__ import annotations

import struct
from collections.abc import Iterable

__all__ = ["chunk", "element", "footer", "integers", "list_of", "parquet", "row_group", "struct_of", "text", "zigzag"]

I32, I64, BINARY, LIST, STRUCT = 5, 6, 8, 9, 12

Field = tuple[int, int, bytes]
"""A field: number, kind and value."""


def unsigned(number: int) -> bytes:
    encoded = b""
    while number > 0x7F:
        encoded += bytes([number & 0x7F | 0x80])
        number >>= 7
    return encoded + bytes([number])


def zigzag(number: int) -> bytes:
    return unsigned(number << 1 if number >= 0 else (-number << 1) - 1)


def integers(**numbers: int) -> list[Field]:
    """Return fields of integers: `i1=5` is field 1 with a 32-bit integer, `l2=5` is field 2 with a 64-bit integer."""
    return [(int(name[1:]), I32 if name[0] == "i" else I64, zigzag(value)) for name, value in numbers.items()]


def text(number: int, value: str) -> Field:
    return number, BINARY, unsigned(len(value)) + value.encode()


def list_of(number: int, kind: int, items: Iterable[bytes], claimed: int | None = None) -> Field:
    """Return a list whose header states `claimed` items; by default, the number of items that it has."""
    found = list(items)
    count = len(found) if claimed is None else claimed
    head = bytes([count << 4 | kind]) if count < 15 else bytes([0xF0 | kind]) + unsigned(count)
    return number, LIST, head + b"".join(found)


def struct_of(fields: Iterable[Field]) -> bytes:
    encoded, last = b"", 0
    for number, kind, value in sorted(fields, key=lambda field: field[0]):
        encoded += bytes([number - last << 4 | kind]) + value
        last = number
    return encoded + b"\0"


def element(name: str, *fields: Field) -> bytes:
    """Return an element of the schema whose repetition is optional."""
    return struct_of([*integers(i3=1), text(4, name), *fields])


def chunk(*metadata: Field, size: int = 50, expanded: int = 50, values: int = 3, beside: Iterable[Field] = ()) -> bytes:
    """Return the description of a chunk of column `id` that follows the magic bytes at the start of the file.

    It states `size` compressed bytes, `expanded` uncompressed bytes, and a number of values. `metadata` has additional
    fields of the column metadata, and `beside` additional fields of the chunk.
    """
    stated = [
        *integers(i1=6, i4=0, l5=values, l6=expanded, l7=size, l9=4),
        list_of(2, I32, [zigzag(0)]),
        list_of(3, BINARY, [text(0, "id")[2]]),
    ]
    return struct_of([*integers(l2=0), (3, STRUCT, struct_of([*stated, *metadata])), *beside])


def row_group(chunks: Iterable[bytes], rows: int = 3) -> bytes:
    return struct_of([list_of(1, STRUCT, chunks), *integers(l2=50, l3=rows)])


def footer(groups: Iterable[bytes], elements: Iterable[bytes] = (), rows: int = 3, *fields: Field) -> bytes:
    schema = list(elements) or [element("root", *integers(i5=1)), element("id", *integers(i1=6))]
    return struct_of([*integers(i1=1, l3=rows), list_of(2, STRUCT, schema), list_of(4, STRUCT, groups), *fields])


def parquet(metadata: bytes, pages: bytes = bytes(50)) -> bytes:
    return b"PAR1" + pages + metadata + struct.pack("<I", len(metadata)) + b"PAR1"
