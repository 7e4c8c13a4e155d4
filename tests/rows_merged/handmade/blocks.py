"""Blocks of log files, built byte by byte."""

from __future__ import annotations

import io
import json
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

import fastavro
import pyarrow as pa
import pyarrow.parquet as pq

__all__ = ["Delete", "Wrapped", "avro_block", "block", "delete_block", "parquet_block", "rollback_block"]

COMMAND, DELETE, AVRO_DATA, PARQUET_DATA = 0, 1, 3, 5
INSTANT, TARGET, SCHEMA, COMMAND_TYPE, COMPACTED, IS_PARTIAL = 0, 1, 2, 3, 4, 7

_EPOCH = datetime.fromisoformat("1970-01-01T00:00:00+00:00")
_DECIMAL_SCALE = 15


@dataclass(frozen=True)
class Wrapped:
    """An ordering value and the number of its wrapper: 1 boolean, 2 int, 3 long, 4 float, 5 double, 6 bytes, 7 string,
    8 date, 9 decimal, 10 time, 11 timestamp, 12 several of these."""

    wrapper: int
    value: Any


@dataclass(frozen=True)
class Delete:
    """An entry of a delete block. By default `ordering` is 0, which Hudi writes for a missing value; None is a null."""

    key: str
    partition: str
    ordering: Wrapped | None = Wrapped(2, 0)


def block(kind: int, header: Mapping[int, str], content: bytes) -> bytes:
    """Return the bytes of a log block."""
    entries = b"".join(struct.pack(">II", key, len(value.encode())) + value.encode() for key, value in header.items())
    body = struct.pack(">III", 1, kind, len(header)) + entries
    body += struct.pack(">Q", len(content)) + content + struct.pack(">I", 0)
    size = len(body) + 8
    return b"#HUDI#" + struct.pack(">Q", size) + body + struct.pack(">Q", size + 6)


def avro_block(
    instant: str, schema: Mapping[str, Any], rows: Sequence[Mapping[str, Any]], header: Mapping[int, str] | None = None
) -> bytes:
    """Return an Avro data block."""
    parsed = fastavro.parse_schema(dict(schema))
    content = struct.pack(">II", 3, len(rows))
    for row in rows:
        record = io.BytesIO()
        fastavro.schemaless_writer(record, parsed, row)
        content += struct.pack(">I", record.tell()) + record.getvalue()
    return block(AVRO_DATA, {INSTANT: instant, SCHEMA: json.dumps(schema), **(header or {})}, content)


def parquet_block(
    instant: str, schema: Mapping[str, Any], rows: pa.Table, header: Mapping[int, str] | None = None
) -> bytes:
    """Return a parquet data block."""
    content = io.BytesIO()
    pq.write_table(rows, content, store_schema=False)
    return block(PARQUET_DATA, {INSTANT: instant, SCHEMA: json.dumps(schema), **(header or {})}, content.getvalue())


def delete_block(instant: str, deletes: Sequence[Delete], header: Mapping[int, str] | None = None) -> bytes:
    """Return a delete block of version 3."""
    entries = b"".join(
        _long(1) + _text(delete.key) + _long(1) + _text(delete.partition) + _ordering(delete.ordering)
        for delete in deletes
    )
    encoded = (_long(len(deletes)) + entries if deletes else b"") + _long(0)
    content = struct.pack(">II", 3, len(encoded)) + encoded
    return block(DELETE, {INSTANT: instant, **(header or {})}, content)


def rollback_block(instant: str, target: str) -> bytes:
    """Return the command block that rolls back the blocks of an instant, `target`."""
    return block(COMMAND, {INSTANT: instant, TARGET: target, COMMAND_TYPE: "0"}, b"")


def _long(number: int) -> bytes:
    number = (number << 1) ^ (number >> 63)
    encoded = bytearray()
    while number > 0x7F:
        encoded.append(number & 0x7F | 0x80)
        number >>= 7
    encoded.append(number)
    return bytes(encoded)


def _text(text: str) -> bytes:
    return _long(len(text.encode())) + text.encode()


def _ordering(value: Wrapped | None) -> bytes:
    if value is None:
        return _long(0)
    return _long(value.wrapper) + _content(value.wrapper, value.value)


def _content(wrapper: int, value: Any) -> bytes:
    if wrapper == 1:
        return bytes([value])
    if wrapper in (2, 3):
        return _long(value)
    if wrapper == 4:
        return struct.pack("<f", value)
    if wrapper == 5:
        return struct.pack("<d", value)
    if wrapper == 6:
        return _long(len(value)) + bytes(value)
    if wrapper == 7:
        return _text(value)
    if wrapper == 8:
        return _long((value - date(1970, 1, 1)).days)
    if wrapper == 9:
        unscaled = int(Decimal(value).scaleb(_DECIMAL_SCALE))
        size = unscaled.bit_length() // 8 + 1
        return _long(size) + unscaled.to_bytes(size, "big", signed=True)
    if wrapper == 10:
        return _long(value)
    if wrapper == 11:
        return _long((value - _EPOCH) // timedelta(microseconds=1))
    return _long(1) + _long(len(value)) + b"".join(_ordering(item) for item in value) + _long(0)
