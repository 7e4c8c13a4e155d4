"""Column defaults: storage in the metadata of an Arrow field, and comparison by value.

Hudi's partial updates compare a value with the default that the Avro schema declares for its column. Arrow has no
defaults, so a field stores its default as Avro's JSON text under the metadata key `default`.
"""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from hoodoo.errors import SchemaError

__all__ = ["declared_default", "default_of", "equals", "with_default"]

_KEY = b"default"

Mask = NDArray[np.bool_]


def with_default(field: pa.Field, default: Any) -> pa.Field:
    """Return the field with a default in Avro's JSON form; a time is a number in the unit of the field's type.

    Bytes are text with one character per byte; a decimal is the bytes of its unscaled number.
    """
    return field.with_metadata({**(field.metadata or {}), _KEY: json.dumps(default).encode()})


def declared_default(field: pa.Field) -> Any:
    """Return the default of a column in Avro's JSON form; None if the schema declares no default, or null.

    Raises:
        SchemaError: The text under the metadata key is not JSON.
    """
    text = (field.metadata or {}).get(_KEY)
    if text is None:
        return None
    try:
        return json.loads(text)
    except ValueError as error:
        shown = text.decode(errors="replace")
        message = f"the default '{shown}' of column '{field.name}' is not JSON: {error}; correct the schema"
        raise SchemaError(message, code="default") from error


def default_of(field: pa.Field) -> pa.Scalar:
    """Return the default of a column as a scalar of its type; null if the schema declares none.

    Raises:
        SchemaError: The default is not a value of the column's type, or its text is not JSON.
    """
    declared = declared_default(field)
    try:
        return pa.scalar(_python_value(declared, field.type), field.type)
    except (pa.ArrowInvalid, pa.ArrowTypeError, AttributeError, KeyError, TypeError, ValueError) as error:
        raise SchemaError(
            f"the default {json.dumps(declared)} of column '{field.name}' is not of type {field.type}: {error}; "
            "correct the schema",
            code="default",
        ) from error


def equals(values: pa.Array, wanted: pa.Scalar) -> Mask:
    """Return a mask of the values that equal a scalar of the same type.

    Null equals null, and the order of map entries does not matter.
    """
    type_ = values.type
    if not wanted.is_valid:
        return _mask(values.is_null())
    if pa.types.is_struct(type_):
        same = _mask(values.is_valid())
        for index in range(type_.num_fields):
            same &= equals(pc.struct_field(values, [index]), wanted[index])
        return same
    if pa.types.is_map(type_):
        return _equals_map(values, wanted)
    if pa.types.is_list(type_) or pa.types.is_large_list(type_):
        return _equals_list(values, wanted)
    return _mask(pc.equal(values, wanted))


def _equals_list(values: pa.Array, wanted: pa.Scalar) -> Mask:
    elements = wanted.values
    same = _mask(pc.equal(pc.list_value_length(values), len(elements)))
    rows = np.flatnonzero(same)
    candidates = values.take(pa.array(rows))
    for index in range(len(elements)):
        same[rows] &= equals(pc.list_element(candidates, index), elements[index])
    return same


def _equals_map(values: pa.Array, wanted: pa.Scalar) -> Mask:
    entries = wanted.values
    same: Mask = _mask(values.is_valid()) & (np.diff(values.offsets.to_numpy()) == len(entries))
    keys, items = entries.field(0), entries.field(1)
    for index in range(len(entries)):
        same &= equals(pc.map_lookup(values, keys[index], "last"), items[index])
    return same


def _python_value(value: Any, type_: pa.DataType) -> Any:
    """Return the value of Avro's JSON in the form that `pa.scalar` accepts."""
    if value is None:
        return None
    if pa.types.is_decimal(type_):
        return Decimal(int.from_bytes(value.encode("latin-1"), "big", signed=True)).scaleb(-type_.scale)
    if pa.types.is_binary(type_) or pa.types.is_large_binary(type_) or pa.types.is_fixed_size_binary(type_):
        return value.encode("latin-1")
    if pa.types.is_struct(type_):
        return {field.name: _python_value(value[field.name], field.type) for field in type_}
    if pa.types.is_map(type_):
        return [(key, _python_value(item, type_.item_type)) for key, item in value.items()]
    if pa.types.is_list(type_) or pa.types.is_large_list(type_):
        return [_python_value(item, type_.value_type) for item in value]
    return value


def _mask(array: pa.Array) -> Mask:
    mask: Mask = np.array(array.fill_null(False), dtype=bool)  # a copy, because `equals` modifies it
    return mask
