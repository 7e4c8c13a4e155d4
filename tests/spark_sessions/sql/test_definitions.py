"""Statements that define, change and describe tables, and procedures."""

from __future__ import annotations

import re
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import hoodoo
from hoodoo.errors import OptionError, SchemaError, StatementError, UnknownOption
from hoodoo.spark.pyspark_version import DATA_SOURCES

ORDERS = (
    "CREATE TABLE orders (id INT, amount DECIMAL(10, 2), day DATE, tags ARRAY<STRING>) USING hudi PARTITIONED BY (day) "
    "TBLPROPERTIES (primaryKey = 'id', preCombineField = 'amount', type = 'mor')"
)


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


def test_a_dropped_table_keeps_its_files_unless_purged(database: str, run) -> None:
    run(ORDERS)
    run("INSERT INTO orders VALUES (1, 2, array('x'), DATE'2024-01-01')")
    run("DROP TABLE orders")
    assert hoodoo.Table(f"{database}/orders").to_arrow(["id"]).num_rows == 1
    run(f"CREATE TABLE orders USING hudi LOCATION '{database}/orders'")
    with pytest.raises(StatementError, match="write PURGE"):
        run(f"DROP TABLE hoodoo.`{database}/orders`")
    run("DROP TABLE IF EXISTS orders PURGE")
    run("DROP TABLE IF EXISTS orders")
    assert not Path(database, "orders").exists()
    assert Path(database).exists()


def test_rows_and_partitions_are_truncated(run, database: str) -> None:
    run(ORDERS)
    run("INSERT INTO orders SELECT id, 1, NULL, date_add(DATE'2024-01-01', id) FROM VALUES (0), (1), (2), (3) AS r(id)")
    run("TRUNCATE TABLE orders PARTITION (day = '2024-01-02')")
    assert run("SELECT id FROM orders ORDER BY id") == [(0,), (2,), (3,)]
    run("ALTER TABLE orders DROP PARTITION (day = DATE'2024-01-01'), PARTITION (day = :day)", day="2024-01-03")
    assert run("SELECT id FROM orders ORDER BY id") == [(3,)]
    run("ALTER TABLE orders DROP IF EXISTS PARTITION (day = '1999-01-01')")
    with pytest.raises(StatementError, match="no such partition"):
        run("ALTER TABLE orders DROP PARTITION (day = '1999-01-01')")
    run("TRUNCATE TABLE orders")
    assert run("SELECT count(*) FROM orders") == [(0,)]
    assert len(hoodoo.Table(f"{database}/orders").history()) == 4


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
        "ALTER TABLE t ALTER COLUMN v TYPE int": "readers without schema-on-read",
        "ALTER TABLE t ALTER COLUMN s.a TYPE bigint": "types of nested fields cannot be changed",
        "ALTER TABLE t ADD PARTITION (v = 1)": "the table has no partitions",
    }.items():
        with pytest.raises(StatementError, match=match):
            run(text)
    assert len(hoodoo.Table(f"{database}/t").history()) == 3


@pytest.mark.representatives(kind=["mor"])
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


@pytest.mark.needs_pyspark("4.0")
def test_a_comment_of_a_column_is_kept_by_the_catalogue(spark: SparkSession, run, database: str) -> None:
    run("CREATE TABLE t (id INT, v STRING) USING hudi TBLPROPERTIES (primaryKey = 'id')")
    run("ALTER TABLE t ALTER COLUMN V COMMENT 'it\\'s a value'")
    comments = {column.name: column.description for column in spark.catalog.listColumns("t")}
    assert comments == {"id": None, "v": "it's a value"}
    with pytest.raises(StatementError, match="keeps the comments of columns"):
        run(f"ALTER TABLE hoodoo.`{database}/t` ALTER COLUMN v COMMENT 'x'")


def test_partitions_without_rows_are_added(run, database: str) -> None:
    run("CREATE TABLE t (id INT, a STRING, b INT) USING hudi PARTITIONED BY (a, b) TBLPROPERTIES (primaryKey = 'id')")
    run("INSERT INTO t VALUES (1, 'x', 1)")
    commits = len(hoodoo.Table(f"{database}/t").history())
    run("ALTER TABLE t ADD PARTITION (b = 2, a = 'w') PARTITION (a = 'z', b = 3)")

    entries = Path(database, "t/a=z/b=3/.hoodie_partition_metadata").read_text()
    assert "commitTime=00000000000000\n" in entries
    assert "partitionDepth=2\n" in entries
    assert Path(database, "t/a=w/b=2/.hoodie_partition_metadata").exists()
    with pytest.raises(StatementError, match="the table has the partition 'a=z/b=3' already"):
        run("ALTER TABLE t ADD PARTITION (a = 'new', b = 3) PARTITION (a = 'z', b = 3)")
    assert not Path(database, "t/a=new").exists()
    with pytest.raises(StatementError, match="the table has the partition 'a=x/b=1' already"):
        run("ALTER TABLE t ADD PARTITION (a = 'x', b = 1)")
    run("ALTER TABLE t ADD IF NOT EXISTS PARTITION (a = 'z', b = 3)")
    with pytest.raises(StatementError, match="'b' has none"):
        run("ALTER TABLE t ADD PARTITION (a = 'z')")
    # a partition without rows has nothing to drop
    run("ALTER TABLE t DROP PARTITION (a = 'z', b = 3)")
    assert run("SELECT id FROM t") == [(1,)]
    assert len(hoodoo.Table(f"{database}/t").history()) == commits
    run("INSERT INTO t VALUES (2, 'z', 3)")
    assert run("SHOW PARTITIONS t") == [("a=x/b=1",), ("a=z/b=3",)]


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
    with pytest.raises(StatementError, match="part of the definition"):
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


@pytest.mark.nightly
def test_procedures_have_hudis_names_and_columns(spark: SparkSession, run, database: str) -> None:
    run(ORDERS)
    run("INSERT INTO orders VALUES (1, 2, NULL, DATE'2024-01-01'), (2, 2, NULL, DATE'2024-01-02')")
    run("SET hoodie.spark.sql.insert.into.operation=upsert")
    run("INSERT INTO orders VALUES (1, 3, NULL, DATE'2024-01-01')")
    commits = hoodoo.sql(spark, "CALL show_commits(table => 'statements.orders', limit => 5)")
    last, first = commits.collect()

    assert (first["action"], first["total_files_added"], first["total_records_written"]) == ("deltacommit", 2, 2)
    assert (last["action"], last["total_partitions_written"], last["total_update_records_written"]) == (
        "deltacommit",
        1,
        1,
    )
    files = hoodoo.sql(spark, "CALL show_commit_files(table => 'orders', instant_time => :at)", at=last["commit_time"])
    assert [(row["partition_path"], row["action"]) for row in files.collect()] == [("day=2024-01-01", "deltacommit")]
    by_partition = run("CALL show_commit_partitions(table => 'orders', instant_time => :at)", at=first["commit_time"])
    assert [row[:6] for row in by_partition] == [
        ("deltacommit", "day=2024-01-01", 1, 0, 1, 0),
        ("deltacommit", "day=2024-01-02", 1, 0, 1, 0),
    ]
    [stats] = run("CALL show_commit_write_stats('orders', 10, :at)", at=first["commit_time"])
    assert stats == ("deltacommit", first["total_bytes_written"], 2, -(-first["total_bytes_written"] // 2))
    [schema] = run("CALL show_commit_extra_metadata(table => 'orders', metadata_key => 'schema')")
    assert schema[:3] == (last["commit_time"], "deltacommit", "schema")
    assert '"name":"amount"' in schema[3].replace(" ", "")
    before = hoodoo.sql(
        spark, f"CALL show_fsview_latest(path => '{database}/orders', partition_path => 'day=2024-01-01')"
    )
    assert [row["num_delta_files"] for row in before.collect()] == [1]
    [compacted] = hoodoo.sql(spark, "CALL run_compaction(op => 'run', table => 'orders')").collect()
    assert (compacted["state"], compacted["operation_size"]) == ("COMPLETED", 1)
    assert run("SELECT id, amount FROM orders WHERE id = 1")[0][1] == 3
    [cleaned] = hoodoo.sql(
        spark,
        "CALL run_clean(table => 'orders', clean_policy => 'KEEP_LATEST_FILE_VERSIONS', file_versions_retained => 1)",
    ).collect()
    assert cleaned["total_files_deleted"] >= 1
    assert len(run("CALL show_table_properties(table => 'orders', limit => 3)")) == 3
    check_timeline(run, first["commit_time"], last["commit_time"], compacted["timestamp"], cleaned["start_clean_time"])


def check_timeline(run, first: str, last: str, compacted: str, cleaned: str) -> None:
    found = run("CALL show_timeline(table => 'orders', showArchived => true)")
    assert [row[:3] for row in found] == [
        (cleaned, "clean", "COMPLETED"),
        (compacted, "commit", "COMPLETED"),
        (last, "deltacommit", "COMPLETED"),
        (first, "deltacommit", "COMPLETED"),
    ]
    for row in found:
        assert all(re.fullmatch(r"\d\d-\d\d \d\d:\d\d:\d\d", time) for time in row[3:6])
        assert row[6:] == ("ACTIVE", None)
    assert run("CALL show_compaction('orders')") == [(compacted, 1, "COMPLETED")]
    [clean] = run("CALL show_cleans('orders')")
    assert clean[0] == clean[3] == cleaned
    assert clean[2] == "clean"
    assert clean[5] >= 1
    [plan] = run("CALL show_clean_plans('orders')")
    assert plan == (cleaned, "COMPLETED", "clean", None, compacted, "KEEP_LATEST_FILE_VERSIONS", 2, 1, 0, None)
    [one, total] = run("CALL stats_wa('orders')")
    assert (one[0], total[0]) == (compacted, "Total")
    assert one[1:] == total[1:]
    assert run("CALL show_savepoints('orders')") == run("CALL show_rollbacks('orders')") == []
    files = run("CALL show_commits_metadata(table => 'orders')")
    assert [row[0] for row in files] == [compacted, last, first, first]
    assert [row[6:10] for row in files[-2:]] == [(1, 1, 0, 0)] * 2
    *by_commit, everything = run("CALL stats_file_sizes('orders', 'day=2024-01-0*')")
    assert [row[0] for row in by_commit] == [compacted, first]
    sizes = [row[1] for row in by_commit]
    assert everything[:2] == ("ALL", min(sizes))
    assert everything[3:8] == (sum(sizes) / 2, sum(sizes) / 2, max(sizes), max(sizes), 2)


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("CALL no_such(table => 'orders')", "the procedures are: archive_commits"),
        ("CALL show_commits(tablename => 'orders')", "has no argument 'tablename'"),
        ("CALL show_commits(table => 'none')", "there is no Hudi table 'none'"),
        ("CALL show_commits()", "the table is missing"),
        ("CALL show_commit_files(table => 'orders', instant_time => '2001')", "has no commit '2001'"),
        ("CALL show_commit_extra_metadata('orders')", "has no commits"),
        ("SHOW INDEXES FROM orders", "SHOW INDEXES is not supported for a Hudi table"),
        ("CALL show_commits('orders', path => '/x')", "occurs twice"),
        ("CALL show_commit_files(table => 'orders')", "argument 'instant_time' of show_commit_files is missing"),
        ("CALL show_fsview_all('orders', 3)", "the argument needs a name"),
        ("CALL run_compaction(op => 'schedule', table => 'orders')", "use op => 'run'"),
    ],
)
def test_a_wrong_call_is_an_error(database: str, run, text: str, match: str) -> None:
    run(ORDERS)
    with pytest.raises(StatementError, match=match):
        run(text)


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
