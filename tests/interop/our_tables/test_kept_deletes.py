"""Deletes that hoodoo keeps with their columns in data blocks of logs, read by Hudi as deletes.

Hudi has no rule that reads columns of deletes, and refuses tables with such a rule. The tables therefore get the merge
mode of event time after they are written, and both sides read the same logs by it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import hoodoo
from hoodoo.testing.engine import write_arrow
from tests.interop.comparing import parquet_table
from tests.interop.processes.hudi_side import HudiSide

pytestmark = pytest.mark.interop

Sides = Callable[[str], HudiSide]

FLAG = "_hoodie_is_deleted"
COLUMNS = {"id": pa.string(), "ts": pa.int64(), "v": pa.string()}
SCHEMAS = {"flag": pa.schema({**COLUMNS, FLAG: pa.bool_()}), "marker": pa.schema({**COLUMNS, "op": pa.string()})}
MARKER = {"delete_field": "op", "delete_marker": "D"}
OPTIONS = {
    "table_name": "t",
    "record_key": "id",
    "ordering": "ts",
    "merger": "aggregate",
    "merger_options": {"default_agg": "last-value"},
    "table_type": "MERGE_ON_READ",
    "index": "bucket",
    "buckets": 1,
}
EVENT_TIME = {
    6: ("hoodie.compaction.payload.class=org.apache.hudi.common.model.DefaultHoodieRecordPayload",),
    9: (
        "hoodie.record.merge.mode=EVENT_TIME_ORDERING",
        "hoodie.record.merge.strategy.id=eeb8d96f-b1e4-49fd-bbf8-28ac514178e5",
    ),
}


def write(path: Path, mark: str, *rows: tuple[Any, ...], **options: Any) -> None:
    """Write rows of key, ordering value, value and whether they are a delete."""
    schema = SCHEMAS[mark]
    marks = {"flag": (False, True), "marker": ("U", "D")}[mark]
    records = [dict(zip(schema.names, (*row[:3], marks[row[3]]), strict=True)) for row in rows]
    write_arrow(pa.Table.from_pylist(records, schema), path, {**OPTIONS, **options})


def merged_by_event_time(path: Path, version: int, *more: str) -> None:
    """Replace the rule in the table properties by the merge mode of event time, and add the lines `more`."""
    file = path / ".hoodie/hoodie.properties"
    own = re.compile(r"hoodoo\.|hoodie\.record\.merge\.(mode|strategy)|hoodie\.compaction\.payload")
    kept = [line for line in file.read_text().splitlines() if not own.match(line)]
    file.write_text("\n".join([*kept, *EVENT_TIME[6 if version == 6 else 9], *more]) + "\n")


def as_version_8(path: Path) -> None:
    """Change the properties of a table of version 9 to those of version 8, which has the same files."""
    file = path / ".hoodie/hoodie.properties"
    text = file.read_text().replace("hoodie.table.version=9", "hoodie.table.version=8")
    file.write_text(text.replace("hoodie.table.ordering.fields", "hoodie.table.precombine.field"))


def both_read(path: Path, side: HudiSide, to: Path) -> list[list[tuple[Any, ...]]]:
    """Return the rows that hoodoo reads, and those that Hudi reads."""
    side.read(path, {}, to)
    tables = hoodoo.Table(path).to_arrow(), parquet_table(to)
    return [sorted(tuple(row.values()) for row in table.select(list(COLUMNS)).to_pylist()) for table in tables]


@pytest.mark.parametrize("log_format", ["avro", "parquet"])
@pytest.mark.parametrize(
    ("version", "release"), [(6, "0.15.0"), (6, "1.2.0"), (8, "1.0.2"), (8, "1.2.0"), (9, "1.2.0")]
)
def test_hudi_reads_kept_deletes_as_deletes(
    version: int, release: str, log_format: str, hudi: Sides, tmp_path: Path
) -> None:
    assert kept_deletes_in("flag", version, log_format, hudi(release), tmp_path)


@pytest.mark.parametrize("log_format", ["avro", "parquet"])
@pytest.mark.parametrize(
    ("version", "release"), [(6, "0.15.0"), (6, "1.2.0"), (8, "1.0.2"), (8, "1.2.0"), (9, "1.2.0")]
)
def test_hudi_seldom_recognizes_the_delete_column_of_the_table(
    version: int, release: str, log_format: str, hudi: Sides, tmp_path: Path
) -> None:
    """Only Hudi 1.2.0 reads records with the delete marker as deletes, and only in tables of version 6."""
    recognized = kept_deletes_in("marker", version, log_format, hudi(release), tmp_path)

    assert recognized == ((version, release) == (6, "1.2.0"))


def kept_deletes_in(mark: str, version: int, log_format: str, side: HudiSide, folder: Path) -> bool:
    """Return True if Hudi reads all marked records as deletes, and False if none; hoodoo must read all as deletes."""
    path = folder / "table"
    created = {
        "table_version": 9 if version == 8 else version,
        "log_format": log_format,
        **(MARKER if mark == "marker" else {}),
    }
    stored = [(key, 10, "stored", False) for key in "abcd"]
    write(path, mark, *stored, operation="bulk_insert", **created)
    if version == 8:
        as_version_8(path)
    write(path, mark, ("a", 20, "gone", True), ("b", 5, "late", True), ("c", 20, "gone", True), ("e", 20, "", True))
    write(path, mark, ("c", 30, "back", False), ("e", 10, "late", False))
    merged_by_event_time(path, version)

    ours, theirs = both_read(path, side, folder / "read")
    left = [("b", 10, "stored"), ("c", 30, "back"), ("d", 10, "stored")]
    assert ours == left
    if theirs != left:
        assert theirs == sorted([*left, ("a", 20, "gone"), ("e", 20, "")])
    return theirs == left


@pytest.mark.parametrize("log_format", ["avro", "parquet"])
def test_a_kept_delete_fills_nothing_of_a_partial_update(log_format: str, hudi: Sides, tmp_path: Path) -> None:
    path = tmp_path / "table"
    write(path, "flag", ("a", 10, "stored", False), operation="bulk_insert", table_version=9, log_format=log_format)
    write(path, "flag", ("b", 20, "gone", True))
    write(path, "flag", ("b", 30, None, False), ("a", 30, None, False))
    merged_by_event_time(path, 9, "hoodie.table.partial.update.mode=IGNORE_DEFAULTS")

    ours, theirs = both_read(path, hudi("1.2.0"), tmp_path / "read")
    assert ours == theirs == [("a", 30, "stored"), ("b", 30, None)]


@pytest.mark.parametrize("log_format", ["avro", "parquet"])
@pytest.mark.parametrize(("version", "release"), [(6, "0.15.0"), (6, "1.2.0"), (9, "1.2.0")])
def test_hudi_writes_on_and_compacts_kept_deletes(
    version: int, release: str, log_format: str, hudi: Sides, tmp_path: Path
) -> None:
    path, file, side = tmp_path / "table", tmp_path / "rows.parquet", hudi(release)
    stored = [(key, 10, "stored", False) for key in "abcd"]
    write(path, "flag", *stored, operation="bulk_insert", table_version=version, log_format=log_format)
    write(path, "flag", ("a", 20, "gone", True), ("b", 5, "late", True), ("c", 20, "gone", True), ("e", 20, "", True))
    merged_by_event_time(path, version)

    batch = [("c", 30, "back", False), ("d", 30, "new", False), ("b", 40, "gone", True)]
    pq.write_table(pa.Table.from_pylist([dict(zip(SCHEMAS["flag"].names, row, strict=True)) for row in batch]), file)
    options = {
        "hoodie.table.name": "t",
        "hoodie.datasource.write.recordkey.field": "id",
        "hoodie.datasource.write.precombine.field": "ts",
        "hoodie.datasource.write.partitionpath.field": "",
        "hoodie.datasource.write.table.type": "MERGE_ON_READ",
        "hoodie.write.table.version": str(version),
        "hoodie.write.auto.upgrade": "false",
        "hoodie.index.type": "BUCKET",
        "hoodie.bucket.index.num.buckets": "1",
        "hoodie.compact.inline": "true",
        "hoodie.compact.inline.max.delta.commits": "1",
    }
    side.write(path, file, options)

    left = [("c", 30, "back"), ("d", 30, "new")]
    assert "commit" in {instant.action for instant in hoodoo.Table(path).timeline.commits}
    assert both_read(path, side, tmp_path / "read") == [left, left]
    compacted = hoodoo.Table(path).to_arrow(query_type="read_optimized", columns=list(COLUMNS))
    assert sorted(tuple(row.values()) for row in compacted.to_pylist()) == left
