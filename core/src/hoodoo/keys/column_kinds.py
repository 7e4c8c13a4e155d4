"""Partition columns with kinds: `column:simple` uses the value as the folder, `column:timestamp` a formatted time."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa
import pyarrow.compute as pc
from attrs import evolve

from hoodoo.errors import OptionError
from hoodoo.keys.partition_path import partition_paths
from hoodoo.record import KeyConfig

__all__ = ["column_kinds", "mixed_partition_paths"]

KINDS = ("simple", "timestamp")


def column_kinds(config: KeyConfig) -> tuple[tuple[str, str], ...]:
    """Return the partition columns with their kinds, `simple` or `timestamp`.

    Raises:
        OptionError: A column has no kind (code `partition_type_missing`), or an unknown one (`bad_partition_type`).
    """
    found = []
    for part in config.partition_by:
        column, colon, kind = part.rpartition(":")
        if not colon or not column:
            raise OptionError(
                f"'partition_by' names '{part}' without its kind, and the table's key generator needs one; "
                f"write {part}:simple or {part}:timestamp",
                code="partition_type_missing",
            )
        if kind.strip().lower() not in KINDS:
            raise OptionError(
                f"'partition_by' gives column '{column}' the kind '{kind}'; use one of the kinds {', '.join(KINDS)}",
                code="bad_partition_type",
            )
        found.append((column.strip(), kind.strip().lower()))
    return tuple(found)


def mixed_partition_paths(
    rows: pa.Table, config: KeyConfig, timed: Callable[[pa.Table, KeyConfig], pa.Array]
) -> pa.Array:
    """Make paths with one part per partition column, according to its kind; "" without partition columns.

    Args:
        rows: The incoming rows; an absent column reads as null.
        config: The configuration, with the columns and their kinds.
        timed: Function that makes the paths of a table that is partitioned by the times in one column. It is called
            for each column of kind `timestamp`, with the rows and a configuration that names only this column.

    Returns:
        A string array, one path per row, without nulls.

    Raises:
        OptionError: As `column_kinds`; `timed` may also raise it.
        DataError: `check_partition_paths` refuses a path (code `path_traversal`); `timed` may also raise it.
        SchemaError: A column has a type that cannot be part of a path; `timed` may also raise it.
    """
    levels = []
    for column, kind in column_kinds(config):
        alone = evolve(config, partition_by=(column,))
        levels.append(timed(rows, alone) if kind == "timestamp" else partition_paths(rows, alone))
    if not levels:
        return partition_paths(rows, config)
    return levels[0] if len(levels) == 1 else pc.binary_join_element_wise(*levels, "/")
