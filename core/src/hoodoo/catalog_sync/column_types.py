"""Types of columns in the notation of Hive, which the metastore and Glue use."""

from __future__ import annotations

import pyarrow as pa

from hoodoo.errors import SchemaError

__all__ = ["hive_type"]

_SIMPLE = {
    pa.int8(): "int",
    pa.int16(): "int",
    pa.int32(): "int",
    pa.int64(): "bigint",
    pa.float32(): "float",
    pa.float64(): "double",
    pa.bool_(): "boolean",
    pa.string(): "string",
    pa.large_string(): "string",
    pa.binary(): "binary",
    pa.large_binary(): "binary",
    pa.date32(): "date",
}


def hive_type(type_: pa.DataType, *, timestamps: bool) -> str:
    """Return the type in a catalog for a column type, without spaces and in lower case, as Hudi's sync writes it.

    Args:
        type_: The type of the column.
        timestamps: Whether timestamps are of type `timestamp`; otherwise they are `bigint`, as they are stored.

    Raises:
        SchemaError: The type has no equivalent in a catalog.
    """
    if type_ in _SIMPLE:
        return _SIMPLE[type_]
    if pa.types.is_timestamp(type_):
        return "timestamp" if timestamps else "bigint"
    if pa.types.is_time(type_):
        return "int" if type_.unit == "ms" else "bigint"
    if pa.types.is_decimal(type_):
        return f"decimal({type_.precision},{type_.scale})"
    if pa.types.is_fixed_size_binary(type_):
        return "binary"
    if pa.types.is_list(type_) or pa.types.is_large_list(type_):
        return f"array<{hive_type(type_.value_type, timestamps=timestamps)}>"
    if pa.types.is_map(type_):
        key, value = (hive_type(part, timestamps=timestamps) for part in (type_.key_type, type_.item_type))
        return f"map<{key},{value}>"
    if pa.types.is_struct(type_):
        # the parsers of types accept no hyphen in a name
        fields = (f"{f.name.lower().replace('-', '_')}:{hive_type(f.type, timestamps=timestamps)}" for f in type_)
        return f"struct<{','.join(fields)}>"
    raise SchemaError(f"type {type_} has no equivalent in a catalog; leave the column out of the table")
