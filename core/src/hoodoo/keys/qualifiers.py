"""Qualifiers of record keys and partition paths: they distinguish values that Hudi encodes identically.

Hudi escapes nothing in a record key: with the columns `a` and `b`, `a:x,b:y,b:z` is the key of `("x,b:y", "z")` and of
`("x", "y,b:z")`, and a null is written like the text `__null__`. Ordinary values have no qualifier, and values that
contain a part of the encoding have one. Together, key and qualifier identify one tuple of values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import reduce

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from attrs import evolve

from hoodoo.keys.column_kinds import column_kinds
from hoodoo.keys.partition_path import DEFAULT_PARTITION
from hoodoo.keys.record_key import EMPTY_PART, NULL_PART
from hoodoo.keys.value_text import as_text, timestamp_micros
from hoodoo.record import KeyConfig
from hoodoo.schema.columns import column_at, is_text

__all__ = ["key_qualifiers", "mixed_path_qualifiers", "path_qualifiers"]


def key_qualifiers(rows: pa.Table, config: KeyConfig) -> pa.Array | None:
    """Return the qualifiers of keys that `plain_keys` or `composite_keys` makes.

    A timestamp has a qualifier if its text omits microseconds. With several record key columns, the texts `__null__`
    and `__empty__` have one too, as do values that contain `,column:` for a record key column other than the first.

    Args:
        rows: The rows; a record key column that is absent is left out.
        config: The configuration, with the columns.

    Returns:
        A string array, one value per row, null if the row has no qualifier; None if no row has one.

    Raises:
        SchemaError: A column has a type that cannot be part of a key, and a row has a qualifier.
    """
    fields = [field for field in config.record_key if field]
    separators = [f",{field}:" for field in fields[1:]]
    placeholders = (NULL_PART, EMPTY_PART) if separators else ()
    columns = _columns(rows, fields)
    ambiguous = [_ambiguous(values, config, separators, placeholders) for values in columns.values()]
    return _qualified(columns, config, _either(ambiguous), lambda text: text)


def path_qualifiers(rows: pa.Table, config: KeyConfig) -> pa.Array | None:
    """Return the qualifiers of paths that `partition_paths` makes.

    A timestamp has a qualifier if its text omits microseconds. The text `__HIVE_DEFAULT_PARTITION__` also has one.
    Values that contain a slash have one if `config` does not url-encode them, and the table has several partition
    columns or slash-separated dates. A null and an empty text are one value: Hudi intentionally gives both the same
    folder.

    Args:
        rows: The rows; a partition column that is absent is left out.
        config: The configuration, with the columns and the style of paths.

    Returns:
        A string array, one value per row, null if the row has no qualifier; None if no row has one.

    Raises:
        SchemaError: A column has a type that cannot be part of a path, and a row has a qualifier.
    """
    return _path_qualifiers(rows, config, slash_date=config.slash_date and len(config.partition_by) == 1)


def mixed_path_qualifiers(rows: pa.Table, config: KeyConfig) -> pa.Array | None:
    """Return the qualifiers of paths that `mixed_partition_paths` makes, from the columns of kind `simple` only.

    Args:
        rows: The rows; a partition column that is absent is left out.
        config: The configuration, with the columns, their kinds and the style of paths.

    Returns:
        A string array, one value per row, null if the row has no qualifier; None if no row has one.

    Raises:
        OptionError: As `column_kinds`.
        SchemaError: As `path_qualifiers`.
    """
    simple = tuple(column for column, kind in column_kinds(config) if kind == "simple")
    return _path_qualifiers(rows, evolve(config, partition_by=simple), slash_date=config.slash_date)


def _path_qualifiers(rows: pa.Table, config: KeyConfig, *, slash_date: bool) -> pa.Array | None:
    columns = _columns(rows, config.partition_by)
    several = len(config.partition_by) > 1
    separators = []
    if not config.url_encode and (several or slash_date):
        separators.append("/")
    if several and slash_date:
        separators.append("-")
    ambiguous = [_ambiguous(values, config, separators, (DEFAULT_PARTITION,)) for values in columns.values()]
    return _qualified(columns, config, _either(ambiguous), lambda text: pc.if_else(pc.equal(text, ""), None, text))


def _columns(rows: pa.Table, fields: Iterable[str]) -> dict[str, pa.Array]:
    found = ((field, column_at(rows, field)) for field in fields)
    return {field: values for field, values in found if values is not None}


def _ambiguous(values: pa.Array, config: KeyConfig, separators: Sequence[str], texts: Sequence[str]) -> pa.Array | None:
    """Return a mask of the values that need a qualifier; None if there are none.

    These values contain a separator, equal one of the texts, or are timestamps whose text omits microseconds.
    """
    if pa.types.is_timestamp(values.type):
        if not config.consistent_logical_timestamps or values.type.unit in ("s", "ms"):
            return None
        micros = timestamp_micros(values)
        found = [pc.not_equal(pc.multiply(pc.divide(micros, 1000), 1000), micros)]
    elif is_text(values.type.value_type if pa.types.is_dictionary(values.type) else values.type):
        text = as_text(values, "")
        # a search for one byte is faster than a search for a text, and most values do not contain the byte
        there = {first for first in {part[0] for part in (*separators, *texts)} if _contains(text, first)}
        found = [pc.equal(text, word) for word in texts if word[0] in there]
        found += [pc.match_substring(text, part) for part in separators if part[0] in there]
    else:
        return None
    return _either(mask if pc.any(mask).as_py() else None for mask in found)


def _either(masks: Iterable[pa.Array | None]) -> pa.Array | None:
    given = [pc.fill_null(mask, False) for mask in masks if mask is not None]
    return reduce(pc.or_, given) if given else None


def _qualified(
    columns: dict[str, pa.Array], config: KeyConfig, ambiguous: pa.Array | None, of_text: Callable[[pa.Array], pa.Array]
) -> pa.Array | None:
    if ambiguous is None:
        return None
    parts = [_quoted(of_text(_exact(values, name, config).filter(ambiguous))) for name, values in columns.items()]
    texts = parts[0] if len(parts) == 1 else pc.binary_join_element_wise(*parts, ",")
    return pc.replace_with_mask(pa.nulls(len(ambiguous), pa.string()), ambiguous, texts)


def _exact(values: pa.Array, column: str, config: KeyConfig) -> pa.Array:
    """Return the text of values; that of a timestamp is the number of microseconds since the epoch."""
    if pa.types.is_timestamp(values.type):
        return timestamp_micros(values).cast(pa.string())
    return as_text(values, column, consistent_timestamps=config.consistent_logical_timestamps)


def _quoted(text: pa.Array) -> pa.Array:
    """Put texts between quotation marks, so that they can be joined by commas; null becomes `null`."""
    for special in ("\\", '"'):
        text = pc.replace_substring(text, special, f"\\{special}")
    return pc.fill_null(pc.binary_join_element_wise('"', text, '"', ""), "null")


def _contains(text: pa.Array, character: str) -> bool:
    """Return whether a character of one byte is among the bytes of a string array."""
    _, offsets, data = text.buffers()
    if not len(text) or data is None or not data.size:
        return False
    first, last = np.frombuffer(offsets, np.int32)[[text.offset, text.offset + len(text)]].tolist()
    return bool((np.frombuffer(data, np.uint8)[first:last] == ord(character)).any())
