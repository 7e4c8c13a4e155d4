"""INSERT INTO, INSERT OVERWRITE and the partitions that they write."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

import hoodoo
from hoodoo.errors import DataError, OptionError, StatementError

ALL = "SELECT id, v, x, a, b FROM t ORDER BY id, v"


@pytest.fixture
def table(database: str, run) -> str:
    """Make a table `t` with two partition columns; return its path."""
    run(
        "CREATE TABLE t (id INT, v STRING, x DOUBLE, a STRING, b INT) USING hudi PARTITIONED BY (a, b) "
        "TBLPROPERTIES (primaryKey = 'id')"
    )
    return f"{database}/t"


@pytest.mark.nightly
def test_columns_are_assigned_by_position_by_list_and_by_name(table: str, run) -> None:
    run("INSERT INTO t VALUES (1, 'one', 1, 'p', 1), (2, 'two', DEFAULT, 'q', 2)")
    run("INSERT INTO t (b, A, id) VALUES (3, 'p', 3)")
    run("INSERT INTO t BY NAME SELECT 'q' AS a, 4 AS B, 4L AS id, 4 AS x")
    run("INSERT INTO t PARTITION (a = 'r', b = '7') SELECT 5, 'five', 5")
    run("INSERT INTO t PARTITION (b, a = 'r') SELECT 6, 'six', 6, 8")
    run("INSERT INTO t PARTITION (a = 'r', b) (v, id, b) SELECT 'seven', 7, 9")
    run("WITH rows AS (SELECT 8 AS id, 'eight' AS v) INSERT INTO t SELECT id, v, NULL, 's', 1 FROM rows")

    assert run(ALL) == [
        (1, "one", 1.0, "p", 1),
        (2, "two", None, "q", 2),
        (3, None, None, "p", 3),
        (4, None, 4.0, "q", 4),
        (5, "five", 5.0, "r", 7),
        (6, "six", 6.0, "r", 8),
        (7, "seven", None, "r", 9),
        (8, "eight", None, "s", 1),
    ]
    assert run("SHOW PARTITIONS t PARTITION (a = 'r')") == [("a=r/b=7",), ("a=r/b=8",), ("a=r/b=9",)]


def test_an_insert_returns_the_numbers_of_its_commit(spark: SparkSession, table: str, run) -> None:
    [row] = hoodoo.sql(spark, "INSERT INTO t VALUES (1, 'one', 1, 'p', 1), (2, 'two', 2, 'q', 2)").collect()
    assert (row["inserted"], row["updated"], row["deleted"]) == (2, 0, 0)
    assert row["instant"] == hoodoo.Table(table).timeline.commits[-1].time


@pytest.mark.nightly
def test_meta_columns_of_a_source_are_left_out(table: str, run) -> None:
    run("INSERT INTO t VALUES (1, 'one', 1, 'p', 1)")
    run(f"INSERT INTO t SELECT * FROM hoodoo.`{table}` WHERE id = 1")
    run("INSERT INTO t SELECT s.* FROM t s LIMIT 1")
    assert run("SELECT count(*) FROM t") == [(3,)]


@pytest.mark.nightly
def test_the_operation_is_that_of_the_settings(spark: SparkSession, table: str, run) -> None:
    def stored() -> list[tuple[object, ...]]:
        return run("SELECT id, v FROM t ORDER BY v")

    run("INSERT INTO t VALUES (1, 'a', 1, 'p', 1)")
    run("INSERT INTO t VALUES (1, 'b', 1, 'p', 1)")
    assert stored() == [(1, "a"), (1, "b")]
    run("TRUNCATE TABLE t")
    run("SET hoodie.spark.sql.insert.into.operation=upsert")
    run("INSERT INTO t VALUES (1, 'a', 1, 'p', 1)")
    run("INSERT INTO t VALUES (1, 'b', 1, 'p', 1)")
    assert stored() == [(1, "b")]
    run("RESET hoodie.spark.sql.insert.into.operation")
    run("SET hoodie.datasource.insert.dup.policy=drop")
    run("INSERT INTO t VALUES (1, 'c', 1, 'p', 1), (2, 'd', 1, 'p', 1)")
    assert stored() == [(1, "b"), (2, "d")]
    run("RESET hoodie.datasource.insert.dup.policy")
    run("SET hoodie.sql.insert.mode=strict")
    with pytest.raises(DataError):
        run("INSERT INTO t VALUES (1, 'e', 1, 'p', 1)")
    run("RESET hoodie.sql.insert.mode")
    run("SET hoodie.sql.bulk.insert.enable=true")
    run("INSERT INTO t VALUES (1, 'f', 1, 'p', 1)")
    assert hoodoo.Table(table).history()[0].operation == "bulk_insert"
    run("SET hoodie.spark.sql.insert.into.operation=delete")
    with pytest.raises(OptionError, match="choose one of: insert, upsert, bulk_insert"):
        run("INSERT INTO t VALUES (1, 'g', 1, 'p', 1)")


def test_an_overwrite_replaces_the_table_or_partitions(table: str, run) -> None:
    run("INSERT INTO t VALUES (1, 'a', 1, 'p', 1), (2, 'b', 2, 'p', 2), (3, 'c', 3, 'q', 1)")
    stored = "SELECT id, a, b FROM t ORDER BY id"

    run("INSERT OVERWRITE t PARTITION (a = 'p', b = 2) SELECT 4, 'd', 4")
    assert run(stored) == [(1, "p", 1), (3, "q", 1), (4, "p", 2)]
    run("INSERT OVERWRITE t PARTITION (a = 'p', b) SELECT 5, 'e', 5, 3")
    assert run(stored) == [(3, "q", 1), (5, "p", 3)]
    run("INSERT OVERWRITE t PARTITION (a = 'p', b = 3) SELECT 6, 'f', 6 WHERE false")
    assert run(stored) == [(3, "q", 1)]
    run("INSERT INTO t VALUES (1, 'a', 1, 'p', 1)")
    run("SET spark.sql.sources.partitionOverwriteMode=DYNAMIC")
    run("INSERT OVERWRITE t VALUES (7, 'g', 7, 'q', 1)")
    assert run(stored) == [(1, "p", 1), (7, "q", 1)]
    run("SET hoodie.datasource.overwrite.mode=STATIC")
    run("INSERT OVERWRITE t SELECT 8, 'h', 8, 'r', 1")
    assert run(stored) == [(8, "r", 1)]
    assert run("SELECT count(*) FROM t VERSION AS OF " + run("CALL show_commits('t')")[-1][0]) == [(3,)]


def test_an_overwrite_reads_the_rows_that_it_replaces(table: str, run) -> None:
    run("INSERT INTO t VALUES (1, 'a', 1, 'p', 1), (2, 'b', 2, 'p', 2)")
    run("INSERT OVERWRITE t SELECT id + 10, v, x, a, b FROM t WHERE id = 1")
    assert run("SELECT id FROM t") == [(11,)]


@pytest.mark.parametrize(
    ("text", "match", "column"),
    [
        ("INSERT INTO t VALUES (1, 'a')", r"the query has 2 columns \(col1, col2\), and INSERT assigns 5", 15),
        ("INSERT INTO t (id, none) VALUES (1, 2)", "the table has no column 'none'", 20),
        ("INSERT INTO t BY NAME SELECT 1 AS id, 2 AS none", "cannot assign: none", 23),
        ("INSERT INTO t BY NAME SELECT 1 AS id, 2 AS ID", "column 'id' occurs more than once in the query", 23),
        ("INSERT INTO t PARTITION (v = 1) SELECT 1", "the partition columns of the table are: a, b", 26),
        ("INSERT INTO t PARTITION (b = 'x') SELECT 1", "does not fit the type int of partition column 'b'", 30),
        ("INSERT INTO t PARTITION (a = 'x') (id, a) SELECT 1, 2", "'a' has a value in PARTITION", 40),
        ("INSERT INTO t PARTITION (b = :missing) SELECT 1", "the value of parameter 'missing' is missing", 30),
        ("INSERT INTO t VALUES ('x', 'a', 1, 'p', 1)", "'id'", 15),
    ],
)
def test_a_wrong_insert_is_an_error_at_its_place(table: str, run, text: str, match: str, column: int) -> None:
    with pytest.raises(StatementError, match=match) as caught:
        run(text)
    assert caught.value.column == column
    assert hoodoo.Table(table).history() == []


def test_a_number_that_does_not_fit_is_an_error(spark: SparkSession, table: str, run) -> None:
    spark.conf.set("spark.sql.ansi.enabled", "false")
    try:
        with pytest.raises(Exception, match="3000000000"):
            run("INSERT INTO t VALUES (3000000000, 'a', 1, 'p', 1)")
    finally:
        spark.conf.unset("spark.sql.ansi.enabled")
    assert run("SELECT count(*) FROM t") == [(0,)]
