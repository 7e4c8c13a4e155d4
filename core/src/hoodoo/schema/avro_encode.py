"""Conversion of an Arrow schema to the Avro schema that Hudi stores with each commit."""

from __future__ import annotations

import json
import re
from typing import Any

import pyarrow as pa

from hoodoo.errors import SchemaError
from hoodoo.schema.avro_decode import from_avro
from hoodoo.schema.columns import is_text
from hoodoo.schema.comments import comment_of, comments_of, with_comments
from hoodoo.schema.defaults import declared_default
from hoodoo.schema.meta_columns import META_COLUMNS

__all__ = ["from_avro", "stored_schema", "to_avro", "with_meta_fields"]

_NAME = re.compile(r"^[A-Za-z_][A-Za-z0-9_]*$")


def to_avro(schema: pa.Schema, table: str, *, null_first: bool = True) -> str:
    """Return the schema of a table as Avro JSON, named `<table>_record` in namespace `hoodie.<table>`.

    Args:
        schema: Column names and types.
        table: The table's name; characters that Avro does not allow in names become `__`.
        null_first: Whether nullable columns are `["null", T]` with default null, as in commits. Otherwise they are
            `[T, "null"]` without a default, as in `hoodie.table.create.schema`. In both forms a column with a default
            other than null has that default and its type first.

    Raises:
        SchemaError: Avro or a reader of Hudi tables does not support a name or type, a name occurs twice, or a comment
            or default is not valid; the message names the column.
    """
    name = _sanitized(table)
    record = _Writer(null_first).record(list(schema), f"{name}_record", f"hoodie.{name}", "")
    return json.dumps(record, separators=(",", ":"))


def stored_schema(schema: pa.Schema) -> pa.Schema:
    """Return the schema as a table stores it: `int8` becomes `int32`, `large_string` becomes `string`, and so on.

    Raises:
        SchemaError: As in `to_avro`.
    """
    # `from_avro` drops empty comments, which remove comments of the table
    return with_comments(from_avro(to_avro(schema, "t")), comments_of(schema))


def with_meta_fields(avro_schema: str) -> str:
    """Return the Avro schema of stored records: the meta columns, then the columns of a commit's schema."""
    record = json.loads(avro_schema)
    own = [field for field in record["fields"] if field["name"] not in META_COLUMNS]
    meta = [{"name": name, "type": ["null", "string"], "doc": "", "default": None} for name in META_COLUMNS]
    return json.dumps({**record, "fields": meta + own}, separators=(",", ":"))


def _sanitized(table: str) -> str:
    cleaned = re.sub(r"[^A-Za-z0-9_]", "__", table)
    return "__" + cleaned[1:] if cleaned[:1].isdigit() else cleaned


class _Writer:
    """Builder of the Avro JSON; `path` is the dotted path of the current column, for messages."""

    def __init__(self, null_first: bool) -> None:
        self._null_first = null_first

    def record(self, fields: list[pa.Field], name: str, namespace: str, path: str) -> dict[str, Any]:
        inner = f"{namespace}.{name}"
        seen: set[str] = set()
        converted = []
        for field in fields:
            where = f"{path}.{field.name}" if path else field.name
            if not _NAME.match(field.name):
                raise SchemaError(
                    f"column '{where}' has a name that Avro does not allow; rename the column with the letters "
                    "A-Z and a-z, digits and '_', and no digit at the beginning",
                    code="column_name",
                )
            if field.name in seen:
                raise SchemaError(f"column '{where}' occurs twice; rename one of them", code="column_name")
            seen.add(field.name)
            converted.append(self.field(field, inner, where))
        return {"type": "record", "name": name, "namespace": namespace, "fields": converted}

    def field(self, field: pa.Field, namespace: str, path: str) -> dict[str, Any]:
        entry: dict[str, Any] = {"name": field.name, "type": self.field_type(field, field.name, namespace, path)}
        if (comment := comment_of(field)) is not None:
            entry["doc"] = comment
        default = declared_default(field)
        if default is not None:
            # Avro: a default has the first type of the union
            types = entry["type"][::-1] if field.nullable and self._null_first else entry["type"]
            if pa.types.is_timestamp(field.type):
                default *= _MICROSECONDS[field.type.unit]
            entry |= {"type": types, "default": default}
        elif field.nullable and self._null_first:
            entry["default"] = None
        return entry

    def field_type(self, field: pa.Field, name: str, namespace: str, path: str) -> Any:
        avro = self.type(field.type, name, namespace, path)
        if not field.nullable:
            return avro
        return ["null", avro] if self._null_first else [avro, "null"]

    def type(self, type_: pa.DataType, name: str, namespace: str, path: str) -> Any:
        if pa.types.is_dictionary(type_):
            return self.type(type_.value_type, name, namespace, path)
        if pa.types.is_struct(type_):
            if not type_.num_fields:
                raise _unsupported(
                    path, type_, "Parquet has no structs without fields; drop the column, or add a field to the struct"
                )
            fields = [type_.field(i) for i in range(type_.num_fields)]
            return self.record(fields, name, namespace, path)
        if pa.types.is_list(type_) or pa.types.is_large_list(type_) or pa.types.is_fixed_size_list(type_):
            items = self.field_type(type_.value_field, name, namespace, f"{path}[]")
            return {"type": "array", "items": items}
        if pa.types.is_map(type_):
            if not is_text(type_.key_type):
                raise _unsupported(path, type_, "Avro maps have string keys; cast the keys to string")
            return {"type": "map", "values": self.field_type(type_.item_field, name, namespace, f"{path}{{}}")}
        if pa.types.is_decimal(type_):
            return _decimal(type_, name, namespace, path)
        if pa.types.is_fixed_size_binary(type_):
            return {"type": "fixed", "name": "fixed", "namespace": f"{namespace}.{name}", "size": type_.byte_width}
        if pa.types.is_timestamp(type_):
            return _timestamp(type_, path)
        if pa.types.is_date32(type_):
            return {"type": "int", "logicalType": "date"}
        return _plain(type_, path)


def _plain(type_: pa.DataType, path: str) -> str:
    if is_text(type_):
        return "string"
    if pa.types.is_binary(type_) or pa.types.is_large_binary(type_) or pa.types.is_binary_view(type_):
        return "bytes"
    if pa.types.is_boolean(type_):
        return "boolean"
    if pa.types.is_uint64(type_):
        raise _unsupported(path, type_, "its values may exceed Avro's integers; cast it to int64 or decimal(20, 0)")
    if pa.types.is_int64(type_) or pa.types.is_uint32(type_):
        return "long"
    if pa.types.is_integer(type_):
        return "int"
    if pa.types.is_float64(type_):
        return "double"
    if pa.types.is_floating(type_):
        return "float"
    raise _unsupported(path, type_, _ADVICE.get(str(type_).partition("[")[0], "cast it to a type that Hudi supports"))


_ADVICE = {
    "null": "a column of type null cannot be stored; cast it to its intended type",
    "time32": "Hudi readers disagree on times of day; cast it to string or to an integer",
    "time64": "Hudi readers disagree on times of day; cast it to string or to an integer",
    "duration": "cast it to an integer",
    "month_interval": "cast it to an integer",
    "day_time_interval": "cast it to an integer",
    "month_day_nano_interval": "cast it to a string or to integers",
    "date64": "cast it to date32, or to a timestamp with time zone UTC",
}


def _decimal(type_: pa.DataType, name: str, namespace: str, path: str) -> dict[str, Any]:
    if type_.precision > 38 or not 0 <= type_.scale <= type_.precision:
        raise _unsupported(path, type_, "use at most 38 digits and a scale from 0 to the precision")
    size = ((10**type_.precision - 1).bit_length() + 8) // 8
    return {
        "type": "fixed",
        "name": "fixed",
        "namespace": f"{namespace}.{name}",
        "size": size,
        "logicalType": "decimal",
        "precision": type_.precision,
        "scale": type_.scale,
    }


_MICROSECONDS = {"s": 1_000_000, "ms": 1000, "us": 1}


def _timestamp(type_: pa.DataType, path: str) -> dict[str, Any]:
    if type_.tz is None:
        raise _unsupported(path, type_, "some Hudi readers cannot read timestamps without a zone; cast it to zone UTC")
    if type_.unit == "ns":
        raise _unsupported(path, type_, "nanoseconds would be lost; cast it to timestamp[us, tz=UTC]")
    return {"type": "long", "logicalType": "timestamp-micros"}


def _unsupported(path: str, type_: pa.DataType, advice: str) -> SchemaError:
    return SchemaError(
        f"column '{path}' has type {type_}, which a Hudi table cannot hold: {advice}", code="column_type"
    )
