"""Comparison of the rows of two readers."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

import hoodoo
from tests.interop.processes.hudi_side import HudiFailed, HudiSide
from tests.support.rows import rows_of

from .changes import change_difference, is_of_changes
from .known import ESCAPED
from .story import Reading, readings_of

__all__ = ["assert_read_alike", "difference", "parquet_table", "query_difference"]

_KEY = "_hoodie_record_key"


def parquet_table(folder: Path) -> pa.Table:
    """Return the rows of a folder of Parquet files."""
    return pa.concat_tables([pq.ParquetFile(file).read() for file in sorted(folder.glob("*.parquet"))])


def difference(ours: pa.Table, hudis: pa.Table) -> str:
    """Return the differences in columns, types, rows and values; empty if there are none.

    The order of rows and the types of nested columns are not compared. At most eight rows of each reader are shown.
    """
    said = []
    mine, theirs = (
        {field.name: "nested" if pa.types.is_nested(field.type) else str(field.type) for field in table.schema}
        for table in (ours, hudis)
    )
    if mine != theirs:
        said.append(
            f"columns of Hudi alone: {sorted(theirs.items() - mine.items())}, "
            f"of hoodoo alone: {sorted(mine.items() - theirs.items())}"
        )
    columns = sorted(set(mine) & set(theirs))

    def counted(table: pa.Table) -> Counter[str]:
        return Counter(repr([(name, row[name]) for name in columns]) for row in rows_of(table))

    got, wanted = counted(ours), counted(hudis)
    for who, lines in (("hoodoo", got - wanted), ("Hudi", wanted - got)):
        said += [f"of {hudis.num_rows} rows only {who} has: {line}" for line in sorted(lines.elements())[:8]]
    return "\n".join(said)


def query_difference(table: Path, arguments: Mapping[str, Any], hudis: pa.Table | str) -> str:
    """Return the difference between a query by hoodoo and by Hudi, empty where both have the same rows or both refuse.

    Args:
        table: The folder of the table.
        arguments: Arguments of `Table.to_arrow`.
        hudis: Rows that Hudi returned, or the message of its error.
    """
    try:
        ours = hoodoo.Table(table).to_arrow(**arguments)
    except hoodoo.errors.HoodooError as error:
        return "" if isinstance(hudis, str) else f"hoodoo refuses: {type(error).__name__}: {error}"
    if isinstance(hudis, str):
        return f"Hudi refuses, hoodoo reads {ours.num_rows} rows: {hudis[:500]}"
    if is_of_changes(hudis):
        return change_difference(ours, hudis, hoodoo.Table(table).schema)
    return difference(ours, hudis)


def assert_read_alike(
    table: Path,
    side: HudiSide,
    folder: Path,
    alone: Mapping[str, Collection[str]] | None = None,
    *,
    escaped: bool = False,
    refused: Collection[str] = (),
) -> None:
    """Assert that hoodoo and Hudi return the same rows for every query, or both refuse it.

    Args:
        table: The folder of the table.
        side: The session of Hudi.
        folder: Folder for the rows that Hudi returns, which is removed at the end.
        alone: The record keys of rows that only Hudi returns, for a reason in `known`, by the beginning of the names of
            the queries; each key must occur in at least one of these queries.
        escaped: Whether Hudi has escaped paths in the column `part` of incremental queries: see `known.ESCAPED`.
        refused: Names of queries that hoodoo alone refuses, for a reason in `known`.
    """
    differences, escapes = {}, False
    unseen = {(kind, key) for kind, keys in (alone or {}).items() for key in keys}
    known = frozenset(unseen)
    for reading in readings_of(table):
        to = folder / reading.name
        try:
            side.read(table, reading.hudi, to)
        except HudiFailed:
            # both refuse a query of commits whose files were cleaned
            assert_refused(table, reading)
            continue
        if reading.name in refused:
            assert_refused(table, reading)
            continue
        ours, hudis = hoodoo.Table(table).to_arrow(**reading.ours), parquet_table(to)
        if escaped and reading.name.startswith("incremental"):
            shown = hudis["part"].to_pylist()
            values = [path and unquote(path) for path in shown]
            escapes |= shown != values
            hudis = hudis.set_column(hudis.schema.get_field_index("part"), "part", pa.array(values, pa.string()))
        extra = set(hudis[_KEY].to_pylist()) - set(ours[_KEY].to_pylist())
        seen = {(kind, key) for kind, key in known if reading.name.startswith(kind) and key in extra}
        unseen -= seen
        hudis = hudis.filter(pc.invert(pc.is_in(hudis[_KEY], pa.array([key for _, key in seen], pa.string()))))
        found = difference(ours, hudis)
        if found:
            differences[reading.name] = found
    shutil.rmtree(folder)
    assert not differences, "\n".join(f"{query}: {found}" for query, found in differences.items())
    assert not unseen, f"a known difference has disappeared; only Hudi should return these keys: {sorted(unseen)}"
    assert escapes == escaped, f"a known difference has disappeared: {ESCAPED}"


def assert_refused(table: Path, reading: Reading) -> None:
    """Assert that hoodoo refuses the query."""
    with pytest.raises(hoodoo.errors.HoodooError):
        hoodoo.Table(table).to_arrow(**reading.ours)
