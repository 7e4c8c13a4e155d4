"""Public functions: a table as a relation, or registered with a name."""

from __future__ import annotations

import os
from typing import Any

import duckdb

from hoodoo.options import ReadOptions, parse
from hoodoo_duckdb.dataset import HudiDataset

__all__ = ["register", "relation"]


def relation(
    connection: duckdb.DuckDBPyConnection, path: str | os.PathLike[str], **options: Any
) -> duckdb.DuckDBPyRelation:
    """Return a Hudi table as a relation of its current rows, without later commits.

    Rows are read when the relation is evaluated. Each evaluation reads the columns of the query and the rows that match
    the filters of DuckDB; filters are applied after log records are merged.

    Args:
        connection: The connection of the relation.
        path: The root folder of the table.
        options: See `docs/options.md`, "Reading": `query_type`, `as_of`, `columns`, `meta_columns`, or Hudi's keys.

    Raises:
        NotATable: There is no table at the path.
        UnknownOption: There is no option with this name.
        UnknownPlugin: The rule that merges the logs is not installed.
        UnsupportedTable, CorruptTableError: The table cannot be read.
    """
    return connection.from_arrow(_dataset(path, options))


def register(connection: duckdb.DuckDBPyConnection, name: str, path: str | os.PathLike[str], **options: Any) -> None:
    """Register a Hudi table with a name for the SQL of a connection. Arguments and errors are those of `relation`.

    The name refers to the current state of the table until it is registered again. `connection.unregister` removes it.
    """
    connection.register(name, _dataset(path, options))


def _dataset(path: str | os.PathLike[str], options: dict[str, Any]) -> HudiDataset:
    given = parse(options, [ReadOptions])[ReadOptions]
    return HudiDataset(path, given)
