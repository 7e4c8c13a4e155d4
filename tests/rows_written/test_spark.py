"""Writes and reads with Spark: operations, indexes, modes, and options that need a session."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

import hoodoo
from hoodoo.errors import HoodooError, OptionError, SchemaError, TableExists
from tests.support.by_format import by_format
from tests.support.rows import assert_same, hoodoo_rows, hudi_rows, rows_of

from .comparing import check_against
from .model import Rule, TableModel

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark

Row = dict[str, Any]

OPTIONS = {"table_name": "t", "record_key": "id", "ordering": "ts"}
INDEXES = {"bucket": {"index": "bucket", "buckets": 3}, "simple": {"index": "simple"}, "bloom": {"index": "bloom"}}

SCHEMA = pa.schema(
    [
        ("id", pa.string()),
        ("place", pa.string()),
        ("ts", pa.int64()),
        ("amount", pa.decimal128(10, 2)),
        ("at", pa.timestamp("us", tz="UTC")),
        ("day", pa.date32()),
        ("raw", pa.binary()),
        ("ratio", pa.float32()),
        ("items", pa.list_(pa.int32())),
        ("tags", pa.map_(pa.string(), pa.struct([("score", pa.float64())]))),
        ("inner", pa.struct([("a", pa.string()), ("deep", pa.struct([("b", pa.bool_())]))])),
    ]
)


@pytest.fixture
def new_york(spark: SparkSession) -> Iterator[SparkSession]:
    """Yield the session with the time zone of New York; tables store timestamps in UTC."""
    before = spark.conf.get("spark.sql.session.timeZone")
    spark.conf.set("spark.sql.session.timeZone", "America/New_York")
    yield spark
    spark.conf.set("spark.sql.session.timeZone", before or "UTC")


def full_row(key: str, place: str | None, ts: int, **others: Any) -> Row:
    """Return a row with a value in every column; the values follow from key and ordering value."""
    return {
        "id": key,
        "place": place,
        "ts": ts,
        "amount": Decimal(ts) / 4,
        # half past one happened twice that night in New York
        "at": datetime(2024, 11, 3, 5, 30, ts % 60, 123456, tzinfo=UTC),
        "day": date(1900 + ts, 2, 28),
        "raw": key.encode(),
        "ratio": ts / 2,
        "items": [ts, None],
        "tags": [(key, {"score": ts / 8}), ("none", None)],
        "inner": {"a": key, "deep": {"b": ts % 2 == 0}},
        **others,
    }


NULLS = dict.fromkeys(SCHEMA.names[3:])


def frame(spark: SparkSession, rows: list[Row], schema: pa.Schema = SCHEMA) -> DataFrame:
    return spark.createDataFrame(pa.Table.from_pylist(rows, schema=schema))


@pytest.mark.representatives(index=["simple"], partitioned=[True])
@pytest.mark.parametrize("partitioned", [True, False], ids=["partitioned", "not partitioned"])
@pytest.mark.parametrize("index", INDEXES)
def test_every_operation_with_every_type_in_another_time_zone(
    index: str, partitioned: bool, new_york: SparkSession, tmp_path: Path
) -> None:
    path = tmp_path / "t"
    options = {**OPTIONS, **INDEXES[index], **({"partition_by": "place"} if partitioned else {})}
    model = TableModel(
        SCHEMA.names,
        lambda row: row["id"],
        lambda row: (row["place"] or "__HIVE_DEFAULT_PARTITION__") if partitioned else "",
        Rule("merger", "event-time", ("ts",)),
    )

    def step(operation: str, rows: list[Row], columns: list[str] = SCHEMA.names) -> None:
        rows = [{name: row[name] for name in columns} for row in rows]
        counts = model.apply(operation, rows)
        schema = pa.schema([SCHEMA.field(name) for name in columns])
        commit = hoodoo.write(frame(new_york, rows, schema), path, {**options, "operation": operation})
        assert (commit.rows_inserted, commit.rows_updated, commit.rows_deleted, commit.rows_ignored) == (
            counts.inserted,
            counts.updated,
            counts.deleted,
            counts.ignored,
        )
        assert commit.rows_incoming == len(rows)
        model.stamp(commit.instant or "")
        check_against(model, path)

    step("bulk_insert", [full_row(key, place, 3) for key, place in zip("abcdef", "xyxyxy", strict=True)])
    step("insert", [full_row("ключ", "x", 1), full_row("鍵", None, 1, **NULLS)])
    step(
        "upsert",
        [
            full_row("a", "x", 5, **NULLS),
            full_row("b", "y", 1),  # late
            full_row("c", "x", 3, raw=b"tie"),
            full_row("new", "new", 7, raw=b"first"),
            full_row("new", "new", 9),
            full_row("new", "new", 8, raw=b"late in the batch"),
            full_row("鍵", None, 2),
        ],
    )
    step("delete", [full_row("d", "y", 0), full_row("absent", "x", 0)], ["id", "place"])
    step("delete", [full_row("e", "x", 2), full_row("f", "y", 3)], ["id", "place", "ts"])
    assert_same(rows_of(hoodoo.read(new_york, path).toArrow()), hudi_rows(path), "hoodoo.read")
    for source in by_format(new_york, path):
        assert_same(rows_of(source.toArrow()), hudi_rows(path), "the data source")
        text = source.where("id = 'ключ'").selectExpr("cast(at as string)").first()
        assert text == ("2024-11-03 01:30:01.123456",)


@pytest.mark.representatives(index=["bloom"])
@pytest.mark.parametrize("index", INDEXES)
def test_every_stored_row_of_a_key_meets_the_record(index: str, spark: SparkSession, tmp_path: Path) -> None:
    options = {**OPTIONS, **INDEXES[index], "max_file_size": 1, "small_file_limit": 0}
    schema = "id string, ts long, v string"
    for ts in (1, 2, 3):
        df = spark.createDataFrame([("a", ts, f"v{ts}"), ("b", ts, "b"), ("b", ts, "b")], schema)
        assert hoodoo.write(df, tmp_path, {**options, "operation": "insert"}).rows_inserted == 3
    if index != "bucket":
        assert len(hoodoo.Table(tmp_path).file_slices()) > 1
    commit = hoodoo.write(spark.createDataFrame([("a", 2, "new")], schema), tmp_path, options)
    assert (commit.rows_inserted, commit.rows_updated, commit.rows_deleted) == (0, 2, 0)
    stored = sorted((row["ts"], row["v"]) for row in hudi_rows(tmp_path) if row["id"] == "a")
    assert stored == [(2, "new"), (2, "new"), (3, "v3")]
    keys = spark.createDataFrame([("b",)], "id string")
    assert hoodoo.write(keys, tmp_path, {**options, "operation": "delete"}).rows_deleted == 6
    assert {row["id"] for row in hudi_rows(tmp_path)} == {"a"}


@pytest.mark.nightly
@pytest.mark.parametrize("operation", ["insert", "upsert"])
def test_small_writes_fill_one_file(operation: str, spark: SparkSession, tmp_path: Path) -> None:
    for number in range(4):
        rows = [(f"{number}-{i}", number, "v") for i in range(10)]
        df = spark.createDataFrame(rows, "id string, ts long, v string").repartition(3)
        hoodoo.write(df, tmp_path, {**OPTIONS, "operation": operation})
        assert len(hoodoo.Table(tmp_path).file_slices()) == 1
    assert len(hudi_rows(tmp_path)) == 40


@pytest.mark.parametrize("operation", ["insert", "upsert", "bulk_insert"])
def test_files_stay_below_the_largest_size(operation: str, spark: SparkSession, tmp_path: Path) -> None:
    largest = 200_000
    options = {**OPTIONS, "operation": operation, "max_file_size": largest, "small_file_limit": largest // 2}
    for number in range(3):
        df = spark.range(4000).selectExpr(
            f"concat('{number}-', id) as id", f"{number} as ts", "sha2(cast(id as string), 512) as v"
        )
        hoodoo.write(df, tmp_path, options)
    slices = hoodoo.Table(tmp_path).file_slices()
    assert sum(s.size for s in slices) > 2 * largest
    # the size of a record on disk is an estimate
    assert max(s.size for s in slices) < 1.5 * largest
    assert len({row["id"] for row in hudi_rows(tmp_path)}) == 12_000


def test_writer_has_the_shape_of_dataframe_writer(spark: SparkSession, tmp_path: Path) -> None:
    df = spark.createDataFrame([("a", 1), ("b", 1)], "id string, ts long")
    commit = hoodoo.writer(df).options(**OPTIONS).option("hoodie.index.type", "BUCKET").mode("append").save(tmp_path)
    assert (commit.operation, commit.rows_inserted) == ("upsert", 2)
    commit = hoodoo.writer(df.limit(1)).option("operation", "delete").save(str(tmp_path))
    assert (commit.operation, commit.rows_deleted) == ("delete", 1)
    assert [row["id"] for row in hudi_rows(tmp_path)] == ["b"]


def test_modes(spark: SparkSession, tmp_path: Path) -> None:
    def df(value: str) -> DataFrame:
        return spark.createDataFrame([("a", 1, value)], "id string, ts long, v string")

    def stored(path: Path) -> list[str]:
        return [row["v"] for row in hudi_rows(path)]

    for mode in ("append", "errorifexists", "ignore", "overwrite"):
        assert hoodoo.write(df(mode), tmp_path / mode, OPTIONS, mode).rows_inserted == 1
        assert stored(tmp_path / mode) == [mode]
    path = tmp_path / "append"
    history = hoodoo.Table(path).history()
    with pytest.raises(TableExists, match="use mode 'append'"):
        hoodoo.write(df("x"), path, OPTIONS, "errorifexists")
    ignored = hoodoo.write(df("x"), path, OPTIONS, "ignore")
    assert (ignored.instant, ignored.rows_inserted) == (None, 0)
    with pytest.raises(OptionError, match="mode is 'replace'"):
        hoodoo.write(df("x"), path, OPTIONS, "replace")
    assert hoodoo.Table(path).history() == history
    assert hoodoo.write(df("appended"), path, OPTIONS, "append").rows_updated == 1
    assert stored(path) == ["appended"]
    assert hoodoo.write(df("anew"), path, OPTIONS, "overwrite").rows_inserted == 1
    assert stored(path) == ["anew"]
    assert hoodoo.Table(path).history()[-len(history) :] == history


@pytest.mark.representatives(index=["bucket"])
@pytest.mark.parametrize("index", INDEXES)
def test_arrival_decides_ties(index: str, spark: SparkSession, tmp_path: Path) -> None:
    rows = [(key, 1, f"{key}{n}", -n) for n in range(6) for key in "abcdef"]
    df = spark.createDataFrame(rows, "id string, ts long, v string, n int")

    def winners(name: str, frame: DataFrame, **options: Any) -> dict[str, str]:
        hoodoo.write(frame, tmp_path / name, {**OPTIONS, **INDEXES[index], **options})
        return {row["id"]: row["v"] for row in hudi_rows(tmp_path / name)}

    last, first = {key: f"{key}5" for key in "abcdef"}, {key: f"{key}0" for key in "abcdef"}
    assert winners("position", df) == last
    assert winners("said", df, arrival="position") == last
    assert winners("column", df, arrival="n") == first
    by_content = winners("content", df, arrival="content")
    assert set(by_content) == set("abcdef")
    assert winners("shuffled", df.repartition(5, "v"), arrival="content") == by_content


def test_arrival_column_must_exist_and_be_a_number_or_time(spark: SparkSession, tmp_path: Path) -> None:
    df = spark.createDataFrame([("a", 1, "v")], "id string, ts long, v string")
    for arrival in ("missing", "v"):
        with pytest.raises(SchemaError, match=f"'{arrival}'"):
            hoodoo.write(df, tmp_path, {**OPTIONS, "arrival": arrival})
    assert not list(tmp_path.rglob("*.parquet"))


@pytest.mark.needs_pyspark("4.0")
def test_data_source_takes_columns_and_as_of(spark: SparkSession, tmp_path: Path) -> None:
    schema = "id string, ts long, v string"
    first = hoodoo.write(spark.createDataFrame([("a", 1, "old"), ("b", 1, "b")], schema), tmp_path, OPTIONS)
    hoodoo.write(spark.createDataFrame([("a", 2, "new")], schema), tmp_path, OPTIONS)

    def load(**options: Any) -> DataFrame:
        return spark.read.format("hoodoo").options(**options).load(str(tmp_path))

    chosen = load(columns="v,id", as_of=first.instant)
    assert chosen.columns == ["v", "id"]
    assert sorted(tuple(row) for row in chosen.collect()) == [("b", "b"), ("old", "a")]
    assert sorted(tuple(row) for row in load(columns="v").collect()) == [("b",), ("new",)]
    assert load(meta_columns="false").columns == ["id", "ts", "v"]
    assert_same(rows_of(load().toArrow()), hoodoo_rows(tmp_path), "without options")
    narrow = spark.read.schema("v string").format("hoodoo").load(str(tmp_path))
    assert sorted(row.v for row in narrow.collect()) == ["b", "new"]


@pytest.mark.needs_pyspark("4.0")
def test_data_source_says_how_to_write(spark: SparkSession, tmp_path: Path) -> None:
    df = spark.createDataFrame([("a", 1)], "id string, ts long")
    with pytest.raises(Exception, match=r"hoodoo\.writer\(df\)\.options\(\*\*options\)\.mode\('append'\)\.save"):
        df.write.format("hoodoo").options(**OPTIONS).mode("append").save(str(tmp_path))
    assert not list(tmp_path.iterdir())


@pytest.mark.needs_pyspark("4.0")
@pytest.mark.parametrize("mode", [None, "errorifexists", "ignore"])
def test_a_save_mode_that_spark_refuses_gets_a_note(spark: SparkSession, tmp_path: Path, mode: str | None) -> None:
    """The error, which Spark raises before it calls the data source, gets a note."""
    from pyspark.errors import AnalysisException

    df = spark.createDataFrame([("a", 1)], "id string, ts long")
    hoodoo.write(df, tmp_path / "table", OPTIONS)
    for format_, path in (("hoodoo", tmp_path / "new"), ("noop", tmp_path / "noop")):
        writer = df.write.format(format_)
        with pytest.raises(AnalysisException, match="UNSUPPORTED_DATA_SOURCE_SAVE_MODE") as caught:
            (writer if mode is None else writer.mode(mode)).save(str(path))
        line = f"hoodoo.writer(df).options(**options).mode('{mode or 'errorifexists'}').save('{path}')"
        notes = getattr(caught.value, "__notes__", [])
        assert [line in note for note in notes] == ([True] if format_ == "hoodoo" else [])
    df.write.format("noop").mode("overwrite").save()


def test_a_table_that_exists_needs_no_options(spark: SparkSession, tmp_path: Path) -> None:
    hoodoo.write(spark.createDataFrame([("a", 1), ("b", 1)], "id string, ts long"), tmp_path, OPTIONS)

    commit = hoodoo.write(spark.createDataFrame([("a", 2)], "id string, ts long"), str(tmp_path))

    assert (commit.operation, commit.rows_updated) == ("upsert", 1)
    assert sorted((row["id"], row["ts"]) for row in hoodoo_rows(tmp_path)) == [("a", 2), ("b", 1)]


def test_a_new_table_without_options_says_what_it_needs(spark: SparkSession, tmp_path: Path) -> None:
    df = spark.createDataFrame([("a", 2)], "id string, ts long")
    with pytest.raises(OptionError, match=r"there is no table yet.*'table_name'.*'record_key'.*or check the path"):
        hoodoo.write(df, tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_data_that_cannot_be_written_leaves_the_table_as_it_was(spark: SparkSession, tmp_path: Path) -> None:
    schema = "id string, ts long, v string"
    hoodoo.write(spark.createDataFrame([("a", 1, "v")], schema), tmp_path, OPTIONS)
    before = hoodoo_rows(tmp_path)
    files = {file.name for file in tmp_path.glob("*.parquet")}
    for bad in ((None, 1, "v"), ("b", None, "v")):
        with pytest.raises(HoodooError, match="null"):
            hoodoo.write(spark.createDataFrame([("a", 5, "x"), bad], schema), tmp_path, OPTIONS)
        assert_same(hoodoo_rows(tmp_path), before, "after the failed write")
        assert {file.name for file in tmp_path.glob("*.parquet")} == files
    hoodoo.write(spark.createDataFrame([("a", 5, "x")], schema), tmp_path, OPTIONS)
    assert [(row["id"], row["v"]) for row in hudi_rows(tmp_path)] == [("a", "x")]
