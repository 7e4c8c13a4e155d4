"""Record keys: the bare value of one column, or `column:value` parts joined by commas.

The joined form is Hudi's and is not escaped, so values that contain `,` and `:` can collide: see `qualifiers`.
"""

from __future__ import annotations

from functools import reduce

import pyarrow as pa
import pyarrow.compute as pc

from hoodoo.errors import DataError, OptionError, SchemaError
from hoodoo.keys.distinct_values import example_rows
from hoodoo.keys.value_text import as_text
from hoodoo.options import default_plugins
from hoodoo.record import KeyConfig
from hoodoo.schema.columns import column_at

__all__ = ["EMPTY_PART", "NULL_PART", "composite_keys", "plain_keys", "require_fields"]

NULL_PART = "__null__"
EMPTY_PART = "__empty__"


def plain_keys(rows: pa.Table, config: KeyConfig, generator: str) -> pa.Array:
    """Return the text of the only record key column.

    Args:
        rows: The incoming rows.
        config: The configuration, with the column.
        generator: The key generator's name, for messages.

    Returns:
        A string array, one key per row, without nulls.

    Raises:
        OptionError: No record key column is configured (code `key_fields_missing`), or several
            (`simple_needs_one_field`).
        DataError: A key is null or empty, or the column is absent (`key_null_or_empty`).
        SchemaError: The column has a type that cannot be part of a key.
    """
    fields = require_fields(config)
    if len(fields) > 1:
        raise OptionError(
            f"key generator '{generator}' takes one record key column and 'record_key' names {len(fields)}:"
            f" {', '.join(fields)}; use key generator '{default_plugins.KEYGEN_OF_SEVERAL_COLUMNS}'",
            code="simple_needs_one_field",
        )
    values = column_at(rows, fields[0])
    if values is None:
        raise DataError(
            f"record key column '{fields[0]}' is not in the rows, so no row has a key;"
            f" add it to the rows, which have the columns {', '.join(rows.schema.names)}",
            code="key_null_or_empty",
        )
    text = as_text(values, fields[0], consistent_timestamps=config.consistent_logical_timestamps)
    _refuse(_blank(text), f"record key column '{fields[0]}' is null or empty")
    return text


def composite_keys(rows: pa.Table, config: KeyConfig) -> pa.Array:
    """Make keys of the form `column:value,column:value`, with `__null__` for null and `__empty__` for an empty string.

    If `config.complex_encoding` is `value`, the key of a single column is the value without the column's name.

    Returns:
        A string array, one key per row, without nulls.

    Raises:
        OptionError: No record key column is configured (code `key_fields_missing`), or the encoding is unknown.
        SchemaError: A record key column is absent (`key_field_missing`), or has a type that cannot be part of a key.
        DataError: All parts of a key are null or empty (`key_null_or_empty`).
    """
    fields = require_fields(config)
    if config.complex_encoding not in ("field", "value"):
        raise OptionError(
            f"'complex_encoding' of the KeyConfig is '{config.complex_encoding}'; set it to 'field' (key id:1) or "
            "'value' (key 1)"
        )
    texts = [_part(rows, field, config) for field in fields]
    names = ", ".join(f"'{field}'" for field in fields)
    blanks = [_blank(text) for text in texts]
    _refuse(reduce(pc.and_, blanks), f"every record key column of {names} is null or empty")
    if len(fields) == 1 and config.complex_encoding == "value":
        return texts[0]
    pieces: list[pa.Array | str] = []
    for field, text in zip(fields, texts, strict=True):
        pieces += [f"{',' if pieces else ''}{field}:", _with_placeholders(text)]
    return pc.binary_join_element_wise(*pieces, "")


def require_fields(config: KeyConfig) -> tuple[str, ...]:
    """Return the record key columns; raise OptionError (code `key_fields_missing`) if none is configured."""
    fields = tuple(field for field in config.record_key if field)
    if not fields:
        raise OptionError(
            "no record key column is configured; set 'record_key' (hoodie.datasource.write.recordkey.field)",
            code="key_fields_missing",
        )
    return fields


def _part(rows: pa.Table, field: str, config: KeyConfig) -> pa.Array:
    values = column_at(rows, field)
    if values is None:
        raise SchemaError(
            f"record key column '{field}' (option 'record_key') is not in the rows; add it, or name one of "
            f"{', '.join(rows.schema.names)}",
            code="key_field_missing",
        )
    return as_text(values, field, consistent_timestamps=config.consistent_logical_timestamps)


def _with_placeholders(text: pa.Array) -> pa.Array:
    filled = pc.fill_null(text, NULL_PART)
    empty = pc.equal(filled, "")
    return pc.if_else(empty, EMPTY_PART, filled) if pc.any(empty).as_py() else filled


def _blank(text: pa.Array) -> pa.Array:
    return pc.fill_null(pc.equal(text, ""), True)


def _refuse(blank: pa.Array, what: str) -> None:
    if pc.any(blank).as_py():
        raise DataError(
            f"{what} in {example_rows(blank)}; every record needs a key: fill it, or drop such rows before writing",
            code="key_null_or_empty",
        )
