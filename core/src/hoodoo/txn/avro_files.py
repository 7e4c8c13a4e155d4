"""Avro object container files with one record: the form of plans and rollbacks on the timeline."""

from __future__ import annotations

import io
import struct
from collections.abc import Mapping
from typing import Any

import fastavro

from hoodoo.errors import CorruptTableError

__all__ = ["decode", "encode"]


def encode(schema: Mapping[str, Any], record: Mapping[str, Any]) -> bytes:
    """The container file of one record, uncompressed as Hudi writes it."""
    body = io.BytesIO()
    fastavro.writer(body, fastavro.parse_schema(dict(schema)), [record], codec="null")
    return body.getvalue()


def decode(body: bytes, file: str) -> dict[str, Any]:
    """The first record of a container file, by the schema in it. Raises `CorruptTableError` naming the file."""
    try:
        record = next(iter(fastavro.reader(io.BytesIO(body))), None)
    except (
        ValueError,
        EOFError,
        LookupError,
        TypeError,
        struct.error,
        OverflowError,
        MemoryError,
        fastavro.schema.SchemaParseException,
    ) as error:
        raise CorruptTableError(f"'{file}' is no Avro file: {error!r}", file=file) from error
    if not isinstance(record, dict):
        raise CorruptTableError(f"'{file}' is an Avro file without a record", file=file)
    return record
