"""Checks of tables whose files lack the values of meta columns or partition columns."""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa

from hoodoo.errors import OptionError, SchemaError
from hoodoo.plugin.installed.catalogue import default_catalogue
from hoodoo.properties import property_keys as keys
from hoodoo.properties.new_table import KEYGEN_TYPES
from hoodoo.record import KeyConfig
from hoodoo.table_rules.keygen_choice import keygen_class
from hoodoo.writing.prepare.prepared_write import Prepared

__all__ = ["check_layout", "columns_stored", "layout_properties"]

_MAKING_KEYS = ("SIMPLE", "COMPLEX", "NON_PARTITION")
"""The types of key generators whose keys Hudi's readers make from columns."""

_WITH_VALUES = ("SIMPLE", "COMPLEX")
"""The types of key generators whose partition paths contain the values of the columns."""


def layout_properties(wanted: Mapping[str, str]) -> dict[str, str]:
    """Return the properties of a new table that state which values its files lack.

    Args:
        wanted: The properties that correspond to the options.
    """
    found = {keys.DROP_PARTITION_COLUMNS: wanted.get(keys.DROP_PARTITION_COLUMNS, "false")}
    if wanted.get(keys.POPULATE_META_FIELDS) == "false":
        found[keys.POPULATE_META_FIELDS] = "false"
    return found


def columns_stored(rows: pa.Schema, config: KeyConfig, properties: Mapping[str, str]) -> pa.Schema:
    """Return the columns of rows in the types of the table: columns that files lack are strings.

    Args:
        rows: The columns of the rows.
        config: The configuration of the key generator, with the partition columns.
        properties: The properties of the table, which state whether files lack the partition columns.
    """
    if properties.get(keys.DROP_PARTITION_COLUMNS, "").lower() != "true":
        return rows
    return pa.schema(
        [pa.field(field.name, pa.string()) if field.name in config.partition_columns else field for field in rows]
    )


def check_layout(rows: pa.Schema, prepared: Prepared) -> None:
    """Raise if readers could not compute the values that the files of the table lack.

    Args:
        rows: The columns of the rows.
        prepared: The write, with its table, keys and index.

    Raises:
        OptionError: The record keys of a table without meta columns cannot be made from its columns (code
            `meta_columns`), or partition paths do not contain the values of the columns that the files lack
            (`dropped_partition_columns`).
        SchemaError: A column that the files lack has a type whose values differ from their text in the partition path.
    """
    if not prepared.table.fills_meta:
        _check_made_keys(prepared)
    if prepared.table.path_columns.names:
        _check_values_in_paths(prepared)
        _check_types(rows, prepared.table.path_columns.names)


def _check_made_keys(prepared: Prepared) -> None:
    """Raise if there are no record key columns, or if Hudi's readers cannot make the keys of the key generator."""
    config = prepared.keys.config
    where = f"the table has no meta columns ({keys.POPULATE_META_FIELDS}=false)"
    if not config.record_key:
        raise OptionError(
            f"{where} and no record key columns: a row would have no key; give 'record_key', or leave "
            f"'{keys.POPULATE_META_FIELDS}' out",
            code="meta_columns",
        )
    if _keygen_type(prepared) not in _MAKING_KEYS:
        raise OptionError(
            f"{where}, so that readers make its record keys from columns, and the key generator is "
            f"'{prepared.keys.keygen.name}': Hudi does so only for types {', '.join(_MAKING_KEYS)}; "
            f"use a key generator of one of these types, or leave '{keys.POPULATE_META_FIELDS}' out",
            code="meta_columns",
        )


def _check_values_in_paths(prepared: Prepared) -> None:
    """Raise if partition paths do not keep the values of the partition columns, or files must have these columns."""
    config, name = prepared.keys.config, prepared.keys.keygen.name
    reasons = {
        f"key generator '{name}' writes values in another form": _keygen_type(prepared) not in _WITH_VALUES,
        "'slash_date' divides a date into three levels": config.slash_date,
        "an ordering column is among them, which logs would lack": bool(
            set(prepared.rule.config.ordering) & set(config.partition_columns)
        ),
        "a record key column is among them, and the table has no meta columns": not prepared.table.fills_meta
        and bool(set(config.record_key) & set(config.partition_columns)),
        "'update_partition' is false, so that a row stays in the partition of another value": (
            prepared.index.is_global and prepared.operation.merges and not prepared.index.moves_rows
        ),
    }
    reason = next((text for text, holds in reasons.items() if holds), None)
    if reason is not None:
        raise OptionError(
            f"the table leaves its partition columns ({', '.join(config.partition_columns)}) out of its files "
            f"({keys.DROP_PARTITION_COLUMNS}=true), and their values would be lost: {reason}; create the table "
            "with the columns in its files",
            code="dropped_partition_columns",
        )


def _check_types(rows: pa.Schema, names: tuple[str, ...]) -> None:
    for name in names:
        place = rows.get_field_index(name)
        type_ = None if place < 0 else rows.field(place).type
        if type_ is not None and not _is_its_text(type_):
            raise SchemaError(
                f"partition column '{name}' is of type {type_}, and the table leaves its partition columns out of its "
                f"files ({keys.DROP_PARTITION_COLUMNS}=true): readers would find the text of the partition path, which "
                "is another value; cast the column to text, whole numbers or dates, or create the table with the "
                "column in its files",
                code="dropped_partition_columns",
            )


def _is_its_text(type_: pa.DataType) -> bool:
    """Return whether the text of values of a type is the same as in a partition path."""
    types = pa.types
    texts = types.is_string(type_) or types.is_large_string(type_) or types.is_string_view(type_)
    return bool(texts or types.is_integer(type_) or types.is_date32(type_) or types.is_boolean(type_))


def _keygen_type(prepared: Prepared) -> str | None:
    stored = keygen_class(default_catalogue(), prepared.keys.keygen.name, prepared.keys.config)
    return KEYGEN_TYPES.get(stored.rpartition(".")[2])
