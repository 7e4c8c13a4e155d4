"""Functions for users, which open a table as a relation or register it under a name."""

from __future__ import annotations

import os
from typing import Any

import duckdb

from hoodoo import Table
from hoodoo.options import ReadOptions, StorageOptions, parse
from hoodoo_duckdb.dataset import HudiDataset

__all__ = ["register", "relation"]


def relation(
    connection: duckdb.DuckDBPyConnection, path: str | os.PathLike[str], **options: Any
) -> duckdb.DuckDBPyRelation:
    """Return a Hudi table as a relation, with the rows of the table as of this call.

    Rows are read when the relation is read. Each scan reads the columns that the query needs and returns the rows that
    pass the filters that DuckDB pushes down; filters are applied after log records are merged.

    Args:
        connection: The connection of the relation.
        path: The root folder of the table, a local path or the URI of a store.
        options: See `docs/options.md`, "Reading": `query_type`, `as_of`, `columns`, `meta_columns` and the others, or
            Hudi's keys, and the options of object stores.

    Raises:
        NotATable: There is no table at the path.
        UnknownOption: No option has this name.
        OptionError: The value of an option is invalid, options contradict each other, or they require files, commits
            or meta columns that the table does not have.
        SchemaError: The table does not have a column of `columns`.
        UnknownPlugin: Logs have to be merged by a rule that is not installed.
        UnsupportedTable: hoodoo does not support the table.
        CorruptTableError: A file of the table is damaged or missing.
        StorageError: The files of the table cannot be read.
    """
    return connection.from_arrow(_dataset(path, options))


def register(connection: duckdb.DuckDBPyConnection, name: str, path: str | os.PathLike[str], **options: Any) -> None:
    """Register a Hudi table under a name in the SQL of a connection; arguments and errors are those of `relation`.

    The name refers to the table as of this call until it is registered again. `connection.unregister` removes it.
    """
    connection.register(name, _dataset(path, options))


def _dataset(path: str | os.PathLike[str], options: dict[str, Any]) -> HudiDataset:
    given = parse(options, [ReadOptions, StorageOptions])[ReadOptions]
    return HudiDataset(Table(path, options), given)
