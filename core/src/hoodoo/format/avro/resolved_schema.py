"""Avro schema of a block's header, with all names and unions resolved."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import pyarrow as pa
from attrs import evolve, field, frozen

from hoodoo.errors import SchemaError
from hoodoo.schema.avro_encode import from_avro

__all__ = ["AvroSchema", "AvroType", "parse_schema"]


@frozen
class AvroType:
    """Encoding of a value and its Arrow type.

    Attributes:
        kind: The Avro type: a primitive, `fixed`, `enum`, `record`, `array` or `map`.
        arrow: The Arrow type of the decoded value.
        logical: The logical type, or "".
        union: The branches of the union of the value, each "null" or "value"; empty without a union.
        size: The number of bytes of a `fixed`; 0 for other types.
        symbols: The values of an `enum`.
        children: The types of the fields of a `record`, of the items of an `array`, or of the values of a `map`; empty
            for other types.
    """

    kind: str
    arrow: pa.DataType
    logical: str = ""
    union: tuple[str, ...] = ()
    size: int = 0
    symbols: tuple[str, ...] = ()
    children: tuple[AvroType, ...] = ()

    @property
    def is_flat(self) -> bool:
        """Return whether the value is not nested, and its union, if any, has two branches."""
        return not self.children and self.kind != "record" and len(self.union) in (0, 2)


@frozen
class AvroSchema:
    """Record schema.

    Attributes:
        fields: The type of each column, in the order of the bytes.
        raw: The decoded Avro JSON of the record, without logical types, defaults, comments and aliases.
    """

    fields: Mapping[str, AvroType]
    raw: Mapping[str, Any] = field(repr=False)

    @property
    def is_flat(self) -> bool:
        """Return whether all columns are flat."""
        return all(type_.is_flat for type_ in self.fields.values())


@lru_cache(maxsize=8)
def parse_schema(text: str) -> AvroSchema:
    """Return the schema in an Avro JSON text. The last results are kept, because blocks of a table share their schema.

    Raises:
        ValueError: The text is not JSON, its fields are not a list, or a column occurs twice. Other invalid schemas
            raise other built-in errors.
        SchemaError: The text is not a record schema, a column has a type that Arrow tables cannot hold, or a record has
            no fields.
    """
    document = json.loads(text)
    if isinstance(document, dict) and not isinstance(document.get("fields", []), list):
        raise ValueError("its fields are not a list")
    columns = from_avro(text)
    twice = next((name for name, count in Counter(columns.names).items() if count > 1), None)
    if twice is not None:
        raise ValueError(f"column '{twice}' occurs twice")
    record = _Builder().type(document, "", pa.struct(list(columns)))
    return AvroSchema(dict(zip(columns.names, record.children, strict=True)), _without_logical_types(document))


class _Builder:
    """Builder of types from a schema that `from_avro` accepted. It stores the named types."""

    def __init__(self) -> None:
        self._named_types: dict[str, AvroType] = {}

    def type(self, avro: Any, namespace: str, arrow: pa.DataType) -> AvroType:
        if isinstance(avro, list):
            (branch,) = (branch for branch in avro if branch != "null")
            union = tuple("null" if branch == "null" else "value" for branch in avro)
            return evolve(self.type(branch, namespace, arrow), union=union)
        if isinstance(avro, str):
            if avro in _PRIMITIVES:
                return AvroType(avro, arrow)
            return self._named_types[avro if "." in avro or not namespace else f"{namespace}.{avro}"]
        kind, logical = avro["type"], str(avro.get("logicalType", ""))
        if kind == "array":
            return AvroType(kind, arrow, children=(self.type(avro["items"], namespace, arrow.value_type),))
        if kind == "map":
            return AvroType(kind, arrow, children=(self.type(avro["values"], namespace, arrow.item_type),))
        if kind not in ("record", "enum", "fixed"):
            if isinstance(kind, str) and kind in _PRIMITIVES:
                return AvroType(kind, arrow, logical)
            return self.type(kind, namespace, arrow)
        full = _full_name(avro, namespace)
        if kind == "record":
            inner = full.rpartition(".")[0]
            children = tuple(
                self.type(entry["type"], inner, arrow.field(i).type) for i, entry in enumerate(avro.get("fields", ()))
            )
            if not children:
                # an array could have any number of such records without bytes
                raise SchemaError(f"record '{full}' has no fields", code="avro_schema")
            type_ = AvroType(kind, arrow, children=children)
        elif kind == "enum":
            type_ = AvroType(kind, arrow, symbols=tuple(map(str, avro.get("symbols", ()))))
        else:
            type_ = AvroType(kind, arrow, logical, size=avro.get("size", 0))
        self._named_types[full] = type_
        return type_


def _full_name(avro: Mapping[str, Any], namespace: str) -> str:
    name = str(avro.get("name", ""))
    outer = avro.get("namespace", namespace)
    return name if "." in name or not outer else f"{outer}.{name}"


def _without_logical_types(avro: Any) -> Any:
    if isinstance(avro, list):
        return [_without_logical_types(item) for item in avro]
    if isinstance(avro, dict):
        return {key: _without_logical_types(value) for key, value in avro.items() if key not in _DROPPED}
    return avro


_PRIMITIVES = ("boolean", "int", "long", "float", "double", "bytes", "string")
# defaults are for readers with other schemas, and may not match the type without its logical type
_DROPPED = ("logicalType", "precision", "scale", "default", "doc", "aliases")
