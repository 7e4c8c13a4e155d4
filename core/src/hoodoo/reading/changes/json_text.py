"""JSON texts of Arrow values, computed column by column."""

from __future__ import annotations

import json

import pyarrow as pa
import pyarrow.compute as pc

from hoodoo.errors import UnsupportedTable
from hoodoo.schema.columns import is_text

__all__ = ["json_objects", "structs"]

_NULL = "null"
_ESCAPED = {'"': '\\"', "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_CONTROLS = {chr(code): _ESCAPED.get(chr(code), f"\\u{code:04X}") for code in range(32)}
_TO_ESCAPE = r'["\\\x00-\x1f]'
_NOT_FINITE = {"nan": '"NaN"', "inf": '"Infinity"', "-inf": '"-Infinity"'}


def json_objects(rows: pa.Table | pa.StructArray) -> pa.Array:
    """Return one JSON object per row, with all columns in their order; null for a null struct.

    As in Hudi, dates are days since 1970-01-01, timestamps microseconds since then, and times of day microseconds.
    Decimals are numbers with all their digits, and bytes are strings in Base64.

    Raises:
        UnsupportedTable: A column has a type without a JSON form.
    """
    values = rows if isinstance(rows, pa.StructArray) else structs(rows)
    return pc.if_else(values.is_valid(), _objects(values), pa.scalar(None, pa.string()))


def structs(rows: pa.Table) -> pa.StructArray:
    """Return each row as a struct."""
    columns = [pa.concat_arrays(c.chunks) if c.num_chunks else pa.array([], c.type) for c in rows.columns]
    if not columns:
        return pa.array([{}] * rows.num_rows, pa.struct([]))
    return pa.StructArray.from_arrays(columns, fields=list(rows.schema))


def _texts(values: pa.Array) -> pa.Array:
    """Return the JSON text of each value, `null` for null."""
    return pc.if_else(values.is_valid(), _unless_null(values), pa.scalar(_NULL))


def _unless_null(values: pa.Array) -> pa.Array:
    type_ = values.type
    if pa.types.is_struct(type_):
        return _objects(values)
    if pa.types.is_map(type_):
        return _maps(values)
    if pa.types.is_list(type_) or pa.types.is_large_list(type_):
        items = _joined(values.offsets, _texts(values.values))
        return pc.binary_join_element_wise("[", items, "]", "")
    if is_text(type_):
        return _quoted(values.cast(pa.string()))
    if pa.types.is_floating(type_):
        return _floats(values)
    if pa.types.is_binary(type_) or pa.types.is_large_binary(type_) or pa.types.is_fixed_size_binary(type_):
        import polars as pl

        encoded = pl.Series(values.cast(pa.binary())).bin.encode("base64").to_arrow()
        return pc.binary_join_element_wise('"', encoded.cast(pa.string()), '"', "")
    return _numbers(values).cast(pa.string())


def _numbers(values: pa.Array) -> pa.Array:
    """Return values whose cast to a string is their JSON text; dates and times become integers."""
    type_ = values.type
    if pa.types.is_integer(type_) or pa.types.is_boolean(type_) or pa.types.is_decimal(type_):
        return values
    if pa.types.is_date32(type_):
        return values.cast(pa.int32())
    if pa.types.is_timestamp(type_):
        return values.cast(pa.timestamp("us", type_.tz)).cast(pa.int64())
    if pa.types.is_time(type_):
        return values.cast(pa.time64("us")).cast(pa.int64())
    if pa.types.is_null(type_):
        return values
    raise UnsupportedTable(
        f"changes of a column of type {type_} cannot be shown as JSON; set incremental_format='latest_state'",
        code="json",
    )


def _floats(values: pa.Array) -> pa.Array:
    """Return the shortest decimal texts with a point or exponent, as in Java except for the form of exponents.

    NaN and the infinities are quoted names.
    """
    texts = pc.replace_substring_regex(values.cast(pa.string()), r"^(-?[0-9]+)$", r"\1.0")
    if pc.all(pc.is_finite(values)).as_py() in (True, None):
        return texts
    for text, quoted in _NOT_FINITE.items():
        texts = pc.if_else(pc.equal(texts, text), quoted, texts)
    return texts


def _quoted(texts: pa.Array) -> pa.Array:
    if pc.any(pc.match_substring_regex(texts, _TO_ESCAPE)).as_py():
        texts = pc.replace_substring(texts, "\\", "\\\\")
        for character, escaped in (_ESCAPED | _CONTROLS).items():
            texts = pc.replace_substring(texts, character, escaped)
    return pc.binary_join_element_wise('"', texts, '"', "")


def _objects(values: pa.StructArray) -> pa.Array:
    parts: list[pa.Array | str] = []
    for field, column in zip(values.type.fields, values.flatten(), strict=True):
        parts += [f"{',' if parts else '{'}{json.dumps(field.name, ensure_ascii=False)}:", _texts(column)]
    if not parts:
        return pa.repeat(pa.scalar("{}"), len(values))
    return pc.binary_join_element_wise(*parts, "}", "")


def _maps(maps: pa.MapArray) -> pa.Array:
    keys = maps.keys.cast(pa.string()) if not is_text(maps.keys.type) else maps.keys
    entries = pc.binary_join_element_wise(_quoted(keys), _texts(maps.items), ":")
    return pc.binary_join_element_wise("{", _joined(maps.offsets, entries), "}", "")


def _joined(offsets: pa.Array, texts: pa.Array) -> pa.Array:
    """Return the texts of each list, separated by commas."""
    lists = pa.LargeListArray if pa.types.is_int64(offsets.type) else pa.ListArray
    return pc.binary_join(lists.from_arrays(offsets, texts), ",")
