"""Figures of the quickstart, all read from the tables without Spark."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
from attrs import frozen

from hoodoo import Commit, Table
from hoodoo.cli.quickstart.trip_events import TripEvents
from hoodoo.errors import CorruptTableError

__all__ = ["Facts", "Partition", "TableFigures", "TripHistory", "TripVersion", "read_back"]


@frozen
class TripVersion:
    """Version of a trip in a table; `commit` is the instant that wrote it."""

    status: str
    fare: Decimal
    ts: datetime
    commit: str


@frozen
class Partition:
    """Partition of a table in its latest state; `bytes` is the size of its base files."""

    path: str
    file_slices: int
    rows: int
    bytes: int


@frozen
class TableFigures:
    """Figures of a table.

    Attributes:
        path: The root folder.
        commits: The commits, oldest first.
        rows: The number of rows after each commit.
        partitions: The partitions, in the order of their paths.
        base_files: The number of base files on disk, including those of earlier states.
    """

    path: Path
    commits: tuple[Commit, ...]
    rows: tuple[int, ...]
    partitions: tuple[Partition, ...]
    base_files: int


@frozen
class TripHistory:
    """Versions of one trip: `first` is that after the first load, and `now` are the latest ones by merger.

    A version is None if the table does not have the trip.
    """

    trip_id: str
    first: TripVersion | None
    now: Mapping[str, TripVersion | None]


@frozen
class Facts:
    """Figures of the tables by merger, and the histories of three trips: with a late record, a tie and a delete."""

    tables: Mapping[str, TableFigures]
    late: TripHistory
    tied: TripHistory
    deleted: TripHistory


def read_back(paths: Mapping[str, Path], events: TripEvents) -> Facts:
    """Return figures and trips that are read from the tables. The events are used only to choose the trips.

    Raises:
        CorruptTableError: A table has a trip more than once.
    """
    tables = {merger: Table(path) for merger, path in paths.items()}
    facts = {merger: _table_facts(paths[merger], table) for merger, table in tables.items()}
    first_table, first_facts = next((table, facts[merger]) for merger, table in tables.items())
    first_instant = first_facts.commits[0].instant

    def follow(trip_id: str) -> TripHistory:
        now = {merger: _version(table, trip_id) for merger, table in tables.items()}
        return TripHistory(trip_id, _version(first_table, trip_id, first_instant), now)

    late, tied = (follow(trips[0].as_py()) for trips in (events.late, events.tied))
    return Facts(facts, late, tied, follow(events.deletes["trip_id"][0].as_py()))


def _table_facts(path: Path, table: Table) -> TableFigures:
    commits = tuple(reversed(table.history()))
    rows = tuple(table.to_arrow(["trip_id"], as_of=commit.instant).num_rows for commit in commits)
    counts = (
        table.to_arrow(["_hoodie_partition_path"]).group_by("_hoodie_partition_path").aggregate([([], "count_all")])
    )
    by_partition = dict(zip(*(column.to_pylist() for column in counts.columns), strict=True))
    slices = table.file_slices()
    partitions = []
    for name in sorted({each.partition for each in slices}):
        sizes = [each.size for each in slices if each.partition == name]
        partitions.append(Partition(name, len(sizes), by_partition.get(name, 0), sum(sizes)))
    base_files = sum(1 for _ in path.glob("*/*.parquet"))
    return TableFigures(path, commits, rows, tuple(partitions), base_files)


def _version(table: Table, trip_id: str, as_of: str | None = None) -> TripVersion | None:
    columns = ["status", "fare", "ts", "_hoodie_commit_time"]
    rows: pa.Table = table.to_arrow(columns, pc.field("trip_id") == trip_id, as_of=as_of)
    found = [TripVersion(*row.values()) for row in rows.to_pylist()]
    if len(found) > 1:
        raise CorruptTableError(
            f"'{table.path}' has trip '{trip_id}' {len(found)} times instead of once; run the quickstart in another "
            "folder",
            file=table.path,
        )
    return found[0] if found else None
