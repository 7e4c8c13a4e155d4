"""ALTER TABLE of the names of columns: values stay under a new name, and no new column has those of a dropped one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import hoodoo
from hoodoo.errors import StatementError
from hoodoo.properties import update_properties
from hoodoo.spark.pyspark_version import DATA_SOURCES
from hoodoo.storage import storage_for

SETTING = "hoodie.schema.on.read.enable"


@pytest.fixture(autouse=True)
def schema_on_read(spark: SparkSession, database: str) -> None:
    spark.conf.set(SETTING, "true")


@pytest.mark.nightly
@pytest.mark.parametrize("kind", ["cow", "mor"])
def test_values_follow_the_ids_of_columns(spark: SparkSession, run, database: str, kind: str) -> None:
    run(
        "CREATE TABLE t (id INT, a STRING, b BIGINT, ts BIGINT, p STRING) USING hudi PARTITIONED BY (p) "
        f"TBLPROPERTIES (primaryKey = 'id', preCombineField = 'ts', type = '{kind}')"
    )
    run("INSERT INTO t VALUES (1, 'a1', 10, 1, 'x'), (2, 'a2', 20, 1, 'x'), (3, 'a3', 30, 1, 'y')")
    run("UPDATE t SET a = 'new' WHERE id = 2")
    run("ALTER TABLE t RENAME COLUMN A TO name")
    assert run("SELECT id, name, b FROM t ORDER BY id") == [(1, "a1", 10), (2, "new", 20), (3, "a3", 30)]
    assert run("SELECT id FROM t WHERE name = 'a3'") == [(3,)]
    run("ALTER TABLE t DROP COLUMN b")
    run("ALTER TABLE t ADD COLUMNS (b BIGINT, a STRING)")
    if DATA_SOURCES.is_available():
        assert [column.name for column in spark.catalog.listColumns("t")] == ["id", "name", "ts", "p", "b", "a"]
    assert run("SELECT id, name, b, a FROM t ORDER BY id") == [
        (1, "a1", None, None),
        (2, "new", None, None),
        (3, "a3", None, None),
    ]
    assert run("SELECT count(*) FROM t WHERE b IS NULL") == [(3,)]
    run("UPDATE t SET b = 5, a = upper(name) WHERE id = 1")
    run(
        "MERGE INTO t USING (SELECT 2 AS id, 'x' AS p, 9L AS ts, 'm' AS name) s ON t.id = s.id AND t.p = s.p "
        "WHEN MATCHED THEN UPDATE SET name = s.name, ts = s.ts"
    )
    expected = [(1, "a1", 5, "A1"), (2, "m", None, None), (3, "a3", None, None)]
    assert run("SELECT id, name, b, a FROM t ORDER BY id") == expected
    if kind == "mor":
        run("CALL run_compaction(op => 'run', table => 't')")
        assert run("SELECT id, name, b, a FROM t ORDER BY id") == expected
    run("DELETE FROM t WHERE name = 'a3'")
    assert run("SELECT id, name, b, a FROM t ORDER BY id") == expected[:2]
    # the columns exchange their names
    run("ALTER TABLE t RENAME COLUMN name TO c")
    run("ALTER TABLE t RENAME COLUMN a TO name")
    run("ALTER TABLE t RENAME COLUMN c TO a")
    assert run("SELECT id, a, b, name FROM t ORDER BY id") == expected[:2]
    table = hoodoo.Table(f"{database}/t")
    first = table.timeline.commits[0].time
    old = table.to_arrow(["id", "a", "b"], as_of=first).sort_by("id").to_pylist()
    assert [tuple(row.values()) for row in old] == [(1, "a1", 10), (2, "a2", 20), (3, "a3", 30)]
    history = sorted(Path(f"{database}/t/.hoodie/.schema").glob("*.schemacommit"))[-1]
    assert [version["version_id"] for version in json.loads(history.read_text())["schemas"]][-1] == 0


def test_a_renamed_column_keeps_its_values(run, database: str) -> None:
    run("CREATE TABLE t (id INT, a STRING) USING hudi TBLPROPERTIES (primaryKey = 'id')")
    run("INSERT INTO t VALUES (1, 'x')")
    run("ALTER TABLE t RENAME COLUMN a TO b")
    assert run("SELECT b FROM t WHERE b = 'x'") == [("x",)]


def test_the_setting_is_needed(spark: SparkSession, run, database: str) -> None:
    run("CREATE TABLE t (id INT, a STRING) USING hudi TBLPROPERTIES (primaryKey = 'id')")
    spark.conf.set(SETTING, "false")
    for text, match in {
        "ALTER TABLE t RENAME COLUMN a TO b": f"cannot be renamed: .* SET {SETTING} = true",
        "ALTER TABLE t DROP COLUMN a": f"cannot be dropped: .* SET {SETTING} = true",
    }.items():
        with pytest.raises(StatementError, match=match):
            run(text)
    run(f"SET {SETTING} = true")
    run("ALTER TABLE t RENAME COLUMN a TO b")
    assert run("SELECT * FROM t") == []
    assert hoodoo.Table(f"{database}/t").schema.names == ["id", "b"]


def test_some_columns_and_tables_keep_their_names(run, database: str) -> None:
    run(
        "CREATE TABLE t (id INT, a STRING, s STRUCT<x: INT>, ts BIGINT, p STRING) USING hudi PARTITIONED BY (p) "
        "TBLPROPERTIES (primaryKey = 'id', preCombineField = 'ts')"
    )
    run("INSERT INTO t VALUES (1, 'a', named_struct('x', 1), 1, 'x')")
    run("CREATE TABLE changes (id INT, a STRING) USING hudi TBLPROPERTIES (primaryKey = 'id')")
    update_properties(storage_for(f"{database}/changes"), {"hoodie.table.cdc.enabled": "true"})
    before = len(hoodoo.Table(f"{database}/t").history())
    fixed = "keys, the partitions or the ordering"
    for text, match in {
        "ALTER TABLE t RENAME COLUMN id TO other": fixed,
        "ALTER TABLE t RENAME COLUMN p TO other": fixed,
        "ALTER TABLE t DROP COLUMN ts": fixed,
        "ALTER TABLE t RENAME COLUMN s.z TO y": "struct 's' has no field 'z'; its fields are: x",
        "ALTER TABLE t RENAME COLUMN a.x TO y": "'a' is of type string, and only structs have fields",
        "ALTER TABLE t DROP COLUMN s.x": "struct 's' keeps at least one field",
        "ALTER TABLE t RENAME COLUMN a TO s.y": "has dots",
        "ALTER TABLE t RENAME COLUMN a TO S": "has a column 'S' already",
        "ALTER TABLE t RENAME COLUMN none TO b": "no column 'none'",
        "ALTER TABLE t DROP COLUMNS (a, none)": "no column 'none'",
        "ALTER TABLE t CHANGE COLUMN a b STRING": "CHANGE COLUMN cannot rename a column",
        "ALTER TABLE changes RENAME COLUMN a TO b": "records changes",
    }.items():
        with pytest.raises(StatementError, match=match):
            run(text)
    assert run("ALTER TABLE t DROP COLUMN IF EXISTS none") == []
    assert run("ALTER TABLE t RENAME COLUMN a TO a") == []
    assert len(hoodoo.Table(f"{database}/t").history()) == before
    run("ALTER TABLE t DROP COLUMNS IF EXISTS (a, none)")
    assert run("SELECT id, s.x, ts, p FROM t") == [(1, 1, 1, "x")]
