"""Values of rows in a form that is equal only for equal bits."""

from __future__ import annotations

import math
import struct
from typing import TYPE_CHECKING, Any

import pyarrow as pa

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["bits", "bits_of", "numbers"]


def bits(value: Any) -> Any:
    """Return a value in a form that is equal only for equal bits; all NaNs have the same form."""
    if isinstance(value, float):
        # Spark replaces each NaN by one with the same bits where it writes it into a row
        return "nan" if math.isnan(value) else struct.pack(">d", value).hex()
    if isinstance(value, dict):
        return {name: bits(inner) for name, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [bits(inner) for inner in value]
    return value


def bits_of(frame: DataFrame) -> dict[int, list[Any]]:
    table = frame.toArrow()
    columns = [numbers(column) for column in table.columns]
    rows = zip(*(column.to_pylist() for column in columns), strict=True)
    return {row[0]: [bits(value) for value in row[1:]] for row in rows}


def numbers(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return a column with dates and timestamps as numbers, because Python has only the years 1 to 9999."""
    return column.cast(_number_type(column.type))


def _number_type(type_: pa.DataType) -> pa.DataType:
    if pa.types.is_timestamp(type_):
        return pa.int64()
    if pa.types.is_date32(type_):
        return pa.int32()
    if pa.types.is_struct(type_):
        return pa.struct([field.with_type(_number_type(field.type)) for field in type_])
    if pa.types.is_list(type_):
        return pa.list_(type_.value_field.with_type(_number_type(type_.value_type)))
    return type_
