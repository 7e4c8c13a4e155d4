"""Columns of a checked job: given as an Arrow schema or with names of Spark's types, or taken from the options."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pyarrow as pa

from hoodoo.errors import OptionError
from hoodoo.options import IndexOptions, KeyOptions, Options, RuleOptions, WriteOptions
from hoodoo.schema.meta_columns import META_COLUMNS

__all__ = ["assumed_columns", "columns_of"]

_TYPES: Mapping[str, pa.DataType] = {
    "binary": pa.binary(),
    "boolean": pa.bool_(),
    "byte": pa.int8(),
    "tinyint": pa.int8(),
    "short": pa.int16(),
    "smallint": pa.int16(),
    "int": pa.int32(),
    "integer": pa.int32(),
    "long": pa.int64(),
    "bigint": pa.int64(),
    "float": pa.float32(),
    "double": pa.float64(),
    "string": pa.string(),
    "date": pa.date32(),
    "timestamp": pa.timestamp("us", "UTC"),
    "timestamp_ntz": pa.timestamp("us"),
}
_MOST_DIGITS = 38
_DECIMAL = re.compile(r"decimal\((\d+),\s*(\d+)\)")


def columns_of(columns: Mapping[str, str] | pa.Schema) -> pa.Schema:
    """Return the columns of a job as an Arrow schema without meta columns.

    Raises:
        OptionError: `columns` is neither a dictionary nor a schema, a type name is unknown, or the precision or scale
            of a decimal is out of range.
    """
    if isinstance(columns, pa.Schema):
        fields = list(columns)
    elif not isinstance(columns, Mapping):
        raise OptionError(
            f"'columns' has the type {type(columns).__name__}; give a dictionary of column names and types, such "
            'as {"id": "string"}, or an Arrow schema'
        )
    else:
        fields = [pa.field(name, _type_of(name, text)) for name, text in columns.items()]
    return pa.schema([field for field in fields if field.name not in META_COLUMNS])


def _type_of(column: str, text: str) -> pa.DataType:
    name = str(text).strip().lower()
    decimal = _DECIMAL.fullmatch(name)
    if decimal:
        precision, scale = int(decimal[1]), int(decimal[2])
        if not 1 <= precision <= _MOST_DIGITS or scale > precision:
            raise OptionError(
                f"column '{column}' has the type {text!r}; a decimal has a precision of 1 to {_MOST_DIGITS} digits "
                "and a scale of at most its precision"
            )
        return pa.decimal128(precision, scale)
    if name not in _TYPES:
        raise OptionError(
            f"column '{column}' has the type {text!r}; expected decimal(p,s) or one of: {', '.join(sorted(_TYPES))}"
        )
    return _TYPES[name]


def assumed_columns(options: Options) -> pa.Schema:
    """Return the columns that options name, all of type string, for a job with unknown columns.

    These are the columns of record keys, partitions, ordering values, buckets, deletes and event times, without meta
    columns.
    """
    keys, rule, write = options[KeyOptions], options[RuleOptions], options[WriteOptions]
    partitions = (name.partition(":")[0] for name in keys.partition_by or ())
    named = (
        *(keys.record_key or ()),
        *partitions,
        *(rule.ordering or ()),
        *(rule.payload_ordering or ()),
        *(options[IndexOptions].bucket_by or ()),
        *(name for name in (rule.delete_field, write.event_time_field) if name),
    )
    columns = dict.fromkeys(name.partition(".")[0] for name in named)
    return pa.schema([(name, pa.string()) for name in columns if name not in META_COLUMNS])
