"""Global indexes on Spark: rows with columns of many types move between partitions."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession

import hoodoo
from tests.support.metadata_tables import add_record_index

pytestmark = pytest.mark.spark

TYPED = """
    concat('k', id) as id, {place} as place, {ts} as ts, cast(id as decimal(12,3)) / 8 as amount,
    timestamp_micros(id) as at, date_add(date'2020-01-01', cast(id as int)) as day, encode(cast(id as string), 'utf-8')
    as raw,
    array(named_struct('name', cast(id as string), 'count', cast(id as int))) as items, map('m', id / 3) as tags,
    named_struct('a', if(id % 2 = 0, null, id), 'b', named_struct('c', id > 3)) as inner, cast(id as float) as single
"""


def frame(spark: SparkSession, start: int, end: int, place: str, ts: str) -> DataFrame:
    return spark.range(start, end, 1, 3).selectExpr(*_split(TYPED.format(place=place, ts=ts)))


def _split(text: str) -> list[str]:
    parts, depth, last = [], 0, 0
    for number, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if letter == "," and not depth:
            parts.append(text[last:number])
            last = number + 1
    return [*parts, text[last:]]


@pytest.mark.representatives(index=["global-simple"])
@pytest.mark.parametrize(
    ("index", "table_type"),
    [("global-simple", "COPY_ON_WRITE"), ("global-bloom", "MERGE_ON_READ"), ("record", "MERGE_ON_READ")],
)
def test_rows_move(spark: SparkSession, tmp_path: Path, index: str, table_type: str) -> None:
    options = {"table_name": "t", "record_key": "id", "partition_by": "place", "ordering": "ts", "index": index}
    options["table_type"] = table_type
    hoodoo.write(frame(spark, 0, 40, "concat('p', id % 2)", "10"), tmp_path, options)
    if index == "record":
        add_record_index(tmp_path)
    newer = frame(spark, 20, 60, "concat('p', id % 3)", "if(id % 5 = 0, 9, 11)")
    commit = hoodoo.write(newer, tmp_path, options)
    assert commit.rows_incoming == 40
    assert commit.index_seconds is None
    rows = {r["id"]: r for r in hoodoo.read(spark, tmp_path).collect()}
    expected = {r["id"]: r for r in frame(spark, 0, 40, "concat('p', id % 2)", "10").collect()}
    for r in newer.collect():
        if r["id"] not in expected or r["ts"] >= expected[r["id"]]["ts"]:
            expected[r["id"]] = r
    assert rows.keys() == expected.keys()
    assert hoodoo.read(spark, tmp_path).count() == len(expected)
    for key, row in rows.items():
        assert row["_hoodie_partition_path"] == expected[key]["place"]
        assert {name: row[name] for name in expected[key].asDict()} == expected[key].asDict()
    moved = sum(1 for n in range(20, 40) if n % 5 and n % 2 != n % 3)
    assert commit.rows_inserted == 20 + moved
    # by now rows that are to move lie in slices with logs, where the table has logs
    back = frame(spark, 0, 60, "'p0'", "12")
    assert hoodoo.write(back, tmp_path, options).rows_incoming == 60
    rows_back = hoodoo.read(spark, tmp_path).select(*back.columns).collect()
    assert sorted(r["id"] for r in rows_back) == sorted(r["id"] for r in back.collect())
    assert {r["id"]: r.asDict() for r in rows_back} == {r["id"]: r.asDict() for r in back.collect()}
