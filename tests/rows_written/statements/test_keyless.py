"""UPDATE, DELETE and MERGE of tables whose rows have generated keys."""

from __future__ import annotations

import pytest

import hoodoo
from hoodoo.errors import DataError, StatementError
from hoodoo.schema.meta_columns import PARTITION_PATH, RECORD_KEY

COLUMNS = "a int, part string, v int"
ROWS = [(1, "x", 10), (1, "y", 11), (2, "x", 20), (3, "y", 30), (3, "y", 30)]
KINDS = {
    "copy-on-write": {},
    "partitioned": {"partition_by": "part"},
    "merge-on-read": {"partition_by": "part", "table_type": "MERGE_ON_READ"},
    "version 6": {"partition_by": "part", "table_version": 6},
}


CASES = [
    "merge-on-read",
    pytest.param("partitioned", marks=pytest.mark.nightly),
    pytest.param("copy-on-write", marks=pytest.mark.nightly),
    pytest.param("version 6", marks=pytest.mark.nightly),
]


@pytest.fixture(params=CASES)
def table(request, spark, tmp_path):
    """Write a table of five rows, two of which are equal, by two commits, and return it."""
    path = tmp_path / "keyless"
    options = {"table_name": "keyless", **KINDS[request.param]}
    hoodoo.write(spark.createDataFrame(ROWS[:3], COLUMNS), path, options)
    hoodoo.write(spark.createDataFrame(ROWS[3:], COLUMNS), path, {})
    return hoodoo.Table(path)


@pytest.fixture
def stored(spark):
    """Return a function that returns the rows of a table by their keys."""

    def read(table):
        found = hoodoo.read(spark, table._storage.uri).collect()
        rows = {row[RECORD_KEY]: (row["a"], row["part"], row["v"]) for row in found}
        assert len(rows) == len(found)
        assert all(row[PARTITION_PATH] in ("", row["part"], f"part={row['part']}") for row in found)
        return rows

    return read


@pytest.mark.nightly
def test_update_and_delete_change_the_rows_that_satisfy_a_condition(spark, table, stored):
    before = stored(table)
    assert sorted(before.values()) == sorted(ROWS)
    result = table.update("t.a = 1 OR v = 30", {"v": "v + 1"}, spark=spark)
    changed = {key: (a, part, v + 1) if a in (1, 3) else (a, part, v) for key, (a, part, v) in before.items()}
    assert (result.updated, result.inserted, result.deleted) == (4, 0, 0)
    # the keys stay
    assert stored(table) == changed
    result = table.delete("part = 'y' AND a = 3", spark=spark)
    assert result.deleted == 2
    assert stored(table) == {key: row for key, row in changed.items() if row[0] != 3}
    assert sorted(hoodoo.Table(table._storage.uri).to_arrow(["v"]).column("v").to_pylist()) == [11, 12, 20]


def test_a_merge_joins_by_any_condition(spark, table, stored):
    before = stored(table)
    source = spark.createDataFrame([(10, "x", 1), (25, "z", 7), (30, "y", 0)], "least int, p string, v int")
    result = (
        table.merge(source, "t.v >= s.least AND t.v < s.least + 5")
        .whenMatchedDelete("s.v = 0")
        .whenMatchedUpdate(set={"v": "t.v * 100 + s.v"})
        .whenNotMatchedInsert("s.p <> 'y'", {"a": "s.v", "part": "s.p", "v": "s.least"})
        .whenNotMatchedBySourceUpdate(set={"v": "-t.v"})
        .execute()
    )
    assert (result.inserted, result.updated, result.deleted) == (1, 3, 2)
    after = stored(table)
    kept = {key: row for key, row in after.items() if key in before}
    assert kept == {
        key: (row[0], row[1], row[2] * 100 + 1 if row[0] == 1 else -row[2])
        for key, row in before.items()
        if row[0] != 3
    }
    assert [row for key, row in after.items() if key not in before] == [(7, "z", 25)]


def test_new_rows_of_a_merge_have_different_keys(spark, table, stored):
    source = spark.range(0, 1000, 1, 4).selectExpr("int(id) AS a", "concat('p', id % 3) AS part", "int(-1) AS v")
    source = source.withColumn("part", source["part"])
    result = table.merge(source, "t.v = s.v").whenNotMatchedInsertAll().execute()
    assert result.inserted == 1000
    # `stored` counts the keys
    assert sorted(row[0] for row in stored(table).values() if row[2] == -1) == list(range(1000))


@pytest.mark.nightly
def test_two_source_rows_of_one_stored_row_are_refused(spark, table, stored):
    before = stored(table)
    source = spark.createDataFrame([(1, 5), (1, 6), (2, 7)], "a int, v int")
    merge = table.merge(source, "t.a = s.a").whenMatchedUpdate(set={"v": "s.v"})
    with pytest.raises(DataError, match="several rows of the source match the same stored row") as refused:
        merge.execute()
    assert any(key in str(refused.value) for key, row in before.items() if row[0] == 1)
    assert stored(table) == before
    # a condition of the clause leaves one of them
    table.merge(source, "t.a = s.a").whenMatchedUpdate("s.v > 5", {"v": "s.v"}).execute()
    assert sorted(row[2] for row in stored(table).values()) == [6, 6, 7, 30, 30]


def test_statements_do_not_move_rows_to_other_partitions(spark, tmp_path):
    path = tmp_path / "keyless"
    hoodoo.write(spark.createDataFrame(ROWS, COLUMNS), path, {"table_name": "t", "partition_by": "part"})
    with pytest.raises(StatementError, match="a row with a generated key stays in its partition"):
        hoodoo.Table(path).update("a = 1", {"part": "'z'"}, spark=spark)
