"""Conversion of the Avro schema of a commit to an Arrow schema."""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa

from hoodoo.errors import SchemaError
from hoodoo.schema.comments import with_comment
from hoodoo.schema.defaults import with_default

__all__ = ["from_avro"]

_PRIMITIVES = {
    "boolean": pa.bool_(),
    "int": pa.int32(),
    "long": pa.int64(),
    "float": pa.float32(),
    "double": pa.float64(),
    "bytes": pa.binary(),
    "string": pa.string(),
}
_LOGICAL = {
    ("int", "date"): pa.date32(),
    ("int", "time-millis"): pa.time32("ms"),
    ("long", "time-micros"): pa.time64("us"),
    ("long", "timestamp-millis"): pa.timestamp("us", "UTC"),
    ("long", "timestamp-micros"): pa.timestamp("us", "UTC"),
    ("long", "local-timestamp-millis"): pa.timestamp("us"),
    ("long", "local-timestamp-micros"): pa.timestamp("us"),
}


def from_avro(text: str) -> pa.Schema:
    """Return the Arrow schema of an Avro record schema.

    Enums become strings, and unknown logical types, such as `uuid`, are ignored. Timestamps become microseconds in UTC,
    and local timestamps microseconds without a zone. Fields have their comments, and defaults other than null, in their
    metadata.

    Raises:
        SchemaError: The text is not an Avro record schema, or a column, which the message names, has a type that Arrow
            tables cannot hold. Some invalid schemas raise built-in errors instead, which `columns_of` translates.
    """
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise SchemaError(f"the Avro schema is not JSON: {error}", code="avro_schema") from error
    if not isinstance(document, dict) or document.get("type") != "record":
        raise SchemaError("the Avro schema is not a record", code="avro_schema")
    try:
        struct = _Reader().type(document, "", "")
    except RecursionError as error:
        raise SchemaError("the Avro schema is nested too deeply", code="avro_schema") from error
    return pa.schema([struct.field(i) for i in range(struct.num_fields)])


class _Reader:
    """Converter of Avro types that remembers named types for later references to them."""

    def __init__(self) -> None:
        self._named: dict[str, pa.DataType | None] = {}

    def type(self, avro: Any, namespace: str, path: str) -> pa.DataType:
        if isinstance(avro, list):
            return self.field("", avro, namespace, path).type
        if isinstance(avro, str):
            return self._by_name(avro, namespace, path)
        if not isinstance(avro, dict) or "type" not in avro:
            raise _schema_error(path, f"{json.dumps(avro)}, which is not an Avro type")
        kind = avro["type"]
        if kind == "record":
            return self._record(avro, namespace, path)
        if kind == "array":
            return pa.list_(self.field("element", avro.get("items"), namespace, f"{path}[]"))
        if kind == "map":
            return pa.map_(pa.string(), self.field("value", avro.get("values"), namespace, f"{path}{{}}"))
        if kind in ("enum", "fixed"):
            type_ = pa.string() if kind == "enum" else _fixed(avro, path)
            self._named[_full_name(avro, namespace)] = type_
            return type_
        if isinstance(kind, str) and kind in _PRIMITIVES:
            if avro.get("logicalType") == "decimal" and kind == "bytes":
                return _decimal(avro, path)
            return _LOGICAL.get((kind, avro.get("logicalType", "")), _PRIMITIVES[kind])
        return self.type(kind, namespace, path)

    def field(self, name: str, avro: Any, namespace: str, path: str) -> pa.Field:
        """Return a field of the type; a union with null makes it nullable."""
        if not isinstance(avro, list):
            return pa.field(name, self.type(avro, namespace, path), nullable=False)
        branches = [branch for branch in avro if branch != "null"]
        if len(branches) != 1:
            count = len(branches)
            raise _schema_error(path, f"a union of {count} types besides null, where exactly one is supported")
        return pa.field(name, self.type(branches[0], namespace, path), nullable=len(branches) < len(avro))

    def _record(self, avro: dict[str, Any], namespace: str, path: str) -> pa.DataType:
        full = _full_name(avro, namespace)
        self._named[full] = None
        inner = full.rpartition(".")[0]
        fields = []
        entries = avro.get("fields")
        if not isinstance(entries, list):
            raise _schema_error(path, "a record without a list of fields")
        for entry in entries:
            name = entry.get("name") if isinstance(entry, dict) else None
            if not isinstance(name, str):
                raise _schema_error(path, f"{json.dumps(entry)}, which is not an Avro field")
            where = f"{path}.{entry['name']}" if path else entry["name"]
            field = self.field(entry["name"], entry.get("type"), inner, where)
            # a default of null is equivalent to no default
            field = field if entry.get("default") is None else with_default(field, entry["default"])
            comment = entry.get("doc")
            # an empty comment is equivalent to none, as in Hudi
            fields.append(with_comment(field, comment) if isinstance(comment, str) and comment else field)
        type_ = pa.struct(fields)
        self._named[full] = type_
        return type_

    def _by_name(self, name: str, namespace: str, path: str) -> pa.DataType:
        if name in _PRIMITIVES:
            return _PRIMITIVES[name]
        full = name if "." in name or not namespace else f"{namespace}.{name}"
        if full not in self._named:
            raise _schema_error(path, f"the undefined type '{name}'")
        type_ = self._named[full]
        if type_ is None:
            raise _schema_error(path, f"the type '{name}', which contains itself")
        return type_


def _full_name(avro: dict[str, Any], namespace: str) -> str:
    name = str(avro.get("name", ""))
    outer = avro.get("namespace", namespace)
    return name if "." in name or not outer else f"{outer}.{name}"


def _fixed(avro: dict[str, Any], path: str) -> pa.DataType:
    if avro.get("logicalType") == "decimal":
        return _decimal(avro, path)
    size = avro.get("size")
    if not isinstance(size, int) or size <= 0:
        raise _schema_error(path, f"a fixed type of size {json.dumps(size)}, which is not a positive integer")
    return pa.binary(size)


def _decimal(avro: dict[str, Any], path: str) -> pa.DataType:
    precision, scale = avro.get("precision"), avro.get("scale", 0)
    if not isinstance(precision, int) or not isinstance(scale, int) or not 0 <= scale <= precision <= 38:
        digits = f"a decimal of precision {json.dumps(precision)} and scale {json.dumps(scale)}"
        raise _schema_error(path, f"{digits}, where at most 38 digits and a scale up to the precision are supported")
    return pa.decimal128(precision, scale)


def _schema_error(path: str, what: str) -> SchemaError:
    where = f"column '{path}'" if path else "the record"
    return SchemaError(f"the Avro schema has, at {where}, {what}", code="avro_schema")
