"""Fields of structs, also inside lists and maps: conversion of values by field names, and other field names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pyarrow as pa
from attrs import frozen

__all__ = ["ELEMENT", "KEY", "VALUE", "fitted", "has_other_fields", "named_type", "relabelled", "with_inner_types"]

ELEMENT, KEY, VALUE = "element", "key", "value"
"""Parts of a dotted path below a list and a map, as Spark and Hudi spell them."""

Cast = Callable[[pa.Array, pa.DataType], pa.Array]


def has_other_fields(stored: pa.DataType, type_: pa.DataType) -> bool:
    """Return whether two types of the same form differ in the names or the order of the fields of their structs."""
    if pa.types.is_struct(stored) and pa.types.is_struct(type_):
        fields = list(zip(stored, type_, strict=False))
        return [f.name for f in stored] != [f.name for f in type_] or any(
            has_other_fields(left.type, right.type) for left, right in fields
        )
    if _is_list(stored) and _is_list(type_):
        return has_other_fields(stored.value_type, type_.value_type)
    if pa.types.is_map(stored) and pa.types.is_map(type_):
        return has_other_fields(stored.item_type, type_.item_type)
    return False


def fitted(array: pa.Array, type_: pa.DataType, cast: Cast) -> pa.Array:
    """Return values in another type; fields of structs are matched by name, and fields that are missing are null.

    Args:
        array: The values to convert.
        type_: The type of the result.
        cast: The conversion of values in which fields have the same names.

    Raises:
        pyarrow.ArrowInvalid: A field that must not be null is missing, or `cast` raises this error.
    """
    if not has_other_fields(array.type, type_):
        return array if array.type == type_ else cast(array, type_)
    if pa.types.is_struct(type_):
        fields = [_field(array, field, cast) for field in type_]
        return pa.StructArray.from_arrays(fields, fields=list(type_), mask=array.is_null())
    if pa.types.is_map(type_):
        entries = pa.StructArray.from_arrays(
            [fitted(array.keys, type_.key_type, cast), fitted(array.items, type_.item_type, cast)],
            fields=[type_.key_field, type_.item_field],
        )
        return _with_children(array, type_, entries)
    if pa.types.is_large_list(array.type) != pa.types.is_large_list(type_):
        # the offsets have another width
        same = pa.list_ if pa.types.is_list(type_) else pa.large_list
        array = cast(array, same(array.type.value_field))
    return _with_children(array, type_, fitted(array.values, type_.value_type, cast))


def _field(array: pa.StructArray, field: pa.Field, cast: Cast) -> pa.Array:
    place = array.type.get_field_index(field.name)
    if place >= 0:
        return fitted(array.field(place), field.type, cast)
    if not field.nullable and array.null_count < len(array):
        raise pa.ArrowInvalid(f"field '{field.name}' is missing, and must not be null")
    return pa.nulls(len(array), field.type)


def _with_children(array: pa.Array, type_: pa.DataType, child: pa.Array) -> pa.Array:
    """Return a list or a map with other values at the same offsets."""
    buffers = array.buffers()[:2]
    return pa.Array.from_buffers(type_, len(array), buffers, array.null_count, array.offset, [child])


def named_type(type_: pa.DataType, path: str, names: Mapping[str, str]) -> pa.DataType:
    """Return a type with other names of fields.

    Args:
        type_: A struct, or a list or map with structs inside it; other types are returned unchanged.
        path: The dotted path of the column or field that has the type.
        names: The other names of fields by their dotted paths.
    """
    if pa.types.is_struct(type_):
        paths = [f"{path}.{field.name}" for field in type_]
        return pa.struct(
            [
                pa.field(names.get(at, field.name), named_type(field.type, at, names), field.nullable, field.metadata)
                for at, field in zip(paths, type_, strict=True)
            ]
        )
    return with_inner_types(type_, path, lambda inner, at: named_type(inner, at, names))


def with_inner_types(type_: pa.DataType, path: str, inner: Callable[[pa.DataType, str], pa.DataType]) -> pa.DataType:
    """Return a list or map type whose inner types a function returns for their paths; return other types unchanged."""
    if _is_list(type_):
        field = type_.value_field.with_type(inner(type_.value_type, f"{path}.{ELEMENT}"))
        return pa.list_(field) if pa.types.is_list(type_) else pa.large_list(field)
    if pa.types.is_map(type_):
        key = type_.key_field.with_type(inner(type_.key_type, f"{path}.{KEY}"))
        return pa.map_(key, type_.item_field.with_type(inner(type_.item_type, f"{path}.{VALUE}")))
    return type_


def relabelled(values: pa.ChunkedArray, type_: pa.DataType) -> pa.ChunkedArray:
    """Return the same values in a type that differs in names of fields only."""
    return pa.chunked_array([pa.array(_Relabelled(chunk, type_)) for chunk in values.chunks], type_)


@frozen
class _Relabelled:
    """Values that Arrow's C interface exports with another type; its arrays contain no field names."""

    values: pa.Array
    type: pa.DataType

    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[Any, Any]:
        return self.type.__arrow_c_schema__(), self.values.__arrow_c_array__()[1]


def _is_list(type_: pa.DataType) -> bool:
    return bool(pa.types.is_list(type_) or pa.types.is_large_list(type_))
