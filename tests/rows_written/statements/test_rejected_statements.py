"""Statements that are rejected: the table does not change."""

from __future__ import annotations

import pytest

import hoodoo
from hoodoo.errors import DataError, OptionError, StatementError
from hoodoo.spark.session_conf import setting
from tests.rows_written.statements.merge_model import COLUMNS, KINDS, stored_rows


@pytest.mark.nightly
@pytest.mark.parametrize("kind", ["simple", "merge-on-read bucket"])
def test_a_stored_key_that_the_condition_excludes_is_not_inserted(spark, create, kind):
    path = create([(1, "p1", 10, "U", 5)], **KINDS[kind])
    source = spark.createDataFrame([(1, "p1", 99, "U", 9), (2, "p2", 1, "U", 1)], COLUMNS)
    merge = hoodoo.Table(path).merge(source, "t.id = s.id AND t.amount > 50").whenNotMatchedInsertAll()
    with pytest.raises(DataError, match="that the table holds already"):
        merge.execute()
    assert stored_rows(spark, path) == {1: (1, "p1", 10, "U", 5)}


@pytest.mark.representatives(ordering=[{}])
@pytest.mark.parametrize("ordering", [{}, {"ordering": None}])
def test_source_rows_that_tie_are_refused(spark, create, ordering):
    path = create([(1, "p1", 10, "U", 5)], **ordering)
    source = spark.createDataFrame([(1, "p1", 1, "U", 7), (1, "p1", 2, "U", 7)], COLUMNS)
    with pytest.raises(DataError, match="several rows of the source have the same key"):
        hoodoo.Table(path).merge(source, "t.id = s.id").whenMatchedUpdateAll().execute()


@pytest.mark.nightly
def test_a_row_moves_to_another_partition_only_with_a_global_index(spark, create):
    for kind, moves in (("partitioned", False), ("global", True)):
        path = create([(1, "p1", 10, "U", 5)], **KINDS[kind])
        source = spark.createDataFrame([(1, "p2", 11, "U", 6)], COLUMNS)
        merge = hoodoo.Table(path).merge(source, "t.id = s.id").whenMatchedUpdateAll()
        if moves:
            merge.execute()
            assert stored_rows(spark, path) == {1: (1, "p2", 11, "U", 6)}
        else:
            with pytest.raises(DataError, match="moves rows to another partition"):
                merge.execute()


def test_bad_statements_write_nothing(spark, create):
    path = create([(1, "p1", 10, "U", 5)], partition_by="part")
    source = spark.createDataFrame([(1, "p1", 11, "U", 6)], COLUMNS)
    before = hoodoo.Table(path).timeline.instants

    def merge(condition="t.id = s.id AND t.part = s.part"):
        return hoodoo.Table(path).merge(source, condition)

    bad = [
        lambda: merge().execute(),
        lambda: merge("t.part = s.part").whenMatchedUpdateAll().execute(),
        lambda: merge("t.id = s.id OR t.part = s.part").whenMatchedUpdateAll().execute(),
        lambda: merge().whenMatchedUpdate(set={"nothing": "1"}).execute(),
        lambda: merge().whenMatchedUpdate(set={"id": "s.id + 1"}).execute(),
        lambda: merge().whenMatchedUpdate(set={"part": "'p2'"}).execute(),
        lambda: merge().whenMatchedUpdate(set={"_hoodie_record_key": "'2'"}).execute(),
        lambda: merge().whenMatchedUpdate(set={"amount": "1", "t.amount": "2"}).execute(),
        lambda: merge().whenMatchedUpdate(set={"amount": "amount"}).execute(),
        lambda: merge().whenMatchedUpdate(set={"amount": "sum(s.amount)"}).execute(),
        lambda: merge().whenMatchedUpdate(set={"amount": "cast(rand() * 9 AS int)"}).execute(),
        lambda: merge().whenMatchedUpdate(set={"amount": "'text'"}).execute(),
        lambda: merge().whenMatchedUpdateAll().whenMatchedDelete("s.op = 'D'").execute(),
        lambda: merge().whenNotMatchedInsert(values={"id": "t.id"}).execute(),
        lambda: hoodoo.Table(path).update("id = 1; DROP TABLE x", {"amount": "1"}, spark=spark),
        lambda: hoodoo.Table(path).update("idd = 1", {"amount": "1"}, spark=spark),
        lambda: hoodoo.Table(path).delete("", spark=spark),
    ]
    for statement in bad:
        with pytest.raises(StatementError):
            statement()
    with pytest.raises(OptionError):
        hoodoo.Table(path).delete("id = 1", spark=spark, operation="insert")
    assert hoodoo.Table(path).timeline.instants == before


@pytest.mark.representatives(value=["amount div (amount - 10)"])
@pytest.mark.parametrize(
    "value", ["amount div (amount - 10)", "amount + 2147483647L", "int(op)"], ids=["zero", "overflow", "text"]
)
def test_an_expression_without_a_value_is_an_error_of_the_row(spark, create, value):
    path = create([(1, "p1", 10, "U", 5)])
    # the default since Spark 4.0
    with setting(spark, "spark.sql.ansi.enabled", True), pytest.raises(DataError, match="has no value for a row"):
        hoodoo.Table(path).update("id = 1", {"amount": value}, spark=spark)
    assert stored_rows(spark, path) == {1: (1, "p1", 10, "U", 5)}


@pytest.mark.nightly
def test_a_merge_on_read_table_gets_only_keys_that_were_compared(spark, create):
    path = create([(1, "p1", 10, "U", 5)], **KINDS["merge-on-read bucket"])
    source = spark.createDataFrame([(1, "p1", 99, "U", 9)], COLUMNS)
    with pytest.raises(StatementError, match="both must be the same expression"):
        hoodoo.Table(path).merge(source, "t.id = s.id + 1").whenNotMatchedInsertAll().execute()
    values = {"id": "s.id+1", "part": "s.part", "ts": "s.ts"}
    hoodoo.Table(path).merge(source, "t.id = s.id + 1").whenNotMatchedInsert(values=values).execute()
    assert stored_rows(spark, path)[1] == (1, "p1", 10, "U", 5)
    assert stored_rows(spark, path)[2][:2] == (2, "p1")
