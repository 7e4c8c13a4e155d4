"""Columns of the tables: each type in Avro and in Arrow, and its wrapper in delete blocks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from tests.support.versions import META

__all__ = ["TYPES", "Columns", "Type", "arrow_schema", "avro_schema"]

Columns = Mapping[str, "Type"]
"""Data columns of a table by name, in their order; all of them nullable."""


@dataclass(frozen=True)
class Type:
    """A column type. `wrapper` is its number in the union of ordering values; None if it is not used for ordering."""

    avro: Any
    arrow: pa.DataType
    wrapper: int | None = None


def _logical(avro: str, logical: str, **more: Any) -> dict[str, Any]:
    return {"type": avro, "logicalType": logical, **more}


def _fixed(name: str, size: int, precision: int, scale: int) -> dict[str, Any]:
    return {
        "type": "fixed", "name": name, "size": size, "logicalType": "decimal", "precision": precision, "scale": scale
    }  # fmt: skip


def _optional(avro: Any) -> list[Any]:
    return ["null", avro]


_POINT = {"type": "record", "name": "point", "fields": [
    {"name": "x", "type": ["null", "int"], "default": None},
    {"name": "label", "type": ["null", "string"], "default": None},
]}  # fmt: skip

TYPES = {
    "string": Type("string", pa.string(), 7),
    "boolean": Type("boolean", pa.bool_(), 1),
    "int": Type("int", pa.int32(), 2),
    "long": Type("long", pa.int64(), 3),
    "float": Type("float", pa.float32(), 4),
    "double": Type("double", pa.float64(), 5),
    "bytes": Type("bytes", pa.binary(), 6),
    "date": Type(_logical("int", "date"), pa.date32(), 8),
    "decimal": Type(_fixed("decimal_fixed", 6, 12, 3), pa.decimal128(12, 3), 9),
    "timestamp": Type(_logical("long", "timestamp-micros"), pa.timestamp("us", tz="UTC"), 11),
    "millis": Type(_logical("long", "timestamp-millis"), pa.timestamp("ms", tz="UTC")),
    "list": Type({"type": "array", "items": _optional("string")}, pa.list_(pa.string())),
    "map": Type({"type": "map", "values": _optional("long")}, pa.map_(pa.string(), pa.int64())),
    "struct": Type(_POINT, pa.struct([("x", pa.int32()), ("label", pa.string())])),
}


def avro_schema(columns: Columns, *, meta: bool = False) -> dict[str, Any]:
    """Return the record schema, with or without the meta columns."""
    fields = [*((name, "string") for name in META if meta), *((name, type_.avro) for name, type_ in columns.items())]
    return {
        "type": "record",
        "name": "built_record",
        "namespace": "hoodie.built",
        "fields": [{"name": name, "type": _optional(_named(avro, name)), "default": None} for name, avro in fields],
    }


def _named(avro: Any, column: str) -> Any:
    """Return the type with a unique name, if it has a name."""
    return {**avro, "name": f"{avro['name']}_{column}"} if isinstance(avro, dict) and "name" in avro else avro


def arrow_schema(columns: Columns, *, meta: bool = True) -> pa.Schema:
    """Return the Arrow schema, with or without the meta columns."""
    names = [(name, pa.string()) for name in META if meta]
    return pa.schema([*names, *((name, type_.arrow) for name, type_ in columns.items())])
