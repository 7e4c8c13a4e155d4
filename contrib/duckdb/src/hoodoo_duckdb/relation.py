"""What a user calls: a table as a relation, or under a name."""

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
    """A Hudi table as a relation: the rows of the table as it is now, whatever is committed later.

    Nothing is read until the relation is. Every reading of it takes the columns that the query needs and the rows
    that pass the filters that DuckDB hands over; filters are applied after log records were merged.

    Args:
        connection: The connection that the relation belongs to.
        path: The table's root folder.
        options: See `docs/options.md`, "Reading": `query_type`, `as_of`, `columns`, `meta_columns`, or Hudi's keys.

    Raises:
        NotATable: there is no table at the path.
        UnknownOption: no option has this name.
        UnknownPlugin: logs have to be merged by a rule that is not installed.
        UnsupportedTable, CorruptTableError: the table cannot be read.
    """
    return connection.from_arrow(_dataset(path, options))


def register(connection: duckdb.DuckDBPyConnection, name: str, path: str | os.PathLike[str], **options: Any) -> None:
    """Give a Hudi table a name in the SQL of a connection; arguments and errors as those of `relation`.

    The name stands for the table as it is now until it is registered again. `connection.unregister` takes it away.
    """
    connection.register(name, _dataset(path, options))


def _dataset(path: str | os.PathLike[str], options: dict[str, Any]) -> HudiDataset:
    given = parse(options, [ReadOptions])[ReadOptions]
    return HudiDataset(path, given)
