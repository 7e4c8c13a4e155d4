"""Checks of tables whose files lack values: of the meta columns, or of the partition columns."""

from __future__ import annotations

import pyarrow as pa

from hoodoo.errors import OptionError
from hoodoo.plugin.catalog.catalog import default_catalogue
from hoodoo.properties import property_keys as keys
from hoodoo.properties.new_table import KEYGEN_TYPES
from hoodoo.table_rules.keygen_choice import keygen_class
from hoodoo.writing.prepare.prepared_write import Prepared

__all__ = ["check_layout"]

_KEYGENS = ("SIMPLE", "COMPLEX", "NON_PARTITION")
"""The types of key generators whose keys Hudi's readers make of columns."""


def check_layout(rows: pa.Schema, prepared: Prepared) -> None:
    """Raise if readers could not make the values that the files of the table lack.

    Args:
        rows: The columns of the rows.
        prepared: The write.

    Raises:
        OptionError: The record keys of a table without meta columns could not be made of its columns (code
            `meta_columns`).
    """
    if not prepared.table.fills_meta:
        _check_made_keys(prepared)


def _check_made_keys(prepared: Prepared) -> None:
    """Raise if the key generator is not one of those with which Hudi reads and writes tables without meta columns."""
    config, name = prepared.keys.config, prepared.keys.keygen.name
    where = f"the table has no meta columns ({keys.POPULATE_META_FIELDS}=false)"
    if not config.record_key:
        raise OptionError(
            f"{where} and no record key columns: a row would have no key. Give 'record_key', or leave "
            f"'{keys.POPULATE_META_FIELDS}' out",
            code="meta_columns",
        )
    stored = keygen_class(default_catalogue(), name, config)
    if KEYGEN_TYPES.get(stored.rpartition(".")[2]) not in _KEYGENS:
        raise OptionError(
            f"{where}, so that readers make its record keys of columns, and the key generator is "
            f"'{name}': Hudi does so for its simple, complex and non-partitioned key generators "
            f"only. Use one of these, or leave '{keys.POPULATE_META_FIELDS}' out",
            code="meta_columns",
        )
