"""Decoder of records without nested columns, one column at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from hoodoo.format.avro.columns_by_polars import read_columns
from hoodoo.format.avro.container import container, record
from hoodoo.format.avro.logical_values import to_arrow
from hoodoo.format.avro.record_batches import NEXT, AvroRecords
from hoodoo.format.avro.resolved_schema import AvroSchema, AvroType

__all__ = ["decode_flat", "stored_type"]


def decode_flat(records: AvroRecords, schema: AvroSchema, columns: Sequence[str]) -> list[pa.Array]:
    """Return the given columns of records whose schema `is_flat`.

    Raises:
        ValueError: The bytes do not match the schema.
        pyarrow.ArrowIndexError: The number of an enum symbol is out of range.
    """
    # Every field has at least one byte; a decoder allocates memory for all records before it reads the first.
    if records.lengths.min() < len(schema.fields):
        raise ValueError("a record is shorter than its schema allows")
    # Columns are named by number: polars may reject the names in the header.
    numbers = {name: f"c{number}" for number, name in enumerate(schema.fields)}
    fields = [
        {"name": numbers[name], "type": stored_type(type_, numbers[name])} for name, type_ in schema.fields.items()
    ]
    requested = frozenset(columns)
    wanted = [name for name in schema.fields if name in requested]
    whole = container(record([*fields, NEXT]), len(records), records.content)
    *arrays, lengths = read_columns(whole, [*(numbers[name] for name in wanted), NEXT["name"]], len(records))
    records.check(_bytes(lengths))
    found = {name: _to_arrow(values, schema.fields[name]) for name, values in zip(wanted, arrays, strict=True)}
    return [found[name] for name in columns]


def stored_type(type_: AvroType, number: str) -> Any:
    """Return an Avro type with the same encoding and no logical type; `number` makes the name of a `fixed` unique."""
    stored: Any = type_.kind
    if type_.kind == "fixed":
        stored = {"type": "fixed", "name": f"fixed_{number}", "size": type_.size}
    elif type_.kind in ("int", "enum"):
        # values out of the range of an int are found by the cast
        stored = "long"
    return ["null" if branch == "null" else stored for branch in type_.union] if type_.union else stored


def _to_arrow(values: pa.Array, type_: AvroType) -> pa.Array:
    if type_.kind == "enum":
        return pa.array(type_.symbols, pa.string()).take(values)
    return to_arrow(values, type_)


def _bytes(values: pa.Array) -> bytes:
    """Return the concatenated bytes of all values."""
    _, _, data = values.cast(pa.large_binary()).buffers()
    found: bytes = data.to_pybytes() if data is not None else b""
    return found
