"""Files that statements read, and records that they write to logs."""

from __future__ import annotations

import pytest

import hoodoo
from hoodoo.spark.statements import source_rows
from tests.rows_written.statements.merge_model import COLUMNS, KINDS, rows_of, stored_rows


@pytest.mark.nightly
@pytest.mark.parametrize("kind", [{}, {"table_type": "MERGE_ON_READ"}], ids=["copy-on-write", "merge-on-read"])
def test_files_of_other_partitions_are_not_opened(spark, create, kind):
    path = create(rows_of(range(30), 7), partition_by="part", hive_style=True, operation="bulk_insert", **kind)
    others = [*path.glob("part=p1/*.parquet"), *path.glob("part=p2/*.parquet")]
    assert len(others) == 2
    for file in others:
        file.write_bytes(b"not a Parquet file".ljust(file.stat().st_size))
    result = hoodoo.Table(path).update("part = 'p0' AND id < 10", {"amount": "-1"}, spark=spark)
    assert (result.updated, result.files_written, result.files_left) == (4, 1, 2)
    assert hoodoo.Table(path).delete("part = 'p0' AND id = 3", spark=spark).deleted == 1


def test_row_groups_that_cannot_match_are_not_read(spark, create):
    path = create(rows_of(range(90), 8), partition_by="part", hive_style=True, operation="bulk_insert")
    for file in path.glob("part=p1/*.parquet"):
        # the footer, with the least and the largest value of each column, stays
        damaged = bytearray(file.read_bytes())
        footer = len(damaged) - 8 - int.from_bytes(damaged[-8:-4], "little")
        damaged[4:footer] = bytes(footer - 4)
        file.write_bytes(damaged)
    assert hoodoo.Table(path).update("id > 1000", {"amount": "-1"}, spark=spark).updated == 0
    assert hoodoo.Table(path).delete("id = 0", spark=spark).deleted == 1


@pytest.mark.nightly
@pytest.mark.parametrize("kind", ["merge-on-read", "merge-on-read bucket"])
@pytest.mark.parametrize("joins", [False, True])
def test_a_delete_by_key_leaves_no_delete_of_absent_keys(spark, create, kind, joins, monkeypatch):
    if joins:
        monkeypatch.setattr(source_rows.SourceRows, "suffice", lambda *_: False)
    path = create(
        [(1, "p1", 1, "U", 5), (2, "p2", 2, "U", 5), (3, "p0", 3, "U", 5), (4, "p1", 4, "U", 5)], **KINDS[kind]
    )
    hoodoo.Table(path).delete("id = 3", spark=spark)

    def delete(*keys: tuple[int, int]):
        # a source with the columns that find and compare rows
        return (
            hoodoo.Table(path).merge(spark.createDataFrame(keys, "ts int, id int"), "t.id = s.id").whenMatchedDelete()
        )

    result = delete((9, 1), (4, 2), (20, 3), (20, 7)).execute()
    assert (result.inserted, result.updated, result.deleted, result.overridden) == (0, 0, 1, 1)
    new = [(3, "p0", 30, "U", 6), (7, "p1", 70, "U", 6)]
    hoodoo.write(spark.createDataFrame(new, COLUMNS), path, {"operation": "upsert"})
    kept = {2: (2, "p2", 2, "U", 5), 4: (4, "p1", 4, "U", 5), 3: new[0], 7: new[1]}
    assert stored_rows(spark, path) == kept
    result = delete((6, 3), (7, 4), (1, 1)).execute()
    assert (result.deleted, result.overridden) == (2, 0)
    assert stored_rows(spark, path) == {key: row for key, row in kept.items() if key not in (3, 4)}


@pytest.mark.parametrize("kind", ["partitioned", "merge-on-read partitioned", "merge-on-read bucket"])
def test_a_delete_of_absent_keys_writes_no_file(spark, create, kind):
    path = create([(1, "p1", 1, "U", 5)], **KINDS[kind])
    absent = spark.createDataFrame([(2, "p1", 2, "U", 5), (3, "p2", 2, "U", 5)], COLUMNS)
    result = hoodoo.Table(path).merge(absent, "t.id = s.id AND t.part = s.part").whenMatchedDelete().execute()
    assert (result.deleted, result.files_written, result.files_left) == (0, 0, 1)


@pytest.mark.nightly
@pytest.mark.parametrize("kind", ["simple", "merge-on-read"])
def test_a_delete_without_an_ordering_value_has_that_of_the_stored_row(spark, create, kind):
    path = create([(1, "p1", 1, "U", 5), (2, "p2", 2, "U", 5)], **KINDS[kind])
    source = spark.createDataFrame([(1, "p1", 1, "U", None), (2, "p2", 2, "U", 4)], COLUMNS)
    result = hoodoo.Table(path).merge(source, "t.id = s.id").whenMatchedDelete().execute()
    assert (result.deleted, result.overridden) == (1, 1)
    assert stored_rows(spark, path) == {2: (2, "p2", 2, "U", 5)}
