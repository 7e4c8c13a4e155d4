"""Changes that bring a catalog to the required state. They are computed from values, without calls of a service."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TypeAlias

from attrs import evolve, frozen

from hoodoo.catalog_sync.wanted_tables import WantedTable
from hoodoo.errors import CatalogError
from hoodoo.plugin import CatalogColumn, CatalogPartition, CatalogTable

__all__ = [
    "LAST_COMMIT",
    "LAST_COMPLETION",
    "AddPartitions",
    "AddTable",
    "AlterTable",
    "Change",
    "DropPartitions",
    "MovePartitions",
    "partition_changes",
    "table_change",
    "with_last_commit",
]

LAST_COMMIT, LAST_COMPLETION = "last_commit_time_sync", "last_commit_completion_time_sync"
"""Properties with the time of the last commit that a sync compared, and the latest completion time at that sync."""


@frozen
class AddTable:
    """Creation of a table in the catalog."""

    table: CatalogTable

    def __str__(self) -> str:
        return f"created table {self.table.label}"


@frozen
class AlterTable:
    """Change of a table's columns, formats or properties.

    Attributes:
        table: The table after the change.
        added: Names of columns that the table gets.
        retyped: Names of columns whose type changes.
        cascade: Whether the columns of the partitions change as well. Hive reads a partition by its own columns, and
            shows null for a column that only the table has.
    """

    table: CatalogTable
    added: tuple[str, ...] = ()
    retyped: tuple[str, ...] = ()
    cascade: bool = False

    def __str__(self) -> str:
        details = [
            f"{what} {', '.join(names)}"
            for what, names in (("added", self.added), ("changed the type of", self.retyped))
            if names
        ]
        return f"altered table {self.table.label}: {'; '.join(details) or 'properties'}"


@frozen
class _Partitions:
    """Change of partitions of a table."""

    table: CatalogTable
    partitions: tuple[CatalogPartition, ...]

    def __str__(self) -> str:
        verb = {"AddPartitions": "added", "MovePartitions": "moved"}.get(type(self).__name__, "dropped")
        plural = "" if len(self.partitions) == 1 else "s"
        return f"{verb} {len(self.partitions)} partition{plural} of {self.table.label}"


class AddPartitions(_Partitions):
    """Addition of partitions to a table in the catalog."""


class MovePartitions(_Partitions):
    """New locations of partitions that the catalog has."""


class DropPartitions(_Partitions):
    """Removal of partitions from the catalog."""


Change: TypeAlias = AddTable | AlterTable | AddPartitions | MovePartitions | DropPartitions


def table_change(wanted: WantedTable, existing: CatalogTable | None) -> AddTable | AlterTable | None:
    """Return the change that a catalog needs for a table: `AddTable` if `existing` is None; None if nothing changes.

    Properties that the catalog has in addition remain.

    Raises:
        CatalogError: The table in the catalog is at another location, or has other partition columns.
    """
    table = wanted.table
    if existing is None:
        return AddTable(table)
    _check_same(table, existing)
    columns = table.columns if wanted.comments else _with_comments(table.columns, existing.columns)
    # the kind of an existing table remains
    properties = {name: value for name, value in table.properties.items() if name != "EXTERNAL"}
    altered = evolve(
        table,
        columns=columns,
        partition_columns=existing.partition_columns,
        location=existing.location,
        serde_properties={**existing.serde_properties, **table.serde_properties},
        properties={**existing.properties, **properties},
        managed=existing.managed,
    )
    if _plain(altered) == _plain(existing):
        return None
    before = {column.name.lower(): column.type for column in existing.columns}
    added = tuple(column.name for column in columns if column.name.lower() not in before)
    retyped = tuple(
        column.name
        for column in columns
        if not _is_same_type(before.get(column.name.lower(), column.type), column.type)
    )
    recolumned = _plain_columns(columns) != _plain_columns(existing.columns)
    return AlterTable(altered, added, retyped, cascade=recolumned and bool(existing.partition_columns))


def partition_changes(
    wanted: WantedTable,
    existing: Iterable[CatalogPartition],
    present: Collection[str],
    absent: Collection[str] | None,
) -> list[Change]:
    """Return the changes that a catalog needs: additions, moves and removals of partitions, in this order.

    A sync with another option for decoding may have added an entry for the same folder with other values. This entry is
    dropped, because the folder would be listed twice.

    Args:
        wanted: The table that the catalog should have, with its rule for partition values.
        existing: The partitions in the catalog, at least those with the values of the paths in `present` and `absent`,
            decoded or not.
        present: Partition paths of the table.
        absent: Partition paths that the table no longer has; None if `present` are all partitions, so that each other
            partition of the catalog is dropped.

    Raises:
        CatalogError: A partition path does not fit the partition columns, or two paths have the same values.
    """
    table = wanted.table
    paths: dict[tuple[str, ...], str] = {}
    for path in sorted(present):
        values = wanted.values.of(path)
        if paths.setdefault(values, path) != path:
            raise CatalogError(
                f"partition paths '{paths[values]}' and '{path}' are the same partition in {table.label}: "
                f"{', '.join(values)}; correct hoodie.datasource.hive_sync.partition_extractor_class or "
                "hoodie.meta.sync.decode_partition"
            )
    known = {partition.values: partition for partition in existing}
    wished = {values: CatalogPartition(values, location_of(table, path)) for values, path in paths.items()}
    other = {
        values
        for path in (*present, *(absent or ()))
        for values in wanted.values.spellings(path)[1:]
        if values in known and is_same_location(known[values].location, location_of(table, path))
    }
    gone = set(known) if absent is None else other.union(map(wanted.values.of, absent))
    changes: list[Change] = []
    if new := tuple(partition for values, partition in wished.items() if values not in known):
        changes.append(AddPartitions(table, new))
    if moved := tuple(
        partition
        for values, partition in wished.items()
        if values in known and not is_same_location(known[values].location, partition.location)
    ):
        changes.append(MovePartitions(table, moved))
    if dropped := tuple(known[values] for values in sorted(gone & set(known) - set(wished))):
        changes.append(DropPartitions(table, dropped))
    return changes


def with_last_commit(table: CatalogTable, time: str, completed_at: str | None) -> CatalogTable:
    """Return the table with the last commit in its properties; without a completion time, the earlier one remains."""
    completion = {} if completed_at is None else {LAST_COMPLETION: completed_at}
    return evolve(table, properties={**table.properties, LAST_COMMIT: time, **completion})


def location_of(table: CatalogTable, path: str) -> str:
    """Return the location of a partition of a table; that of the table for the path ""."""
    return f"{table.location}/{path}" if path else table.location


def is_same_location(first: str, second: str) -> bool:
    """Return whether two locations are the same folder, even with different schemes of a store or a final slash."""
    return _folder(first) == _folder(second)


def _folder(location: str) -> str:
    _, separator, rest = location.partition("://")
    if separator:
        # an authority is a bucket or host, except for local files
        return rest.rstrip("/")
    return location.removeprefix("file:").rstrip("/")


def _check_same(table: CatalogTable, existing: CatalogTable) -> None:
    if not is_same_location(table.location, existing.location):
        raise CatalogError(
            f"{table.label} in the catalog is at {existing.location}, and this table is at {table.location}; drop the "
            "table from the catalog if it is out of date, or choose another name by hoodie.datasource.hive_sync.table"
        )
    ours, theirs = ([column.name.lower() for column in each.partition_columns] for each in (table, existing))
    if ours != theirs:
        raise CatalogError(
            f"{table.label} in the catalog has {_partitioned(theirs)}, and this table has {_partitioned(ours)}; a "
            "catalog cannot change them: drop the table from the catalog, or correct "
            "hoodie.datasource.hive_sync.partition_fields"
        )


def _partitioned(columns: Sequence[str]) -> str:
    return f"the partition columns {', '.join(columns)}" if columns else "no partition columns"


def _with_comments(columns: Sequence[CatalogColumn], existing: Sequence[CatalogColumn]) -> tuple[CatalogColumn, ...]:
    comments = {column.name.lower(): column.comment for column in existing}
    return tuple(evolve(column, comment=comments.get(column.name.lower(), "")) for column in columns)


def _plain(table: CatalogTable) -> tuple[object, ...]:
    """Return the compared parts of a table: columns without case and spaces in types, formats, and properties."""
    columns = tuple((column.name.lower(), _plain_type(column.type), column.comment) for column in table.columns)
    formats = (table.input_format, table.output_format, table.serde)
    return columns, formats, _texts(table.serde_properties), _texts(table.properties)


def _plain_columns(columns: Sequence[CatalogColumn]) -> list[tuple[str, str]]:
    return [(column.name.lower(), _plain_type(column.type)) for column in columns]


def _texts(properties: Mapping[str, str]) -> dict[str, str]:
    return {name: str(value) for name, value in properties.items()}


def _is_same_type(first: str, second: str) -> bool:
    return _plain_type(first) == _plain_type(second)


def _plain_type(type_: str) -> str:
    return "".join(type_.split()).lower()
