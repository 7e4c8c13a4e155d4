"""Comparison of changes in the format `cdc`, whose images Hudi writes as JSON in two forms.

Images of base files and of logs of data: compact, with the meta columns, without nulls, decimals lost, bytes in Base64.
Images of change logs: with blanks, without meta columns, decimals as lists of bytes, bytes as text of Latin-1, and the
text `null` instead of a missing image. The values of dates and timestamps are the same in both.
"""

from __future__ import annotations

import base64
import json
from collections import Counter
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import pyarrow as pa

__all__ = ["change_difference", "is_of_changes"]

_LOST = {"zero": False}
"""A decimal in the first form."""


def is_of_changes(rows: pa.Table) -> bool:
    """Return whether rows are those of the format `cdc`."""
    return rows.column_names == ["op", "ts_ms", "before", "after"]


def change_difference(ours: pa.Table, hudis: pa.Table, schema: pa.Schema) -> str:
    """Return the differences between changes, apart from the forms of JSON; empty if there are none.

    A column that has lost its value in one of the images by Hudi is not compared.

    Args:
        ours: The changes by hoodoo.
        hudis: The changes by Hudi.
        schema: The columns of the table.
    """
    if ours.schema.types != hudis.schema.types or not is_of_changes(ours) or not is_of_changes(hudis):
        return f"columns of hoodoo: {ours.schema}, of Hudi: {hudis.schema}"
    types = {field.name: field.type for field in schema}
    lost = {name for row in hudis.to_pylist() for name in _lost(row["before"]) | _lost(row["after"])}

    def counted(rows: pa.Table) -> Counter[str]:
        return Counter(
            repr((row["op"], row["ts_ms"], *(_image(row[side], types, lost) for side in ("before", "after"))))
            for row in rows.to_pylist()
        )

    got, wanted = counted(ours), counted(hudis)
    said = []
    for who, lines in (("hoodoo", got - wanted), ("Hudi", wanted - got)):
        said += [f"of {hudis.num_rows} changes only {who} has: {line}" for line in sorted(lines.elements())[:8]]
    return "\n".join(said)


def _lost(image: str | None) -> set[str]:
    values = json.loads(image or "null") or {}
    return {name for name, value in values.items() if value == _LOST}


def _image(text: str | None, types: Mapping[str, pa.DataType], lost: set[str]) -> dict[str, Any] | None:
    """Return the columns of an image, except meta columns and those that Hudi loses; None for a missing image."""
    values = json.loads(text or "null", parse_float=Decimal)
    if values is None:
        return None
    return {name: _value(values.get(name), type_) for name, type_ in types.items() if name not in lost}


def _value(value: Any, type_: pa.DataType) -> Any:
    if value is None:
        return None
    if pa.types.is_struct(type_):
        return {field.name: _value(value.get(field.name), field.type) for field in type_.fields}
    if pa.types.is_map(type_):
        # in the first form an entry without a value is missing
        return {key: item for key, raw in value.items() if (item := _value(raw, type_.item_type)) is not None}
    if pa.types.is_list(type_):
        return [_value(item, type_.value_type) for item in value]
    if pa.types.is_decimal(type_) and isinstance(value, list):
        unscaled = int.from_bytes(bytes(byte % 256 for byte in value), "big", signed=True)
        return Decimal(unscaled).scaleb(-type_.scale)
    if pa.types.is_binary(type_):
        return _bytes(value)
    return float(value) if pa.types.is_floating(type_) else value


def _bytes(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except ValueError:
        return text.encode("latin-1")
