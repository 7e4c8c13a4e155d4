"""Type names of merge vectors: `long?` is a nullable int64, `array<string>` a list, `struct<a:int,b:string>` a struct.

A column may be declared as `{"type": ..., "default": ...}`; its field then has the default, as in the schema of a
table. All Arrow fields are nullable, because a tombstone has nulls in all columns.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa

from hoodoo.schema.defaults import with_default

__all__ = ["arrow_table", "arrow_type"]

_PLAIN = {
    "string": pa.string(),
    "bytes": pa.binary(),
    "boolean": pa.bool_(),
    "int": pa.int32(),
    "long": pa.int64(),
    "float": pa.float32(),
    "double": pa.float64(),
    "date": pa.date32(),
    "timestamp": pa.timestamp("us", tz="UTC"),
}


def arrow_table(rows: Sequence[Mapping[str, Any]], schema: Mapping[str, Any]) -> pa.Table:
    """Return rows as a table.

    The types of undeclared columns, and of columns of type `any`, are inferred; such a column is left out if no row
    has it.

    Raises:
        ValueError: A declared type is not one of merge vectors.
    """
    fields, arrays = [], []
    for name in dict.fromkeys([*schema, *(name for row in rows for name in row)]):
        declared = schema.get(name, "any")
        type_ = arrow_type(declared["type"] if isinstance(declared, Mapping) else declared)
        if type_ is None and not any(name in row for row in rows):
            continue
        array = pa.array([_value(row.get(name), type_) for row in rows], type=type_)
        field = pa.field(name, array.type)
        has_default = isinstance(declared, Mapping) and "default" in declared
        fields.append(with_default(field, declared["default"]) if has_default else field)
        arrays.append(array)
    return pa.table(arrays, schema=pa.schema(fields))


def arrow_type(text: str) -> pa.DataType | None:
    """Return the type with a name, or None for `any`.

    Raises:
        ValueError: Merge vectors do not have the type.
    """
    text = text.strip().rstrip("?")
    if text == "any":
        return None
    if match := re.fullmatch(r"array<(.+)>", text):
        return pa.list_(arrow_type(match[1]))
    if match := re.fullmatch(r"map<(\w+),(.+)>", text):
        return pa.map_(arrow_type(match[1]), arrow_type(match[2]))
    if match := re.fullmatch(r"struct<(.+)>", text):
        parts = (part.partition(":") for part in _split(match[1]))
        return pa.struct([(name.strip(), arrow_type(type_)) for name, _, type_ in parts])
    if match := re.fullmatch(r"decimal\((\d+),\s*(\d+)\)", text):
        return pa.decimal128(int(match[1]), int(match[2]))
    if text not in _PLAIN:
        raise ValueError(
            f"type '{text}' of a column is not one of the types of merge vectors: {', '.join(sorted(_PLAIN))}, "
            "array<...>, map<...,...>, struct<...> and decimal(...)"
        )
    return _PLAIN[text]


def _split(text: str) -> Iterator[str]:
    """Yield the parts between commas that are not in brackets."""
    depth = start = 0
    for place, character in enumerate(text):
        depth += (character in "<(") - (character in ">)")
        if character == "," and depth == 0:
            yield text[start:place]
            start = place + 1
    yield text[start:]


def _value(value: Any, type_: pa.DataType | None) -> Any:
    if value is None or type_ is None:
        return value
    if pa.types.is_map(type_):
        pairs = value.items() if isinstance(value, Mapping) else value
        return [(_value(key, type_.key_type), _value(item, type_.item_type)) for key, item in pairs]
    if pa.types.is_list(type_):
        return [_value(item, type_.value_type) for item in value]
    if pa.types.is_struct(type_):
        return {field.name: _value(value.get(field.name), field.type) for field in type_}
    if pa.types.is_binary(type_) and isinstance(value, str):
        return value.encode()
    return value
