"""Expressions that have no value for a row: the statement fails as a whole with a typed error, and writes nothing."""

from __future__ import annotations

import pytest

import hoodoo
from hoodoo.errors import DataError
from tests.support.rows import hoodoo_rows

from .expressions import Batch, session_with, without_join

ROWS = [(1, "p", 7, "a"), (2, "p", 2_000_000_000, "12"), (3, "q", None, None)]
COLUMNS = "id int, part string, int int, text string"
KINDS = {
    "copy-on-write": {},
    "merge-on-read": {"table_type": "MERGE_ON_READ", "index": "bucket", "buckets": 2},
    "partitioned": {"partition_by": "part", "table_version": 6},
}
FAILING = (
    "@int + 2000000000",
    "cast(@text AS int)",
    "10 div (@int - 7)",
    "@int % (@int - 7)",
    "@int / (@int - 7)",
    "cast(@int AS tinyint)",
    "cast(@int AS decimal(3, 1))",
    "bigint(1e20D + @int)",
    "- (@int - 2147483647 - 8) * @int",
    "element_at(array(@int), 5)",
    "array(@int)[length(@text)]",
    "to_date(@text)",
    "cast(@text AS timestamp)",
    "make_date(2023, 2, 29 + @int % 2)",
    "raise_error(concat('own: ', @text))",
    "from_json(@text || '{', 'a INT', map('mode', 'FAILFAST')).a",
    "parse_json(concat(@text, '{'))::string",
    "transform(array(@int, 0), x -> 1 div x)[0]",
    "CASE WHEN @int > 7 THEN @int * @int ELSE 0 END",
)
"""Expressions, in which `@` stands for the alias of a side."""


def state(path) -> tuple[list[object], list[object]]:
    """Return the commits and the rows; fail if an instant is pending."""
    table = hoodoo.Table(path)
    pending = [instant for instant in table.timeline.instants if not instant.is_completed]
    assert not pending
    return list(table.timeline.commits), hoodoo_rows(path)


@pytest.fixture
def table(spark, tmp_path):
    """Return a function that writes the rows to a new table of a kind, and returns its path."""

    def make(kind: str):
        path = tmp_path / kind
        options = {"table_name": "t", "record_key": "id", **KINDS[kind]}
        hoodoo.write(spark.createDataFrame(ROWS, COLUMNS), path, options)
        return path

    return make


def check(spark, path, text: str, kind: str) -> None:
    """Check that statements raise `DataError` for a failing expression, and change nothing.

    The expression is the new value of an UPDATE, and part of a condition of a MERGE. The MERGE runs as a join only for
    the merge-on-read table.
    """
    before = state(path)
    source = spark.createDataFrame(ROWS, COLUMNS)
    condition = "t.id = s.id" + (" AND t.part = s.part" if kind == "partitioned" else "")
    # Spark does not evaluate `... IS NULL` for an expression that is never null
    test = f"length(cast(({text.replace('@', 's.')}) AS string)) > 0"
    with session_with(spark, spark_sql_ansi_enabled="true"):
        with pytest.raises(DataError, match="an expression of the statement has no value for a row"):
            hoodoo.Table(path).update(None, {"text": f"cast({text.replace('@', '')} AS string)"}, spark=spark)
        if kind == "merge-on-read":
            merge = hoodoo.Table(path).merge(source, condition)
            with pytest.raises(DataError, match="an expression of the statement has no value for a row"):
                merge.whenMatchedDelete(f"t.part <> s.part OR {test}").execute()
        else:
            merge = hoodoo.Table(path).merge(source, condition).whenMatchedDelete(test)
            with without_join(), pytest.raises(DataError, match="an expression of the statement has no value"):
                merge.whenNotMatchedInsertAll().execute()
    assert state(path) == before


@pytest.mark.representatives(text=FAILING[:1])
@pytest.mark.parametrize("text", FAILING[:2])
def test_an_expression_without_a_value_fails_the_statement(spark, table, text):
    check(spark, table("copy-on-write"), text, "copy-on-write")


@pytest.mark.needs_pyspark("4.0")  # functions of variants
@pytest.mark.nightly
@pytest.mark.parametrize("kind", KINDS)
def test_each_expression_without_a_value_fails_the_statement(spark, table, kind):
    path = table(kind)
    for text in FAILING:
        check(spark, path, text, kind)


@pytest.mark.needs_pyspark("4.0")  # `DataFrame.toArrow`
@pytest.mark.nightly
def test_generated_expressions_without_a_value_fail_the_statement(spark, tmp_path):
    failing = 0
    for seed in range(200, 206, 2):
        batch = Batch(spark, tmp_path / str(seed), seed, 150)
        batch.folder.mkdir()
        failing += batch.check_failing()
    assert failing >= 3
