"""Updates whose logs have only the assigned columns, read by Hudi, which then writes to the same file groups."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import hoodoo
from hoodoo.testing.engine import write_arrow
from tests.interop.comparing import parquet_table
from tests.interop.processes.hudi_side import HudiFailed, HudiSide
from tests.interop.story import COMMON

pytestmark = [pytest.mark.interop, pytest.mark.spark]

Sides = Callable[[str], HudiSide]

SCHEMA = pa.schema({"id": pa.string(), "part": pa.string(), "ts": pa.int64(), "v": pa.int64(), "s": pa.string()})
OPTIONS = {
    "table_name": "story",
    "record_key": "id",
    "partition_by": "part",
    "hive_style": True,
    "table_type": "MERGE_ON_READ",
}
HUDIS = {
    "hoodie.datasource.write.table.type": "MERGE_ON_READ",
    "hoodie.datasource.write.partitionpath.field": "part",
    "hoodie.datasource.write.hive_style_partitioning": "true",
    "hoodie.datasource.write.operation": "upsert",
    "hoodie.write.auto.upgrade": "false",
}
INDEXES = {
    "simple": ({"index": "simple"}, {"hoodie.index.type": "SIMPLE"}),
    "bucket": (
        {"index": "bucket", "buckets": 2},
        {"hoodie.index.type": "BUCKET", "hoodie.bucket.index.num.buckets": "2"},
    ),
}


def rows(*values: tuple[Any, ...]) -> pa.Table:
    return pa.Table.from_pylist([dict(zip(SCHEMA.names, row, strict=True)) for row in values], SCHEMA)


def both_read(path: Path, side: HudiSide, to: Path) -> list[list[tuple[Any, ...]]]:
    """Return the rows that hoodoo reads, and those that Hudi reads."""
    side.read(path, {}, to)
    tables = hoodoo.Table(path).to_arrow(), parquet_table(to)
    return [sorted(tuple(row.values()) for row in table.select(SCHEMA.names).to_pylist()) for table in tables]


@pytest.mark.parametrize("log_format", ["avro", "parquet"])
@pytest.mark.parametrize("index", INDEXES)
@pytest.mark.parametrize(("version", "release"), [(8, "1.2.0"), (9, "1.2.0")])
def test_hudi_reads_partial_records_and_writes_on(
    spark: Any, version: int, release: str, index: str, log_format: str, hudi: Sides, tmp_path: Path
) -> None:
    path, side, (ours, theirs) = tmp_path / "table", hudi(release), INDEXES[index]
    first = rows(*((key, f"p{number % 2}", 10, number, f"s{number}") for number, key in enumerate("abcdef")))
    write_arrow(first, path, {**OPTIONS, **ours, "table_version": version, "log_format": log_format})
    given = {"partial_records": True}
    hoodoo.Table(path).update("v < 3", {"v": "v + 100"}, spark=spark, **given)
    source = spark.createDataFrame(
        [("a", "p0", "new"), ("d", "p1", None), ("e", "p0", "D"), ("x", "p1", "in")], "k string, p string, w string"
    )
    merge = hoodoo.Table(path).merge(source, "t.id = s.k AND t.part = s.p", **given).whenMatchedDelete("s.w = 'D'")
    merge = merge.whenMatchedUpdate(set={"s": "s.w"})
    merge.whenNotMatchedInsert(values={"id": "s.k", "part": "s.p", "s": "s.w"}).execute()
    expected = [
        ("a", "p0", 10, 100, "new"),
        ("b", "p1", 10, 101, "s1"),
        ("c", "p0", 10, 102, "s2"),
        ("d", "p1", 10, 3, None),
        ("f", "p1", 10, 5, "s5"),
        ("x", "p1", None, None, "in"),
    ]
    mine, hudis = both_read(path, side, tmp_path / "first")
    assert mine == expected
    assert hudis == expected

    file = tmp_path / "rows.parquet"
    pq.write_table(rows(("a", "p0", 1, 7, "hudi"), ("y", "p0", 1, 8, "hudi")), file)
    side.write(path, file, {**COMMON, **HUDIS, **theirs, "hoodie.write.table.version": str(version)})
    hoodoo.Table(path).update("id IN ('a', 'b')", {"s": "concat(s, '!')"}, spark=spark, **given)
    expected[0:2] = [("a", "p0", 1, 7, "hudi!"), ("b", "p1", 10, 101, "s1!")]
    mine, hudis = both_read(path, side, tmp_path / "second")
    assert mine == [*expected, ("y", "p0", 1, 8, "hudi")]
    assert hudis == mine


def test_hudi_1_0_reads_version_8_without_partial_records(spark: Any, hudi: Sides, tmp_path: Path) -> None:
    """Hudi 1.0 does not merge partial records, so that the records of version 8 are whole by default."""
    for consent in (None, True):
        path = tmp_path / f"table-{consent}"
        write_arrow(rows(("a", "p0", 10, 1, "s")), path, {**OPTIONS, "table_version": 8})
        hoodoo.Table(path).update(
            None, {"v": "2"}, spark=spark, **({} if consent is None else {"partial_records": True})
        )
        if consent:
            with pytest.raises(HudiFailed, match="Partial merging logic is not implemented"):
                both_read(path, hudi("1.0.2"), tmp_path / "failed")
        else:
            assert both_read(path, hudi("1.0.2"), tmp_path / "read") == [[("a", "p0", 10, 2, "s")]] * 2


def test_a_late_version_fills_a_partial_record_for_both_where_the_user_consents(
    spark: Any, hudi: Sides, tmp_path: Path
) -> None:
    """By default the records of a table with ordering values are whole, so that a late version fills nothing.

    With the consent of the user they are partial, and both readers fill the other columns from the late version.
    """
    late = rows(("a", "p0", 5, -1, "late"))
    read = {}
    for consent in (None, True):
        path = tmp_path / f"table-{consent}"
        write_arrow(rows(("a", "p0", 10, 1, "s")), path, {**OPTIONS, "ordering": "ts", "table_version": 9})
        hoodoo.Table(path).update(
            None, {"v": "2"}, spark=spark, **({} if consent is None else {"partial_records": True})
        )
        write_arrow(late, path, {})
        read[consent] = both_read(path, hudi("1.2.0"), tmp_path / f"read-{consent}")
    assert read[None] == [[("a", "p0", 10, 2, "s")]] * 2
    assert read[True] == [[("a", "p0", 10, 2, "late")]] * 2
