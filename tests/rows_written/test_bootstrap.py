"""Operation bootstrap: existing files become a table, by Spark and without it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import hoodoo
from hoodoo.errors import CommitConflict, OptionError, SchemaError, TableExists
from hoodoo.options import NoEffectWarning
from hoodoo.spark.session_conf import setting
from hoodoo.storage import storage_for
from hoodoo.writing import write as write_module
from tests.support.rows import hudi_rows

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Write = Callable[..., Any]

HUDI = {
    "hoodie.table.name": "t",
    "hoodie.datasource.write.operation": "bootstrap",
    "hoodie.datasource.write.recordkey.field": "id",
    "hoodie.bootstrap.mode.selector": "org.apache.hudi.client.bootstrap.selector.FullRecordBootstrapModeSelector",
}
"""Options of Hudi's bootstrap of a table without partitions."""

INT96 = "spark.sql.parquet.outputTimestampType"

PARTITIONED = {
    **HUDI,
    "hoodie.datasource.write.partitionpath.field": "day,n",
    "hoodie.datasource.write.hive_style_partitioning": "true",
    "hoodie.datasource.write.keygenerator.class": "org.apache.hudi.keygen.ComplexKeyGenerator",
    "hoodie.bootstrap.keygen.class": "org.apache.hudi.keygen.ComplexKeyGenerator",
}


def put(file: Path, **columns: Any) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table(columns), file)
    return file


def rows_of(table: Path) -> list[dict[str, Any]]:
    """Return the rows of a table without meta columns, ordered by key."""
    found = hoodoo.Table(table)
    names = [name for name in found.schema.names if not name.startswith("_hoodie")]
    return sorted(found.to_arrow(names).to_pylist(), key=lambda row: str(row["id"]))


@pytest.fixture
def files(tmp_path: Path) -> Path:
    return tmp_path / "the files"


@pytest.fixture
def table(tmp_path: Path) -> Path:
    return tmp_path / "table"


@pytest.fixture(params=["local", pytest.param("spark", marks=pytest.mark.spark)])
def bootstrap(request: pytest.FixtureRequest, files: Path, table: Path) -> Write:
    """Return a function that bootstraps the table from the files, without Spark or with it."""
    nothing = None
    if request.param == "spark":
        spark = request.getfixturevalue("spark")
        nothing = spark.createDataFrame([], "struct<>")

    def write(options: dict[str, Any] = HUDI, mode: str = "append", rows: Any = nothing, **more: Any) -> Any:
        return hoodoo.write(rows, table, {"hoodie.bootstrap.base.path": str(files), **options, **more}, mode)

    return write


def test_the_rows_of_partition_folders_become_a_table_that_writes_continue(bootstrap, files, table):
    put(files / "day=2024-01-02/n=07/a.parquet", id=["a", "b"], v=[1.5, None])
    put(files / "day=2024-01-03/n=8/b.parquet", id=["c"], v=[2.5])
    put(files / "day=2024-01-03/n=__HIVE_DEFAULT_PARTITION__/c.parquet", id=["d"], v=[3.5])

    done = bootstrap(PARTITIONED, mode="overwrite")

    first, second = "2024-01-02", "2024-01-03"
    expected = [
        {"id": "a", "v": 1.5, "day": first, "n": "07"},
        {"id": "b", "v": None, "day": first, "n": "07"},
        {"id": "c", "v": 2.5, "day": second, "n": "8"},
        {"id": "d", "v": 3.5, "day": second, "n": None},
    ]
    assert (done.rows_inserted, rows_of(table)) == (4, expected)
    assert {row["_hoodie_partition_path"] for row in hudi_rows(table)} == {
        "day=2024-01-02/n=07",
        "day=2024-01-03/n=8",
        "day=2024-01-03/n=__HIVE_DEFAULT_PARTITION__",
    }
    change = pa.table({"id": ["c"], "v": [9.5], "day": [second], "n": ["8"]})
    options = {k: v for k, v in PARTITIONED.items() if "operation" not in k and "bootstrap" not in k}
    hoodoo.write(change, table, options)
    assert rows_of(table) == [*expected[:2], {**expected[2], "v": 9.5}, expected[3]]


@pytest.mark.parametrize("mode", ["append", "overwrite"])
def test_it_is_one_bulk_insert_at_an_ordinary_instant(bootstrap, files, table, mode):
    put(files / "a.parquet", id=["a"])
    before = dt.datetime.now(dt.UTC)

    done = bootstrap(mode=mode)

    [instant] = hoodoo.Table(table).timeline.commits
    operation = hoodoo.Table(table).timeline.commit_metadata(instant).operation_type
    assert (instant.time, instant.action, operation) == (done.instant, "commit", "BULK_INSERT")
    assert before.strftime("%Y%m%d%H%M%S") <= done.instant[:14]
    assert not any("bootstrap" in key for key in hoodoo.Table(table).properties)


def test_types_that_a_table_stores_as_others_and_columns_that_files_lack(bootstrap, files, table):
    """Spark's own reader does not return the columns in the types of the table."""
    moment = dt.datetime(2024, 1, 2, 3, 4, 5, 678000, tzinfo=dt.UTC)
    put(
        files / "x/a.parquet",
        id=["a"],
        small=pa.array([7], pa.int8()),
        at=pa.array([moment], pa.timestamp("ms", "UTC")),
    )
    put(files / "y/z/b.parquet", id=["b"], at=pa.array([moment], pa.timestamp("ms", "UTC")), more=[True])

    bootstrap()

    assert rows_of(table) == [
        {"id": "a", "small": 7, "at": moment, "more": None},
        {"id": "b", "small": None, "at": moment, "more": True},
    ]


def test_columns_that_files_lack_are_null(bootstrap, files, table):
    put(files / "p=x/a.parquet", id=["a"], v=[1])
    put(files / "p=y/b.parquet", w=["w"], id=["b"])
    bootstrap()
    assert rows_of(table) == [{"id": "a", "v": 1, "p": "x", "w": None}, {"id": "b", "v": None, "p": "y", "w": "w"}]


def test_paths_with_special_characters(bootstrap, tmp_path, table):
    files = tmp_path / "a [b] {c} %20 #é?*"
    put(files / "p=1%2F2 é/a b%.parquet", id=["a"])
    put(files / "p=[x]/{b}.parquet", id=["b"])
    bootstrap(bootstrap_path=str(files), **{"hoodie.bootstrap.base.path": None})
    assert rows_of(table) == [{"id": "a", "p": "1/2 é"}, {"id": "b", "p": "[x]"}]


def test_the_modes_on_a_table_with_commits(bootstrap, files, table):
    file = put(files / "a.parquet", id=["a", "b"])
    first = bootstrap()

    put(file, id=["c"])
    for mode, words in (("append", "has commits"), ("errorifexists", "a table exists")):
        with pytest.raises(TableExists, match=words):
            bootstrap(mode=mode)
    second = bootstrap(mode="overwrite")
    assert [row["id"] for row in rows_of(table)] == ["c"]
    assert [i.time for i in hoodoo.Table(table).timeline.commits] == [first.instant, second.instant]

    file.unlink()
    assert bootstrap(mode="ignore").instant is None
    assert [row["id"] for row in rows_of(table)] == ["c"]


def test_a_first_commit_of_another_writer_is_not_replaced_unseen(files, table, monkeypatch):
    """The commit appears after the write has found no table, and before the write has an instant on the timeline."""
    put(files / "a.parquet", id=["a"])
    begin = write_module.begin

    def late(*arguments, **options):
        monkeypatch.setattr(write_module, "begin", begin)
        hoodoo.write(pa.table({"id": ["x"]}), table, {})
        return begin(*arguments, **options)

    monkeypatch.setattr(write_module, "begin", late)
    with pytest.raises(CommitConflict, match="repeat the write"):
        hoodoo.write(None, table, {**HUDI, "bootstrap_path": str(files)}, "overwrite")
    assert rows_of(table) == [{"id": "x"}]
    hoodoo.write(None, table, {**HUDI, "bootstrap_path": str(files)}, "overwrite")
    assert rows_of(table) == [{"id": "a"}]


def test_a_repeated_write_finds_its_commit(bootstrap, files, table):
    put(files / "a.parquet", id=["a"])
    assert bootstrap(write_id="x").instant == bootstrap(write_id="x").instant
    assert len(rows_of(table)) == 1


def test_given_rows_are_not_written_and_a_warning_states_so(bootstrap, files, table):
    put(files / "a.parquet", id=["a"])
    with pytest.warns(NoEffectWarning, match="and does not write the given rows"):
        bootstrap(rows=pa.table({"id": ["x"], "other": [1]}))
    assert rows_of(table) == [{"id": "a"}]


@pytest.mark.parametrize(
    ("columns", "options", "error", "words"),
    [
        ({"key": ["a"]}, {}, SchemaError, "no column 'id', which 'record_key' names"),
        ({"id": ["a"]}, {"ordering": "ts"}, SchemaError, "no column 'ts'"),
        ({"id": ["a"], "t": pa.array([0], pa.timestamp("us"))}, {}, SchemaError, "column 't'.*cast it to"),
        ({"id": ["a"]}, {"hoodie.bootstrap.mode.selector": "METADATA_ONLY"}, OptionError, "FULL_RECORD"),
        ({"id": ["a"]}, {"hoodie.bootstrap.base.path": None}, OptionError, "'bootstrap_path'"),
        ({"id": ["a"]}, {"keygen": "simple", "bootstrap_keygen": "complex"}, OptionError, "one key generator"),
    ],
)
def test_errors_precede_all_files(bootstrap, files, table, columns, options, error, words):
    put(files / "a.parquet", **columns)
    with pytest.raises(error, match=words):
        bootstrap(**options)
    assert not table.exists()


def test_files_in_an_object_store(table):
    """Objects at `memory://` exist only in this process, so Spark's workers cannot read them."""
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table({"id": ["a", "b"]}), sink)
    store = storage_for("memory://bootstrap/files")
    for part in ("p=x", "p=y"):
        store.create(f"{part}/a.parquet", sink.getvalue().to_pybytes())

    place = {"bootstrap_path": "memory://bootstrap/files"}
    hoodoo.write(None, table, {**HUDI, **place, "hoodie.datasource.write.recordkey.field": "id,p"})

    assert [(row["id"], row["p"]) for row in rows_of(table)] == [("a", "x"), ("a", "y"), ("b", "x"), ("b", "y")]


@pytest.mark.spark
@pytest.mark.parametrize("form", ["parquet", "orc"])
def test_files_of_spark_with_timestamps(spark: SparkSession, files, table, form):
    """Timestamps of 96 bits in Parquet, and ORC timestamps in the time zone of the session, become times in UTC."""
    with setting(spark, "spark.sql.session.timeZone", "America/New_York"), setting(spark, INT96, "INT96"):
        rows = spark.sql("select 'a' id, timestamp '2024-07-01 12:00:00.123456' at, cast(1.5 as decimal(9,2)) d, 7 p")
        rows.write.partitionBy("p").format(form).save(str(files))
        nothing = spark.createDataFrame([], "struct<>")
        hoodoo.write(nothing, table, {**HUDI, "bootstrap_path": str(files), "bootstrap_format": form})
    [row] = rows_of(table)
    assert row["at"] == dt.datetime(2024, 7, 1, 16, 0, 0, 123456, tzinfo=dt.UTC)
    assert (str(row["d"]), row["p"]) == ("1.50", "7")


@pytest.mark.spark
def test_the_enabled_writer_of_a_session(spark: SparkSession, files, table):
    put(files / "a.parquet", id=["a"])
    hoodoo.enable(spark)
    try:
        writer = spark.createDataFrame([], "struct<>").write.format("hudi").options(**HUDI)
        writer.option("hoodie.bootstrap.base.path", str(files)).mode("overwrite").save(str(table))
    finally:
        hoodoo.disable(spark)
    assert rows_of(table) == [{"id": "a"}]
