"""ALTER TABLE of columns: new columns, wider types and comments."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import hoodoo
from hoodoo.errors import StatementError
from hoodoo.spark.pyspark_version import DATA_SOURCES


@pytest.mark.nightly
def test_columns_are_added(spark: SparkSession, run, database: str) -> None:
    run("CREATE TABLE t (id INT, v STRING) USING hudi TBLPROPERTIES (primaryKey = 'id')")
    run("INSERT INTO t VALUES (1, 'a')")
    run("ALTER TABLE t ADD COLUMNS (w DOUBLE COMMENT 'weight', s STRUCT<a: INT>)")
    run("INSERT INTO t VALUES (2, 'b', 2, named_struct('a', 3))")

    assert run("SELECT id, w, s.a FROM t ORDER BY id") == [(1, None, None), (2, 2.0, 3)]
    if DATA_SOURCES.is_available():
        assert [column.name for column in spark.catalog.listColumns("t")] == ["id", "v", "w", "s"]
    run("ALTER TABLE t ALTER COLUMN id TYPE int")
    for text, match in {
        "ALTER TABLE t ADD COLUMNS (V INT)": "has a column 'V' already",
        "ALTER TABLE t ADD COLUMNS (x INT NOT NULL)": "leave NOT NULL out",
        "ALTER TABLE t ALTER COLUMN id TYPE double": "is a record key column",
        "ALTER TABLE t ALTER COLUMN none TYPE bigint": "no column 'none'",
        "ALTER TABLE t RENAME COLUMN id TO x": "cannot be renamed",
        "ALTER TABLE t DROP COLUMN v": "cannot be dropped",
        "ALTER TABLE t ALTER COLUMN v TYPE int": "some readers would fail or return other values",
        "ALTER TABLE t ALTER COLUMN s.a TYPE bigint": "types of nested fields cannot be changed",
        "ALTER TABLE t ADD PARTITION (v = 1)": "the table has no partitions",
    }.items():
        with pytest.raises(StatementError, match=match):
            run(text)
    assert len(hoodoo.Table(f"{database}/t").history()) == 3


@pytest.mark.nightly
@pytest.mark.parametrize("kind", ["cow", "mor"])
def test_a_column_gets_a_wider_type(run, database: str, kind: str) -> None:
    run(
        "CREATE TABLE t (id STRING, n INT, x INT, p STRING) USING hudi PARTITIONED BY (p) "
        f"TBLPROPERTIES (primaryKey = 'id', preCombineField = 'id', type = '{kind}')"
    )
    run("INSERT INTO t VALUES ('a', 1, 1, 'old'), ('b', 2, 2, 'old'), ('c', 3, 3, 'kept')")
    run("UPDATE t SET n = 20 WHERE id = 'b'")
    if kind == "mor":
        # the table has version 6, which releases of Hudi before 1.0 read
        run("CALL run_compaction(op => 'run', table => 't')")
    run("ALTER TABLE t ALTER COLUMN n TYPE bigint")
    run("ALTER TABLE t CHANGE COLUMN x x DOUBLE")

    expected = [("a", 1, 1.0), ("b", 20, 2.0), ("c", 3, 3.0)]
    assert run("SELECT id, n, x FROM t ORDER BY id") == expected
    run("INSERT INTO t VALUES ('d', 1000000000000, 0.5, 'old')")
    run("UPDATE t SET n = n + 1000000000000 WHERE id = 'a'")
    expected = [("a", 1000000000001, 1.0), *expected[1:], ("d", 1000000000000, 0.5)]
    assert run("SELECT id, n, x FROM t ORDER BY id") == expected
    assert run("SELECT id FROM t WHERE n > 2 AND x < 3 ORDER BY id") == [("a",), ("b",), ("d",)]
    found = hoodoo.Table(f"{database}/t").to_arrow(["id", "n", "x"]).sort_by("id")
    assert [tuple(row.values()) for row in found.to_pylist()] == expected
    if kind == "mor":
        run("CALL run_compaction(op => 'run', table => 't')")
        assert run("SELECT id, n, x FROM t ORDER BY id") == expected


@pytest.mark.nightly
def test_a_record_key_may_become_bigint(run, database: str) -> None:
    run(
        "CREATE TABLE t (id INT, v STRING, p INT, o INT) USING hudi PARTITIONED BY (p) "
        "TBLPROPERTIES (primaryKey = 'id', preCombineField = 'o')"
    )
    run("INSERT INTO t VALUES (1, 'a', 1, 1), (2, 'b', 1, 1)")
    run("ALTER TABLE t ALTER COLUMN id TYPE bigint")
    run("UPDATE t SET v = 'A' WHERE id = 1")
    run("SET hoodie.spark.sql.insert.into.operation=upsert")
    run("INSERT INTO t VALUES (2, 'B', 1, 1), (3000000000, 'c', 1, 1)")
    assert run("SELECT id, v FROM t ORDER BY id") == [(1, "A"), (2, "B"), (3000000000, "c")]
    for name, match in {"p": "is a partition column", "o": "is an ordering column"}.items():
        with pytest.raises(StatementError, match=match):
            run(f"ALTER TABLE t ALTER COLUMN {name} TYPE bigint")


@pytest.mark.nightly
def test_logs_of_an_old_table_version_are_compacted_before_a_type_is_widened(run, tmp_path: Path) -> None:
    rows = pa.table({"id": ["a"], "n": pa.array([1], pa.int32())})
    options = {"table_name": "t", "record_key": "id", "table_type": "MERGE_ON_READ", "table_version": 6}
    hoodoo.write(rows, tmp_path / "t", options)
    hoodoo.write(rows, tmp_path / "t", {})
    with pytest.raises(StatementError, match="run a compaction first"):
        run(f"ALTER TABLE hoodoo.`{tmp_path}/t` ALTER COLUMN n TYPE bigint")
    run(f"CALL run_compaction(op => 'run', path => '{tmp_path}/t')")
    run(f"ALTER TABLE hoodoo.`{tmp_path}/t` ALTER COLUMN n TYPE bigint")
    assert run(f"SELECT id, n FROM hoodoo.`{tmp_path}/t`") == [("a", 1)]


@pytest.mark.needs_pyspark("4.0")
@pytest.mark.nightly
def test_a_wider_type_and_comments_are_in_the_catalogue(spark: SparkSession, run, database: str) -> None:
    run(
        "CREATE TABLE t (id STRING, n INT COMMENT 'number', x INT) USING hudi "
        "COMMENT 'all' TBLPROPERTIES (primaryKey = 'id')"
    )
    run("ALTER TABLE t ALTER COLUMN n TYPE bigint")
    run("ALTER TABLE t CHANGE COLUMN x x DOUBLE")
    [[information]] = spark.sql("SHOW TABLE EXTENDED LIKE 't'").select("information").collect()
    assert "Comment: all\n" in information
    types = {column.name: (column.dataType, column.description) for column in spark.catalog.listColumns("t")}
    assert (types["n"], types["x"]) == (("bigint", "number"), ("double", None))


@pytest.mark.nightly
@pytest.mark.needs_pyspark("4.0")
def test_a_comment_of_a_column_is_in_the_table_and_in_the_catalogue(spark: SparkSession, run, database: str) -> None:
    run("CREATE TABLE t (id INT, v STRING) USING hudi TBLPROPERTIES (primaryKey = 'id')")
    run("ALTER TABLE t ALTER COLUMN V COMMENT 'it\\'s a value'")
    comments = {column.name: column.description for column in spark.catalog.listColumns("t")}
    assert comments == {"id": None, "v": "it's a value"}
    assert run("DESCRIBE t")[-1] == ("v", "string", "it's a value")
