"""Type names of merge vectors: `long?` is a nullable int64, `array<string>` a list, `map<string,string>` a map."""

from __future__ import annotations

import re
from typing import Any

import pyarrow as pa

__all__ = ["arrow_table"]

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


def arrow_table(rows: list[dict[str, Any]], schema: dict[str, Any]) -> pa.Table:
    """Rows as a table: declared columns in their types, columns of type `any` or undeclared ones as they come."""
    names = dict.fromkeys([*schema, *(name for row in rows for name in row)])
    columns = {}
    for name in names:
        if name in schema or any(name in row for row in rows):
            type_ = _type(schema.get(name, "any"))
            values = [_value(row.get(name), type_) for row in rows]
            if type_ is None and not any(name in row for row in rows):
                continue
            columns[name] = pa.array(values, type=type_)
    return pa.table(columns)


def _type(declared: Any) -> pa.DataType | None:
    text = declared["type"] if isinstance(declared, dict) else declared
    text = text.rstrip("?")
    if text == "any":
        return None
    if match := re.fullmatch(r"array<(.+)>", text):
        return pa.list_(_type(match[1]))
    if match := re.fullmatch(r"map<(\w+),\s*(.+)>", text):
        return pa.map_(_type(match[1]), _type(match[2]))
    if match := re.fullmatch(r"decimal\((\d+),\s*(\d+)\)", text):
        return pa.decimal128(int(match[1]), int(match[2]))
    if text not in _PLAIN:
        raise ValueError(f"a merge vector declares type '{declared}', which is none of {', '.join(sorted(_PLAIN))}")
    return _PLAIN[text]


def _value(value: Any, type_: pa.DataType | None) -> Any:
    if value is None or type_ is None:
        return value
    if pa.types.is_map(type_):
        return list(value.items())
    if pa.types.is_binary(type_) and isinstance(value, str):
        return value.encode()
    return value
