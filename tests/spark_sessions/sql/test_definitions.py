"""Statements that create, replace and describe tables, and properties of tables."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import hoodoo
from hoodoo.errors import OptionError, SchemaError, StatementError, UnknownOption
from tests.spark_sessions.sql.orders_table import ORDERS


def test_a_new_table_has_the_definition_and_no_commit(database: str, run) -> None:
    run(ORDERS)
    table = hoodoo.Table(f"{database}/orders")

    assert table.properties.table_type == "MERGE_ON_READ"
    assert (table.properties.record_key, table.properties.ordering) == (("id",), ("amount",))
    assert (table.properties.partition_by, table.properties.hive_style) == (("day",), True)
    assert (table.properties.name, table.properties.database) == ("orders", "statements")
    assert table.schema.names == ["id", "amount", "tags", "day"]
    assert table.schema.field("amount").type == pa.decimal128(10, 2)
    assert table.timeline.instants == ()
    assert run("SELECT count(*) FROM orders") == [(0,)]


@pytest.mark.nightly
@pytest.mark.parametrize("version", ["6", "8", "9"])
def test_tables_of_all_versions_are_created(database: str, run, version: str) -> None:
    run(
        "CREATE TABLE t (id INT, v STRING) USING hoodoo "
        f"TBLPROPERTIES (primaryKey = 'id', 'hoodie.write.table.version' = {version})"
    )
    run("INSERT INTO t VALUES (1, 'a')")
    assert hoodoo.Table(f"{database}/t").properties.version == int(version)
    assert run("SELECT id, v FROM t") == [(1, "a")]


def test_a_table_has_the_rows_of_a_query(database: str, run) -> None:
    run(
        "CREATE TABLE t USING hudi PARTITIONED BY (p) TBLPROPERTIES (primaryKey = 'id') AS SELECT p, id, id * 2 AS v "
        "FROM VALUES ('a', 1), ('b', 2) AS s(p, id)"
    )
    assert run("SELECT id, v, p FROM t ORDER BY id") == [(1, 2, "a"), (2, 4, "b")]
    assert run("SHOW PARTITIONS t") == [("p=a",), ("p=b",)]
    run("CREATE TABLE IF NOT EXISTS t USING hudi AS SELECT 1 AS id")
    with pytest.raises(StatementError, match="exists already"):
        run("CREATE TABLE t USING hudi AS SELECT 1 AS id")
    with pytest.raises(StatementError, match="PARTITIONED BY names 'q', and the query has the columns"):
        run("CREATE TABLE u USING hudi PARTITIONED BY (q) AS SELECT 1 AS id")


@pytest.mark.nightly
def test_a_replaced_table_keeps_its_history(database: str, run) -> None:
    run("CREATE TABLE t (id INT, v STRING) USING hudi TBLPROPERTIES (primaryKey = 'id')")
    run("INSERT INTO t VALUES (1, 'a')")
    before = run("CALL show_commits('t')")[0][0]
    run("CREATE OR REPLACE TABLE t USING hudi TBLPROPERTIES (primaryKey = 'id') AS SELECT 2 AS id, 'b' AS v, 3 AS w")

    assert run("SELECT id, v, w FROM t") == [(2, "b", 3)]
    assert run(f"SELECT id, v FROM t VERSION AS OF {before}") == [(1, "a")]
    run("CREATE OR REPLACE TABLE t (id INT, v STRING, w INT) USING hudi TBLPROPERTIES (primaryKey = 'id')")
    assert run("SELECT count(*) FROM t") == [(0,)]
    with pytest.raises(OptionError, match="record_key"):
        run("CREATE OR REPLACE TABLE t (id INT, v STRING, w INT) USING hudi TBLPROPERTIES (primaryKey = 'v')")
    with pytest.raises(StatementError, match=r"columns that the new definition lacks \(w\)"):
        run("CREATE OR REPLACE TABLE t USING hudi AS SELECT 1 AS id, 'a' AS v")
    assert len(hoodoo.Table(f"{database}/t").history()) == 3


@pytest.mark.parametrize(
    ("text", "error", "match"),
    [
        ("CREATE TABLE t USING hudi", StatementError, "the columns are needed"),
        ("CREATE TABLE t (id INT, ID INT) USING hudi", StatementError, "occurs twice"),
        ("CREATE TABLE t (id NUMBER) USING hudi", StatementError, "Spark cannot parse the columns"),
        ("CREATE TABLE t (id INT) USING hudi PARTITIONED BY (p)", StatementError, "has no such column"),
        ("CREATE TABLE t (id INT) USING hudi TBLPROPERTIES (primaryKey = 'x')", SchemaError, "no column 'x'"),
        ("CREATE TABLE t (id INT) USING hudi TBLPROPERTIES (primaryKy = 'id')", UnknownOption, "primaryKy"),
        ("CREATE TABLE t (id INT) USING hudi TBLPROPERTIES (type = 'row')", OptionError, "COPY_ON_WRITE"),
        ("CREATE TABLE t (id INT) USING hudi LOCATION '/a' OPTIONS (path '/b')", StatementError, "several paths"),
    ],
)
def test_a_wrong_definition_creates_nothing(database: str, run, text: str, error: type[Exception], match: str) -> None:
    with pytest.raises(error, match=match):
        run(text)
    # other tests may have left temporary views in the session
    assert [row for row in run("SHOW TABLES") if not row[2]] == []
    assert not Path(database, "t").exists()


def test_properties_of_the_name_are_options_of_statements(run, database: str) -> None:
    run(
        "CREATE TABLE t (id INT, v STRING) USING hudi "
        "TBLPROPERTIES (primaryKey = 'id', 'commit_metadata' = '{\"a\": \"b\"}')"
    )
    run("ALTER TABLE t SET TBLPROPERTIES ('hoodie.parquet.compression.codec' = 'gzip')")
    run("INSERT INTO t VALUES (1, 'a')")
    table = hoodoo.Table(f"{database}/t")
    assert table.timeline.commit_metadata(table.timeline.commits[-1]).extra_metadata["a"] == "b"
    assert dict(run("SHOW TBLPROPERTIES t"))["hoodie.parquet.compression.codec"] == "gzip"
    run("ALTER TABLE t UNSET TBLPROPERTIES ('hoodie.parquet.compression.codec')")
    assert "hoodie.parquet.compression.codec" not in dict(run("SHOW TBLPROPERTIES t"))
    with pytest.raises(StatementError, match="the table has no property"):
        run("ALTER TABLE t UNSET TBLPROPERTIES ('hoodie.parquet.compression.codec')")
    with pytest.raises(StatementError, match="properties that define a table cannot be changed"):
        run("ALTER TABLE t SET TBLPROPERTIES (primaryKey = 'v')")
    with pytest.raises(UnknownOption):
        run("ALTER TABLE t SET TBLPROPERTIES ('hoodie.no.such.key' = 'v')")


def test_properties_without_an_effect_are_kept(run, database: str) -> None:
    run("CREATE TABLE t (id INT, v STRING) USING hudi TBLPROPERTIES (primaryKey = 'id', 'department' = 'post')")
    run("ALTER TABLE t SET TBLPROPERTIES ('note' = 'it\\'s kept', 'comment' = 'x')")
    run("INSERT INTO t VALUES (1, 'a')")
    run("ALTER TABLE t UNSET TBLPROPERTIES ('department')")

    properties = dict(run("SHOW TBLPROPERTIES t"))
    assert (properties["note"], properties["comment"]) == ("it's kept", "x")
    assert "department" not in properties
    assert "note" not in hoodoo.Table(f"{database}/t").properties.entries
    for text in ("'primaryKy' = 'id'", "'comit_metadata' = '{}'", "'hoodie.note' = 'x'", "'hoodoo.note' = 'x'"):
        with pytest.raises(UnknownOption):
            run(f"ALTER TABLE t SET TBLPROPERTIES ({text})")


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("CREATE TABLE t (id INT, d DATE GENERATED ALWAYS AS (1)) USING hoodoo", "GENERATED"),
        ("CREATE TABLE t (id INT, d DATE) USING hoodoo PARTITIONED BY (days(d))", "is a transform"),
        ("CREATE TABLE t (id INT) USING hoodoo NONSENSE", "a clause of CREATE TABLE"),
    ],
)
def test_a_definition_that_cannot_be_parsed_does_not_reach_spark(database: str, run, text: str, match: str) -> None:
    with pytest.raises(StatementError, match=match):
        run(text)


def test_tables_are_described(spark: SparkSession, run, database: str) -> None:
    run(ORDERS)
    run("INSERT INTO orders VALUES (1, 2, array('x'), DATE'2024-01-01')")
    described = run("DESCRIBE EXTENDED orders")

    assert ("amount", "decimal(10,2)", None) in described
    assert described.count(("day", "date", None)) == 2
    assert ("Location", f"{database}/orders", "") in described
    assert run("SHOW COLUMNS IN orders")[5:] == [("id",), ("amount",), ("tags",), ("day",)]
    assert run("SHOW TBLPROPERTIES orders ('hoodie.table.type')") == [("hoodie.table.type", "MERGE_ON_READ")]
    [[text]] = run("SHOW CREATE TABLE orders")
    run("DROP TABLE orders PURGE")
    run(text)
    assert run("SHOW CREATE TABLE orders") == [(text,)]
    assert hoodoo.Table(f"{database}/orders").properties.record_key == ("id",)


def test_a_path_is_the_name_of_a_table(database: str, run) -> None:
    name = f"hoodoo.`{database}/by/path`"
    run(f"CREATE TABLE {name} (id INT, v STRING) USING hoodoo TBLPROPERTIES (primaryKey = 'id')")
    run(f"INSERT INTO {name} VALUES (1, 'a')")
    run(f"ALTER TABLE {name} ADD COLUMNS (w INT)")
    assert run(f"SELECT id, v, w FROM {name}") == [(1, "a", None)]
    with pytest.raises(StatementError, match="a path keeps no options"):
        run(
            f"CREATE OR REPLACE TABLE {name} (id INT, v STRING, w INT) USING hoodoo "
            "TBLPROPERTIES ('hoodie.clean.automatic' = 'false')"
        )
    with pytest.raises(OptionError, match="a path keeps no options"):
        run(f"ALTER TABLE {name} SET TBLPROPERTIES ('hoodie.clean.automatic' = 'false')")
    with pytest.raises(StatementError, match="a path has no name"):
        run(f"ALTER TABLE {name} RENAME TO t")
    run(f"DROP TABLE {name} PURGE")
    assert not Path(database, "by/path").exists()
