"""Spark expressions for values that all rows of a file share, looked up by file.

The key of a file is a checksum of its name, which Spark computes from `_metadata` and Python by `file_key`. The lookup
tables are literals of the query, hashed by key. A filter on a looked-up value therefore skips files before they are
opened, and a join by key applies the filter to the other side of the join too.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING

import pyarrow as pa

from hoodoo.storage import name_of

if TYPE_CHECKING:
    from hoodoo.spark.scan.partition_values import Value

__all__ = ["FILE_KEY", "constant_expressions", "file_key", "value_expressions"]

FILE_KEY = "crc32(cast(_metadata.file_name as binary))"
"""The Spark expression for the key of a file in a scan."""

_FIRST_DAY = date(1970, 1, 1)
_ITEMS = {pa.string(): "string", pa.int32(): "int", pa.int64(): "bigint", pa.date32(): "int"}


def file_key(path: str) -> int:
    """Return the key of a file, see `FILE_KEY`. It is a checksum of the name and not always unique."""
    return zlib.crc32(name_of(path).encode())


def value_expressions(key: str, fields: Sequence[pa.Field], values: Mapping[int, tuple[Value, ...]]) -> dict[str, str]:
    """Return expressions for the values of fields, by name. Their value is null for unknown keys.

    Args:
        key: The Spark expression for the key of a row's file.
        fields: The fields, of types that `PartitionPathReader` reads.
        values: The values by key, one per field.
    """
    buckets: list[list[int]] = [[] for _ in values]
    for number in sorted(values):
        buckets[number % len(values)].append(number)
    bucket = f"int({key} % {len(values)})"
    place = f"int(array_position(get({_literal(buckets, 'bigint')}, {bucket}), {key})) - 1"
    texts = {}
    for number, field in enumerate(fields):
        is_date = pa.types.is_date32(field.type)
        stored = [[_item(values[one][number]) for one in keys] for keys in buckets]
        text = f"get(get({_literal(stored, _ITEMS[field.type])}, {bucket}), {place})"
        texts[field.name] = f"date_from_unix_date({text})" if is_date else text
    return texts


def constant_expressions(fields: Sequence[pa.Field], values: tuple[Value, ...]) -> dict[str, str]:
    """Return constant expressions for the values of fields, by name. Spark evaluates them when it plans the query."""
    return value_expressions("0", fields, {0: values})


def _item(value: Value) -> str | int | None:
    return (value - _FIRST_DAY).days if isinstance(value, date) else value


def _literal(lists: Sequence[Sequence[str | int | None]], item: str) -> str:
    """Return the SQL expression of an array of arrays. It has hexadecimal digits, so that no value ends the literal."""
    return f"from_json(cast(x'{json.dumps(lists).encode().hex()}' as string), 'array<array<{item}>>')"
