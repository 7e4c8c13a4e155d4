"""Decoder of records of any schema, one record at a time."""

from __future__ import annotations

import io
import struct
from collections.abc import Sequence
from typing import Any

import fastavro
import pyarrow as pa

from hoodoo.format.avro.container import container, record
from hoodoo.format.avro.logical_values import plain_type, to_arrow
from hoodoo.format.avro.record_batches import NEXT, AvroRecords
from hoodoo.format.avro.resolved_schema import AvroSchema

__all__ = ["DECODE_ERRORS", "decode_nested"]

# errors of fastavro about bytes that do not match the schema
DECODE_ERRORS = (
    EOFError,
    LookupError,
    TypeError,
    OverflowError,
    MemoryError,
    RecursionError,
    struct.error,
    fastavro.schema.SchemaParseException,
)


def decode_nested(records: AvroRecords, schema: AvroSchema, columns: Sequence[str]) -> list[pa.Array]:
    """Return the given columns of records of any schema.

    Raises:
        ValueError: The bytes do not match the schema.
    """
    raw = schema.raw
    text = record([*raw["fields"], NEXT], raw.get("name", "record"), raw.get("namespace", ""))
    try:
        rows: list[Any] = list(fastavro.reader(io.BytesIO(container(text, len(records), records.content))))
        lengths = b"".join(row[NEXT["name"]] for row in rows)
    except DECODE_ERRORS as error:
        raise ValueError("the bytes do not match their schema") from error
    records.check(lengths)
    arrays = []
    for name in columns:
        type_ = schema.fields[name]
        arrays.append(to_arrow(pa.array([row[name] for row in rows], plain_type(type_)), type_))
    return arrays
