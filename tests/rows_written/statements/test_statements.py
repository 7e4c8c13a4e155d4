"""MERGE, UPDATE and DELETE by Spark, compared with expected rows or a row-by-row model in Python."""

from __future__ import annotations

import pytest

import hoodoo
from hoodoo.errors import DataError, StatementError
from hoodoo.spark.statements import source_rows
from tests.rows_written.statements.merge_model import COLUMNS, KINDS, merged, model, rows_of, stored_rows


@pytest.mark.parametrize("kind", KINDS)
def test_a_merge_gives_the_rows_and_numbers_of_the_model(spark, create, kind):
    before, source = rows_of(range(60), 1), rows_of(range(40, 90), 2)
    path = create(before, **KINDS[kind])
    result = merged(spark, path, source, kind)
    expected, counts = model(before, source)
    assert stored_rows(spark, path) == expected
    assert {name: getattr(result, name) for name in counts} == counts
    assert result.commit.operation == "upsert"


@pytest.mark.parametrize("kind", ["partitioned", "bucket"])
def test_a_merge_with_a_join_gives_the_same(spark, create, kind, monkeypatch):
    before, source = rows_of(range(60), 3), rows_of(range(40, 90), 4)
    path = create(before, **KINDS[kind])
    monkeypatch.setattr(source_rows.SourceRows, "suffice", lambda *_: False)
    result = merged(spark, path, source, kind)
    expected, counts = model(before, source)
    assert stored_rows(spark, path) == expected
    assert {name: getattr(result, name) for name in counts} == counts


def test_several_source_rows_of_one_key_are_resolved_by_ordering(spark, create):
    path = create([(1, "p1", 1, "U", 1)])
    source = [(1, "p1", 2, "U", 5), (1, "p1", 3, "D", 4), (2, "p2", 4, "U", 1), (2, "p2", 5, "D", 2)]
    merged(spark, path, source, "simple")
    # the row of key 2 with the larger ordering value is inserted: no clause deletes a key that is not stored
    assert stored_rows(spark, path) == {1: (1, "p1", 2, "U", 5), 2: (2, "p2", 5, "D", 2)}


def test_a_null_equals_nothing(spark, create):
    path = create([(1, "p1", 1, "U", 1), (2, None, 2, "U", 1)], partition_by="part")
    source = spark.createDataFrame([(None, "p1", 9, "U", 9), (2, None, 9, "U", 9), (1, "p1", 9, "U", 9)], COLUMNS)
    merge = hoodoo.Table(path).merge(source, "t.id = s.id AND t.part = s.part").whenMatchedUpdateAll()
    merge.execute()
    assert stored_rows(spark, path) == {1: (1, "p1", 9, "U", 9), 2: (2, None, 2, "U", 1)}
    with pytest.raises(DataError):
        merge.whenNotMatchedInsertAll().execute()


@pytest.mark.nightly
@pytest.mark.parametrize("kind", ["partitioned", "merge-on-read partitioned"])
def test_a_key_in_the_partition_of_nulls_is_not_inserted_again(spark, create, kind):
    path = create([(2, None, 2, "U", 1), (3, "p1", 3, "U", 1)], **KINDS[kind])
    source = spark.createDataFrame([(2, None, 9, "U", 9), (4, None, 4, "U", 9)], COLUMNS)
    condition = "t.id = s.id AND t.part = s.part"
    merge = hoodoo.Table(path).merge(source, condition).whenNotMatchedInsertAll()
    with pytest.raises(DataError, match="that the table holds already") as refused:
        merge.execute()
    assert refused.value.code == "duplicate_key"
    hoodoo.Table(path).merge(source.where("id = 4"), condition).whenNotMatchedInsertAll().execute()
    same = hoodoo.Table(path).merge(source, "t.id = s.id AND t.part <=> s.part")
    same.whenMatchedUpdate(set={"amount": "s.amount"}).whenNotMatchedInsertAll().execute()
    assert stored_rows(spark, path) == {2: (2, None, 9, "U", 1), 3: (3, "p1", 3, "U", 1), 4: (4, None, 4, "U", 9)}


@pytest.mark.nightly
@pytest.mark.parametrize("kind", ["global", "merge-on-read global"])
def test_a_row_that_moves_is_updated_once(spark, create, kind):
    path = create([(1, "p1", 1, "U", 5), (2, "p1", 2, "U", 5), (3, "p1", 3, "U", 5)], **KINDS[kind])
    source = spark.createDataFrame([(1, "p2", 9, "U", 9), (2, "p2", 9, "U", 4), (3, "p1", 9, "U", 9)], COLUMNS)
    result = hoodoo.Table(path).merge(source, "t.id = s.id").whenMatchedUpdateAll().execute()
    assert (result.inserted, result.updated, result.deleted, result.overridden) == (0, 2, 0, 1)
    assert stored_rows(spark, path) == {1: (1, "p2", 9, "U", 9), 2: (2, "p1", 2, "U", 5), 3: (3, "p1", 9, "U", 9)}
    tied = spark.createDataFrame([(1, "p0", 7, "U", 9), (1, "p0", 8, "U", 9)], COLUMNS)
    with pytest.raises(DataError, match="several rows of the source have the same key"):
        hoodoo.Table(path).merge(tied, "t.id = s.id").whenMatchedUpdateAll().execute()


@pytest.mark.nightly
def test_a_deleted_row_is_counted_once_although_it_has_moved(spark, create):
    path = create([(1, "p1", 1, "U", 1), (2, "p1", 2, "U", 1)], **KINDS["merge-on-read global"])
    for ts, part in ((2, "p2"), (3, "p0"), (4, "p2")):
        moved = spark.createDataFrame([(1, part, ts, "U", ts)], COLUMNS)
        hoodoo.Table(path).merge(moved, "t.id = s.id").whenMatchedUpdateAll().execute()
    result = hoodoo.Table(path).delete("id = 1", spark=spark)
    assert (result.deleted, result.overridden) == (1, 0)
    assert stored_rows(spark, path) == {2: (2, "p1", 2, "U", 1)}


@pytest.mark.nightly
def test_tied_source_rows_without_a_clause_are_no_fault(spark, create):
    path = create([(1, "p1", 1, "U", 5)])
    source = spark.createDataFrame([(1, "p1", 8, "U", 9), (1, "p1", 9, "U", 9)], COLUMNS)
    result = hoodoo.Table(path).merge(source, "t.id = s.id").whenNotMatchedInsertAll().execute()
    assert (result.inserted, result.updated) == (0, 0)
    assert stored_rows(spark, path) == {1: (1, "p1", 1, "U", 5)}


def test_rows_of_one_key_with_different_clauses_are_joined(spark, create):
    path = create([(1, "p1", 1, "U", 1)])
    source = [(1, "p1", 2, "X", 9), (1, "p1", 3, "U", 4), (2, "p2", 4, "X", 9), (2, "p2", 5, "U", 2)]
    merged(spark, path, source, "simple")
    assert stored_rows(spark, path) == {1: (1, "p1", 3, "U", 4), 2: (2, "p2", 5, "U", 2)}


@pytest.mark.parametrize("kind", ["simple", "merge-on-read"])
def test_values_of_the_stored_row_and_rows_without_a_source_row(spark, create, kind):
    path = create([(1, "p1", 10, "U", 5), (2, "p2", 20, "U", 5), (3, "p0", 30, "D", 5)], **KINDS[kind])
    source = spark.createDataFrame([(1, 7)], "order_id int, more int")
    result = (
        hoodoo.Table(path)
        .merge(source, "t.id = s.order_id")
        .whenMatchedUpdate(set={"amount": "t.amount + s.more"})
        .whenNotMatchedBySourceDelete("t.op = 'D'")
        .whenNotMatchedBySourceUpdate(set={"op": "concat(op, '!')"})
        .execute()
    )
    assert stored_rows(spark, path) == {1: (1, "p1", 17, "U", 5), 2: (2, "p2", 20, "U!", 5)}
    assert (result.updated, result.deleted, result.inserted) == (2, 1, 0)


@pytest.mark.parametrize("kind", ["partitioned", "merge-on-read"])
def test_update_and_delete_by_a_condition(spark, create, kind):
    before = rows_of(range(30), 5)
    path = create(before, **KINDS[kind])
    updated = hoodoo.Table(path).update("id % 2 = 0 AND t.amount > 20", {"amount": "amount * 2"}, spark=spark)
    deleted = hoodoo.Table(path).delete("op IS NULL", spark=spark)
    twice = {row[0]: (*row[:2], row[2] * 2, *row[3:]) if row[0] % 2 == 0 and row[2] > 20 else row for row in before}
    assert stored_rows(spark, path) == {key: row for key, row in twice.items() if row[3] is not None}
    assert updated.updated == sum(row[0] % 2 == 0 and row[2] > 20 for row in before)
    assert deleted.deleted == sum(row[3] is None for row in before)


@pytest.mark.nightly
@pytest.mark.parametrize("kind", ["simple", "merge-on-read"])
@pytest.mark.parametrize("condition", ["x > 5", "NOT (x <= 5)", "x = double('NaN')", "t.x IN (7D, double('NaN'))"])
def test_nan_is_larger_than_each_number(spark, tmp_path, kind, condition):
    rows = spark.createDataFrame([(1, 1.0), (2, float("nan")), (3, None)], "id int, x double")
    hoodoo.write(rows, tmp_path / "t", {"table_name": "t", "record_key": "id", **KINDS[kind]})
    hoodoo.Table(tmp_path / "t").update(condition, {"x": "-1"}, spark=spark)
    found = hoodoo.read(spark, tmp_path / "t").select("id", "x").collect()
    assert {row["id"]: row["x"] for row in found} == {1: 1.0, 2: -1.0, 3: None}


def test_schema_evolution_adds_columns(spark, create):
    path = create([(1, "p1", 10, "U", 5)])
    source = spark.createDataFrame([(1, 5, "x"), (2, 6, "y")], "id int, ts int, note string")
    merge = hoodoo.Table(path).merge(source, "t.id = s.id").whenMatchedUpdateAll().whenNotMatchedInsertAll()
    with pytest.raises(StatementError, match="the source has no column 'part'"):
        merge.execute()
    merge.withSchemaEvolution().execute()
    rows = {row["id"]: (row["amount"], row["note"]) for row in hoodoo.read(spark, path).collect()}
    assert rows == {1: (10, "x"), 2: (None, "y")}


@pytest.mark.parametrize("kind", ["simple", "merge-on-read"])
def test_an_overridden_change_is_explained(spark, create, kind):
    path = create([(1, "p1", 10, "U", 5)], **KINDS[kind])
    late = spark.createDataFrame([(1, "p1", 99, "U", 4)], COLUMNS)
    result = hoodoo.Table(path).merge(late, "t.id = s.id").whenMatchedUpdateAll().execute()
    assert (result.updated, result.overridden) == (0, 1)
    if kind == "merge-on-read":
        said = hoodoo.Table(path).explain("1").answer("which_statement")
        assert "refused its change of this record, made by WHEN MATCHED THEN UPDATE SET *" in said
    forced = hoodoo.Table(path).merge(late, "t.id = s.id", override_ordering=True).whenMatchedUpdateAll().execute()
    assert (forced.updated, forced.overridden) == (1, 0)
    assert stored_rows(spark, path) == {1: (1, "p1", 99, "U", 5)}
