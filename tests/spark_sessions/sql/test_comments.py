"""Comments of columns and of fields in statements: in the schema of the table, and in all its descriptions."""

from __future__ import annotations

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession
from pyspark.sql.types import IntegerType, LongType, StringType, StructField, StructType

import hoodoo
from hoodoo.errors import StatementError
from hoodoo.schema.column_ids import LATEST, ColumnIds
from hoodoo.schema.comments import comments_of

pytestmark = pytest.mark.nightly

COLUMNS = (
    "id BIGINT COMMENT 'the key', s STRUCT<f: INT COMMENT 'inner', g: STRING> COMMENT 'it\\'s', "
    "l ARRAY<STRUCT<h: INT COMMENT 'deep'>>, v STRING, ts BIGINT COMMENT 'time'"
)
CREATED = {"id": "the key", "s": "it's", "s.f": "inner", "l.element.h": "deep", "ts": "time"}
ROW = "named_struct('f', 1, 'g', 'x') AS s, array(named_struct('h', 1)) AS l, 'a' AS v, 1L AS ts"


def comments(path: str) -> dict[str, str]:
    """Return the comments in the schema of a table."""
    return comments_of(hoodoo.Table(path).schema)


def create(run, path: str, kind: str = "cow", version: int = 9) -> None:
    """Create a table with two rows, one of which has been updated."""
    run(
        f"CREATE TABLE t ({COLUMNS}) USING hoodoo LOCATION '{path}' TBLPROPERTIES (primaryKey = 'id', "
        f"preCombineField = 'ts', type = '{kind}', 'hoodie.write.table.version' = '{version}')"
    )
    assert comments(path) == CREATED
    run(f"INSERT INTO t SELECT 1 AS id, {ROW}")
    run(f"INSERT INTO t SELECT 2 AS id, {ROW}")
    run("UPDATE t SET v = 'b', ts = 2 WHERE id = 1")
    assert comments(path) == CREATED


@pytest.mark.parametrize("kind", ["cow", "mor"])
def test_reads_and_descriptions_have_the_comments(spark: SparkSession, run, database: str, kind: str) -> None:
    path = f"{database}/t"
    create(run, path, kind)
    for frame in (hoodoo.read(spark, path), hoodoo.read(spark, path, columns=["ts", "s", "id", "v", "l"])):
        schema = frame.schema
        found = {field.name: field.metadata.get("comment") for field in schema.fields}
        assert [found[name] for name in ("id", "s", "l", "v", "ts")] == ["the key", "it's", None, None, "time"]
        assert [field.metadata for field in schema["s"].dataType.fields] == [{"comment": "inner"}, {}]
        assert schema["l"].dataType.elementType["h"].metadata == {"comment": "deep"}
        assert [(row.s.f, row.l[0].h, row.v) for row in frame.orderBy("id").collect()] == [(1, 1, "b"), (1, 1, "a")]
    described = run("DESCRIBE t")
    assert ("id", "bigint", "the key") in described
    assert ("v", "string", None) in described
    assert ("s", "struct<f:int,g:string>", "it's") in described
    [[text]] = run("SHOW CREATE TABLE t")
    run("DROP TABLE t PURGE")
    run(text)
    assert comments(path) == CREATED
    assert run("SHOW CREATE TABLE t") == [(text,)]


@pytest.mark.parametrize(("kind", "version"), [("mor", 6), ("cow", 8), ("mor", 9)])
def test_comments_are_changed(spark: SparkSession, run, database: str, kind: str, version: int) -> None:
    path = f"{database}/t"
    create(run, path, kind, version)
    rows = run("SELECT id, s, l, v, ts FROM t ORDER BY id")
    run("ALTER TABLE t ALTER COLUMN v COMMENT 'value'")
    run(f"ALTER TABLE hoodoo.`{path}` ALTER COLUMN s.G COMMENT 'second'")
    run("ALTER TABLE t CHANGE COLUMN id id BIGINT COMMENT 'other key'")
    run("ALTER TABLE t CHANGE COLUMN l.element.h h INT COMMENT ''")
    run("ALTER TABLE t ALTER COLUMN ts COMMENT ''")
    run("ALTER TABLE t ADD COLUMNS (n INT COMMENT 'narrow', p STRUCT<q: INT COMMENT 'new'>)")
    expected = {"id": "other key", "s": "it's", "s.f": "inner", "s.g": "second", "v": "value", "n": "narrow"}
    assert comments(path) == {**expected, "p.q": "new"}
    if kind == "mor" and version == 6:
        run("CALL run_compaction(op => 'run', table => 't')")
    run("ALTER TABLE t ALTER COLUMN n TYPE BIGINT COMMENT 'wide'")
    expected = {**expected, "n": "wide", "p.q": "new"}
    assert comments(path) == expected
    before = len(hoodoo.Table(path).history())
    run("ALTER TABLE t CHANGE COLUMN n n BIGINT COMMENT 'wide'")
    run("ALTER TABLE t ALTER COLUMN ts COMMENT ''")
    assert len(hoodoo.Table(path).history()) == before

    assert run("SELECT id, s, l, v, ts FROM t ORDER BY id") == rows
    run(f"INSERT INTO t SELECT 3 AS id, {ROW}, 5L AS n, NULL AS p")
    run("UPDATE t SET n = 6, ts = 7 WHERE id = 2")
    run("DELETE FROM t WHERE id = 1")
    assert run("SELECT id, n FROM t ORDER BY id") == [(2, 6), (3, 5)]
    assert comments(path) == expected


@pytest.mark.parametrize("kind", ["cow", "mor"])
def test_fields_and_places_with_comments_have_ids(spark: SparkSession, run, database: str, kind: str) -> None:
    path = f"{database}/t"
    create(run, path, kind)
    run("SET hoodie.schema.on.read.enable=true")
    run("ALTER TABLE t ADD COLUMNS (s.e INT COMMENT 'extra' FIRST, w STRING COMMENT 'placed' AFTER id)")
    run("ALTER TABLE t ALTER COLUMN v COMMENT 'value'")
    run("ALTER TABLE t RENAME COLUMN v TO u")
    run("ALTER TABLE t ALTER COLUMN s.e COMMENT 'changed'")
    assert comments(path) == {**CREATED, "w": "placed", "s.e": "changed", "u": "value"}
    timeline = hoodoo.Table(path).timeline
    document = ColumnIds.decoded(timeline.commit_outline(timeline.commits[-1]).extra_metadata[LATEST]).document
    assert {field["name"]: field.get("doc") for field in document["fields"][5:]} == {
        "id": "the key",
        "w": "placed",
        "s": "it's",
        "l": None,
        "u": "value",
        "ts": "time",
    }
    [nested] = [field for field in document["fields"] if field["name"] == "s"]
    assert [field.get("doc") for field in nested["type"]["fields"]] == ["changed", "inner", None]
    assert run("SELECT id, w, s.e, u FROM t ORDER BY id") == [(1, None, None, "b"), (2, None, None, "a")]


def test_rows_with_comments_change_those_of_the_table_and_statements_do_not(
    spark: SparkSession, run, database: str
) -> None:
    path = f"{database}/t"
    create(run, path)
    struct = StructType([StructField("f", IntegerType()), StructField("g", StringType(), True, {"comment": "second"})])
    columns = StructType(
        [
            StructField("id", LongType()),
            StructField("s", struct),
            StructField("v", StringType(), True, {"comment": "value"}),
            StructField("ts", LongType(), True, {"comment": "changed"}),
        ]
    )
    given = spark.createDataFrame([(1, (5, "z"), "c", 3), (4, (5, "z"), "c", 3)], columns)
    given.createOrReplaceTempView("given")
    run("MERGE INTO t USING given AS g ON t.id = g.id WHEN MATCHED THEN UPDATE SET s = g.s, v = g.v, ts = g.ts")
    run("INSERT INTO t (id, s, v, ts) SELECT * FROM given WHERE id = 4")
    assert comments(path) == CREATED
    assert run("SELECT id, s.f, v FROM t ORDER BY id") == [(1, 5, "c"), (2, 1, "a"), (4, 5, "c")]
    hoodoo.write(given, path)
    expected = {**CREATED, "s.g": "second", "v": "value", "ts": "changed"}
    assert comments(path) == expected

    run("CREATE OR REPLACE TABLE t AS SELECT id, s, l, v, ts FROM t")
    assert comments(path) == expected
    run(f"CREATE OR REPLACE TABLE t ({COLUMNS.replace('the key', 'new key')}) USING hoodoo")
    assert comments(path) == {**expected, "id": "new key", "ts": "time"}
    run(f"CREATE TABLE copy USING hoodoo LOCATION '{database}/copy' AS SELECT v, ts, s FROM t")
    assert comments(f"{database}/copy") == {"v": "value", "ts": "time", "s": "it's", "s.f": "inner", "s.g": "second"}


def test_null_is_not_a_comment(run, database: str) -> None:
    hoodoo.write(pa.table({"id": [1]}), f"{database}/t", {"table_name": "t", "record_key": "id"})
    with pytest.raises(StatementError, match="the comment is expected here as a string in quotes"):
        run(f"ALTER TABLE hoodoo.`{database}/t` ALTER COLUMN id COMMENT NULL")
    with pytest.raises(StatementError, match="has no column 'none'"):
        run(f"ALTER TABLE hoodoo.`{database}/t` ALTER COLUMN none COMMENT 'x'")
    with pytest.raises(StatementError, match="Syntax error at or near 'NULL'"):
        run("CREATE TABLE n (id INT COMMENT NULL) USING hoodoo TBLPROPERTIES (primaryKey = 'id')")


def test_rows_of_workers_in_plain_columns_have_the_comments(spark: SparkSession, run, database: str) -> None:
    """Columns keep their comments if workers read slices with logs, and if partition columns are constants."""
    path = f"{database}/t"
    schema = pa.schema(
        [
            pa.field("id", pa.int64(), metadata={"comment": "the key"}),
            pa.field("p", pa.string(), metadata={"comment": "part"}),
            pa.field("v", pa.string()),
        ]
    )
    options = {"table_name": "t", "record_key": "id", "partition_by": "p", "table_type": "MERGE_ON_READ"}
    hoodoo.write(pa.table({"id": [1, 2], "p": ["a", "b"], "v": ["x", "y"]}, schema), path, options)
    hoodoo.write(pa.table({"id": [1], "p": ["a"], "v": ["z"]}), path)
    for columns in (["id", "p", "v"], ["v", "p"]):
        frame = hoodoo.read(spark, path, columns=columns)
        comments = {field.name: field.metadata.get("comment") for field in frame.schema.fields}
        wanted = {"id": "the key", "p": "part", "v": None}
        assert comments == {name: wanted[name] for name in columns}
        assert sorted(row.v for row in frame.where("p = 'a'").collect()) == ["z"]
        assert sorted(row.v for row in frame.collect()) == ["y", "z"]
    assert ("p", "string", "part") in run(f"DESCRIBE hoodoo.`{path}`")
