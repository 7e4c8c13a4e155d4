"""Records of any schema, decoded one at a time."""

from __future__ import annotations

import io
import struct
from collections.abc import Sequence
from typing import Any

import fastavro
import pyarrow as pa

from hoodoo.format.avro.container import container, record
from hoodoo.format.avro.logical_values import meant, plain_type
from hoodoo.format.avro.record_batches import NEXT, Records
from hoodoo.format.avro.resolved_schema import AvroSchema

__all__ = ["DAMAGE", "decode_nested"]

# what fastavro raises on bytes that do not fit the schema
DAMAGE = (
    EOFError,
    LookupError,
    TypeError,
    OverflowError,
    MemoryError,
    RecursionError,
    struct.error,
    fastavro.schema.SchemaParseException,
)


def decode_nested(records: Records, schema: AvroSchema, columns: Sequence[str]) -> list[pa.Array]:
    """The columns named.

    Raises:
        ValueError: The bytes do not fit the schema.
    """
    raw = schema.raw
    text = record([*raw["fields"], NEXT], raw.get("name", "record"), raw.get("namespace", ""))
    try:
        rows: list[Any] = list(fastavro.reader(io.BytesIO(container(text, len(records), records.content))))
        lengths = b"".join(row[NEXT["name"]] for row in rows)
    except DAMAGE as error:
        raise ValueError(f"the bytes do not fit their schema: {error!r}") from error
    records.check(lengths)
    arrays = []
    for name in columns:
        type_ = schema.fields[name]
        arrays.append(meant(pa.array([row[name] for row in rows], plain_type(type_)), type_))
    return arrays
