"""Updates that log only assigned columns, read by every query, by compaction and by the `hudi` package."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pyspark.sql import functions as F

import hoodoo
from hoodoo.errors import CommitConflict, DataError
from hoodoo.format.log import HeaderKey, read_blocks
from hoodoo.schema.meta_columns import META_COLUMNS
from hoodoo.spark.scan.read import table_frame
from hoodoo.spark.statements import execution
from hoodoo.spark.statements.statement_batch import StatementBatch
from hoodoo.storage import LocalStorage
from tests.support.rows import hudi_rows

COLUMNS = "id int, part string, a int, b string, at struct<x: int, y: string>, ts int"
ROWS = [(key, f"p{key % 2}", key * 10, f"b{key}", (key, "y"), 5) for key in range(6)]
OPTIONS = {"table_name": "t", "record_key": "id", "partition_by": "part", "table_type": "MERGE_ON_READ"}


@pytest.fixture
def create(spark, tmp_path):
    def made(**options) -> Path:
        path = tmp_path / f"table{len(list(tmp_path.iterdir()))}"
        given = {**OPTIONS, "table_version": 9, **options}
        hoodoo.write(spark.createDataFrame(ROWS, COLUMNS), path, {**given, "operation": "bulk_insert"})
        return path

    return made


def logged(path: Path) -> list[tuple[bool, list[str]]]:
    """Return whether each data block of the logs is partial, with its data columns, in the order of the blocks."""
    storage, found = LocalStorage(str(path)), []
    files = sorted(file.relative_to(path).as_posix() for file in path.rglob(".*.log.*"))
    for file in sorted(files, key=lambda name: name.partition("_")[2]):
        for block in read_blocks(storage, file):
            if HeaderKey.SCHEMA in block.header and block.type.name != "DELETE":
                names = [field["name"] for field in json.loads(block.schema_text)["fields"]]
                found.append((block.is_partial, [name for name in names if name not in META_COLUMNS]))
    return found


def rows(path: Path, **query) -> dict[int, tuple]:
    """Return the rows by key: partition, a, b, both fields of `at`, and ts."""
    found = hoodoo.Table(path).to_arrow(**query).to_pylist()
    return {row["id"]: (row["part"], row["a"], row["b"], row["at"]["x"], row["at"]["y"], row["ts"]) for row in found}


def assert_all_read(spark, path: Path, expected: dict[int, tuple]) -> None:
    """Assert that all readers return the rows."""
    assert rows(path) == expected
    columns = "id", "part", "a", "b", "at.x", "at.y", "ts"
    assert {row[0]: tuple(row)[1:] for row in hoodoo.read(spark, path).select(*columns).collect()} == expected
    theirs = {
        row["id"]: (row["part"], row["a"], row["b"], row["at"]["x"], row["at"]["y"], row["ts"])
        for row in hudi_rows(path)
    }
    assert theirs == expected


def stored(key: int, **changes) -> tuple:
    values = {"part": f"p{key % 2}", "a": key * 10, "b": f"b{key}", "x": key, "y": "y", "ts": 5}
    return tuple({**values, **changes}.values())


@pytest.mark.nightly
@pytest.mark.parametrize("log_format", ["avro", "parquet"])
@pytest.mark.parametrize("index", [{"index": "simple"}, {"index": "bucket", "buckets": 2}], ids=["simple", "bucket"])
def test_statements_log_what_they_assign_and_all_readers_see_whole_rows(spark, create, log_format, index):
    path = create(log_format=log_format, **index)
    table = hoodoo.Table(path)
    began = table.timeline.commits[-1].completed_at

    table.update("id < 2", {"a": "a + 1"}, spark=spark)
    assert logged(path) == [(True, ["a"])] * 2
    expected = {key: stored(key) for key in range(6)}
    expected |= {0: stored(0, a=1), 1: stored(1, a=11)}
    assert_all_read(spark, path, expected)

    # partial onto partial; a field of a struct needs the other fields; inserts are whole
    source = spark.createDataFrame(
        [(0, "p0", "new"), (3, "p1", None), (5, "p1", "gone"), (8, "p0", "in")], "i int, p string, v string"
    )
    result = (
        hoodoo.Table(path)
        .merge(source, "t.id = s.i AND t.part = s.p")
        .whenMatchedDelete("s.v = 'gone'")
        .whenMatchedUpdate("s.v = 'new'", set={"b": "s.v"})
        .whenMatchedUpdate(set={"at.y": "concat(t.at.y, 'z')", "b": "s.v"})
        .whenNotMatchedInsert(values={"id": "s.i", "part": "s.p", "b": "s.v", "at": "named_struct('x', 8, 'y', s.v)"})
        .execute()
    )
    assert (result.inserted, result.updated, result.deleted) == (1, 2, 1)
    assert {tuple(names) for partial, names in logged(path) if partial} == {("a",), ("b", "at")}
    expected |= {0: stored(0, a=1, b="new"), 3: stored(3, b=None, y="yz"), 8: ("p0", None, "in", 8, "in", None)}
    del expected[5]
    assert_all_read(spark, path, expected)

    changed = rows(path, query_type="incremental", begin=began)
    assert changed == {key: expected[key] for key in (0, 1, 3, 8)}
    assert "b = s.v" in str(hoodoo.Table(path).explain("3", "p1"))

    # a later whole row, and a statement that fails while its tasks run
    hoodoo.write(spark.createDataFrame([(1, "p1", 7, "w", (7, "w"), 1)], COLUMNS), path, {})
    expected[1] = ("p1", 7, "w", 7, "w", 1)
    # the default since Spark 4.0
    spark.conf.set("spark.sql.ansi.enabled", "true")
    try:
        with pytest.raises(DataError):
            hoodoo.Table(path).update("id <> 3", {"a": "1 div (id - 2)"}, spark=spark)
    finally:
        spark.conf.unset("spark.sql.ansi.enabled")
    assert_all_read(spark, path, expected)

    hoodoo.Table(path).compact()
    assert rows(path, query_type="read_optimized") == expected
    hoodoo.Table(path).update("id = 1", {"b": "'last'"}, spark=spark)
    expected[1] = ("p1", 7, "last", 7, "w", 1)
    assert_all_read(spark, path, expected)


@pytest.mark.parametrize(
    ("options", "given", "partial"),
    [
        ({}, {"partial_records": False}, None),
        ({"table_version": 6}, {"partial_records": True}, None),
        ({"ordering": "ts"}, {}, None),
        ({"ordering": "ts"}, {"hoodie.spark.sql.merge.into.partial.updates": "true"}, ["a", "ts"]),
        ({"table_version": 8}, {}, None),
        ({"table_version": 8}, {"partial_records": True}, ["a"]),
        ({"merger": "first-value"}, {"partial_records": True}, None),
        ({"index": "global-simple"}, {"partial_records": True}, None),
    ],
    ids=[
        "refused",
        "version 6",
        "ordering",
        "ordering and consent",
        "version 8",
        "version 8 and consent",
        "other rule",
        "global index",
    ],
)
def test_version_rule_index_and_option_decide_about_partial_records(spark, create, options, given, partial):
    path = create(log_format="avro", **options)
    hoodoo.Table(path).update("id = 2", {"a": "a + 1"}, spark=spark, **given)
    whole = ["id", "part", "a", "b", "at", "ts"]
    assert logged(path) == [(partial is not None, partial or whole)]
    if options.get("merger") != "first-value":
        assert rows(path)[2] == stored(2, a=21)


def test_an_update_of_all_columns_is_whole(spark, create):
    path = create(log_format="avro")
    every = {"a": "1", "b": "'1'", "at": "named_struct('x', 1, 'y', '1')", "ts": "1"}
    hoodoo.Table(path).update("id = 2", every, spark=spark)
    assert logged(path) == [(False, ["id", "part", "a", "b", "at", "ts"])]


def test_a_row_that_is_deleted_in_between_does_not_come_back(spark, create, monkeypatch):
    path = create()
    at = StatementBatch.at

    def interrupted(self, timeline):
        made = at(self, timeline)
        monkeypatch.setattr(StatementBatch, "at", at)
        hoodoo.Table(path).delete("id = 2", spark=spark)
        return made

    monkeypatch.setattr(StatementBatch, "at", interrupted)
    with pytest.raises(CommitConflict):
        hoodoo.Table(path).update("id = 2", {"a": "a + 1"}, spark=spark)
    assert 2 not in rows(path)
    assert hoodoo.Table(path).update("id = 2", {"a": "a + 1"}, spark=spark).updated == 0
    assert 2 not in rows(path)


def test_updates_of_different_columns_at_the_same_time_conflict(spark, create, monkeypatch):
    path = create()
    at = StatementBatch.at

    def interrupted(self, timeline):
        made = at(self, timeline)
        monkeypatch.setattr(StatementBatch, "at", at)
        hoodoo.Table(path).update("id = 2", {"b": "'other'"}, spark=spark)
        return made

    monkeypatch.setattr(StatementBatch, "at", interrupted)
    with pytest.raises(CommitConflict):
        hoodoo.Table(path).update("id = 2", {"a": "a + 1"}, spark=spark)
    assert rows(path)[2] == stored(2, b="other")
    hoodoo.Table(path).update("id = 2", {"a": "a + 1"}, spark=spark)
    assert rows(path)[2] == stored(2, a=21, b="other")


@pytest.mark.nightly
def test_a_log_of_few_columns_is_small(spark, tmp_path):
    """Logs of 3 of 200 columns have less than 5 % of the bytes of logs of whole rows."""
    sizes = []
    for allowed in (True, False):
        path = tmp_path / str(allowed)
        wide = spark.range(2000).selectExpr("id", *(f"xxhash64(id, {number}) AS c{number}" for number in range(200)))
        given = {"table_name": "t", "record_key": "id", "table_type": "MERGE_ON_READ", "table_version": 9}
        hoodoo.write(wide, path, {**given, "operation": "bulk_insert"})
        assigned = {f"c{number}": f"c{number} + 1" for number in range(3)}
        hoodoo.Table(path).update(None, assigned, spark=spark, partial_records=allowed)
        sizes.append(sum(file.stat().st_size for file in path.rglob(".*.log.*")))
    assert sizes[0] < 0.05 * sizes[1]


def test_only_columns_that_a_statement_uses_are_read_from_logs(spark, create, monkeypatch):
    path, read = create(), []

    def watched(session, storage, timeline, columns=None):
        read.append(columns)
        return table_frame(session, storage, timeline, columns)

    monkeypatch.setattr(execution, "table_frame", watched)
    hoodoo.Table(path).update("at.x = 2", {"b": "concat(b, a)"}, spark=spark)
    hoodoo.Table(path).delete("ts > a", spark=spark)
    source = spark.createDataFrame([(3, "p1", 1)], "id int, part string, n int")
    for condition, value in ((None, "t.a + s.n"), (F.col("t.b") == "x", "1")):
        merge = hoodoo.Table(path).merge(source, "t.id = s.id AND t.part = s.part")
        merge.whenMatchedUpdate(condition, set={"a": value}).execute()
    # each statement is checked with all columns; the first finds no logs, and the last has a condition without a text
    assert read == [None, None, ["id", "part", "a", "ts"], None, ["id", "part", "a"], None]
    assert rows(path) == {1: stored(1), 2: stored(2, b="b220"), 3: stored(3, a=31), 4: stored(4), 5: stored(5)}
