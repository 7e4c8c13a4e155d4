"""Bad input through Spark: the driver raises the same error, regardless of the process that detects it."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pyarrow as pa
import pyarrow.parquet as pq
import pyspark
import pytest
from packaging.version import Version
from pyspark.errors import AnalysisException, PythonException
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import hoodoo
from hoodoo.errors import (
    CorruptTableError,
    DataError,
    NotATable,
    OptionError,
    PluginFault,
    PluginNotAllowed,
    SchemaError,
    UnknownOption,
    UnknownPlugin,
)

pytestmark = pytest.mark.spark

COLUMNS = "id string, part string, ts long, v string"
ROWS = [("a", "x", 1, "1"), ("b", "x", 2, "2"), ("c", "y", 3, "3")]


@pytest.fixture
def send(spark: SparkSession, place):
    """Write rows through Spark with the usual options and others."""

    def write(rows=ROWS, columns=COLUMNS, mode="append", **options):
        frame = rows if hasattr(rows, "sparkSession") else spark.createDataFrame(rows, columns)
        return hoodoo.write(frame, place.path, place.options(options), mode)

    return write


@pytest.fixture
def executors(spark: SparkSession) -> Iterator[dict[str, str]]:
    """Yield environment variables of the Python workers that are started from now on."""
    environment = spark.sparkContext.environment
    before = dict(environment)
    yield environment
    environment.clear()
    environment.update(before)


def changed(position, value):
    """Return the usual rows with one value of the second replaced."""
    row = list(ROWS[1])
    row[position] = value
    return [ROWS[0], tuple(row), ROWS[2]]


@pytest.mark.parametrize(
    ("kind", "code", "options", "words"),
    [
        (UnknownOption, "unknown_option", {"recordkey": "id"}, ["'record_key'"]),
        (OptionError, "option", {"operation": "upsert_prepped"}, ["upsert_prepped", "use upsert"]),
        (OptionError, "bootstrap", {"operation": "bootstrap"}, ["'bootstrap_path'"]),
        (OptionError, "option", {"mode": "apend"}, ["'apend'"]),
        (SchemaError, "column_missing", {"ordering": "gone"}, ["'gone'", "'ordering'"]),
        (UnknownPlugin, "unknown_plugin", {"merger": "evnt-time"}, ["'event-time'"]),
    ],
)
def test_what_options_show_starts_no_job(send, refuses, kind, code, options, words):
    refuses.early(kind, code, *words, write=lambda: send(**options))


@pytest.mark.parametrize(
    ("type_", "words"),
    [
        ("timestamp_ntz", ["timestamp_ntz", "cast it to timestamp"]),
        ("interval day to second", ["interval", "cast it"]),
        ("void", ["'c'", "void"]),
        ("array<timestamp_ntz>", ["'c[]'", "cast it to timestamp"]),
        ("map<int,string>", ["'c'", "cast the keys"]),
        ("struct<>", ["'c'", "add a field to the struct"]),
        ("array<struct<a:struct<>>>", ["'c[].a'", "add a field to the struct"]),
    ],
)
@pytest.mark.parametrize("exists", [False, True])
def test_types_of_spark_that_no_hudi_table_holds(spark, place, send, refuses, type_, words, exists):
    if exists:
        place.write()
    frame = spark.createDataFrame(ROWS, COLUMNS).withColumn("c", F.lit(None).cast(type_))

    refuses.early(SchemaError, "column_type", *words, write=lambda: send(frame))


@pytest.mark.parametrize("exists", [False, True])
def test_names_that_spark_allows_and_a_table_does_not(spark, place, send, refuses, exists):
    if exists:
        place.write()
    frame = spark.createDataFrame(ROWS, COLUMNS)

    for name, word in (("a b", "'a b'"), ("a`b", "a`b"), ("a.b", "'a.b'"), ("_hoodie_File_Name", "reserved")):
        refuses.early(SchemaError, "column_name", word, write=lambda n=name: send(frame.withColumn(n, F.lit("1"))))


@pytest.mark.nightly
@pytest.mark.representatives(options=[{}])
@pytest.mark.parametrize(
    "options",
    [{}, {"index": "bucket", "buckets": 2}, {"index": "global-simple"}, {"operation": "bulk_insert"}],
    ids=["simple", "bucket", "global", "bulk_insert"],
)
def test_values_that_share_a_folder(spark, send, refuses, options):
    """Rows of one folder are written by several tasks, and the driver compares what these report."""
    columns = "id string, part string, place string, ts long"
    rows = [(str(n), "x/y" if n % 2 else "x", "z" if n % 2 else "y/z", n) for n in range(20)]
    good = spark.createDataFrame([row for row in rows if row[1] == "x"], columns)

    refuses.late(
        DataError,
        "path_collision",
        "part='x/y', place='z'",
        "part='x', place='y/z'",
        "'x/y/z'",
        write=lambda: send(spark.createDataFrame(rows, columns).repartition(5), partition_by="part,place", **options),
        good=lambda: send(good, partition_by="part,place", **options),
    )


@pytest.mark.representatives(operation=["upsert"], column=["v"])
@pytest.mark.parametrize("operation", ["upsert", "bulk_insert"])
@pytest.mark.parametrize(("column", "which"), [("v", "'b'"), ("id", r"id='\\xff'"), ("part", "'b'")])
def test_bytes_that_are_no_text(spark, send, refuses, operation, column, which):
    """Spark makes a string of any bytes. A bulk insert brings rows to tasks before their keys are checked."""
    bad = F.expr(f"if(id = 'b', cast(X'ff' as string), {column})")
    rows = spark.createDataFrame(ROWS, COLUMNS).withColumn(column, bad)

    refuses.late(
        DataError,
        "invalid_text",
        f"column '{column}'",
        which,
        write=lambda: send(rows, operation=operation),
        good=lambda: send(operation=operation),
    )


@pytest.mark.nightly
def test_a_map_with_a_key_twice(spark, tmp_path, send, refuses):
    """Spark makes no such maps, and reads them from files."""
    maps = pa.array([[("k", 1)], [("k", 1), ("k", 2)], []], pa.map_(pa.string(), pa.int64()))
    table = pa.table({"id": ["a", "b", "c"], "part": ["x"] * 3, "ts": [1, 2, 3], "v": maps})
    pq.write_table(table, tmp_path / "rows.parquet")
    rows = spark.read.parquet(str(tmp_path / "rows.parquet"))

    refuses.late(
        DataError,
        "repeated_map_key",
        "column 'v'",
        "keys such as 'b'",
        write=lambda: send(rows),
        good=lambda: send(rows.where("id != 'b'")),
    )


@pytest.mark.nightly
@pytest.mark.representatives(index=["simple"])
@pytest.mark.parametrize("index", ["simple", "bucket", "global-simple"])
def test_values_that_share_a_record_key(spark, send, refuses, index):
    rows = spark.createDataFrame([("x,v:y", "x", 1, "z"), ("x", "x", 2, "y,v:z")], COLUMNS).repartition(2)

    refuses.late(
        DataError,
        "key_collision",
        "id='x,v:y', v='z'",
        "id='x', v='y,v:z'",
        "'id:x,v:y,v:z'",
        write=lambda: send(rows, record_key="id,v", index=index),
        good=lambda: send(record_key="id,v", index=index),
    )


@pytest.mark.each_value
@pytest.mark.parametrize("index", [{}, {"index": "bucket", "buckets": 2}], ids=["simple", "bucket"])
@pytest.mark.parametrize(
    ("position", "value", "code", "words"),
    [
        (0, None, "key_null_or_empty", ["'id'", "every record needs a key"]),
        (1, "../up", "path_traversal", ["'part'", "'../up'"]),
        (2, None, "ordering_null", ["'ts'", "keys such as 'b'"]),
    ],
)
def test_errors_in_the_rows(send, refuses, position, value, code, words, index):
    send(**index)

    error = refuses.late(
        DataError, code, *words, write=lambda: send(changed(position, value)), good=lambda: send(changed(3, "new"))
    )

    assert_readable(error)


@pytest.mark.nightly
def test_errors_in_the_rows_of_a_new_table(send, refuses):
    refuses.late(
        DataError, "key_null_or_empty", "'id'", write=lambda: send(changed(0, None)), good=lambda: send(record_key="v")
    )


def test_a_damaged_base_file(place, send):
    send()
    (file,) = place.path.glob("x/*.parquet")
    body, rows = file.read_bytes(), place.rows()
    file.write_bytes(body[:-10])

    with pytest.raises(CorruptTableError, match="is damaged") as caught:
        send()

    assert caught.value.file == str(file.relative_to(place.path))
    assert_readable(caught.value)
    file.write_bytes(body)
    assert place.rows() == rows
    place.check_tidy()


MERGER = """
@frozen
class Plugin:
    laws = frozenset()
    def merge(self, older, newer, context, config):
        {body}
"""


def test_a_plugin_that_raises_on_an_executor(site, send, refuses, executors):
    executors["PYTHONPATH"] = str(site.path)
    site.install("merger", "faulty", MERGER.format(body="raise ZeroDivisionError('oops')"))
    send(merger="faulty")

    def repaired():
        site.install("merger", "faulty", MERGER.format(body="return Outcome.all(Choice.TAKE, len(newer))"))
        executors["HOODOO_TEST_WORKERS"] = "new ones, which import the plugin again"
        send()

    error = refuses.late(
        PluginFault,
        "plugin_fault",
        "merger 'faulty'",
        "acme-faulty 1.5",
        "ZeroDivisionError: oops",
        "keys such as '",
        write=send,
        good=repaired,
    )

    assert_readable(error)
    lines = str(error).splitlines()
    assert len(lines) == 2
    assert lines[0] == "merger 'faulty' (acme-faulty 1.5) raised ZeroDivisionError: oops"
    assert f'File "{site.path / "acme_faulty.py"}", line ' in lines[1]
    assert "in merge; keys such as '" in lines[1]


def test_a_plugin_that_raises_in_a_read(spark, place, site, send, executors):
    """Spark shows the error of the worker when the user runs the query: message first, then the traceback."""
    executors["PYTHONPATH"] = str(site.path)
    site.install("merger", "faulty", MERGER.format(body="raise ZeroDivisionError('oops')"))
    send(merger="faulty", table_type="MERGE_ON_READ")
    send(merger="faulty", table_type="MERGE_ON_READ")
    frame = hoodoo.read(spark, place.path)

    with pytest.raises(PythonException) as caught:
        frame.collect()

    lines = str(caught.value).splitlines()
    found = next(number for number, line in enumerate(lines) if "merger 'faulty' (acme-faulty 1.5) raised" in line)
    if Version(pyspark.__version__) >= Version("4.0"):
        assert found <= 2, "Spark's header has one or two lines"
    assert f'File "{site.path / "acme_faulty.py"}", line ' in lines[found]
    assert "in merge; keys such as '" in lines[found]
    assert any(line.startswith("ZeroDivisionError: oops") for line in lines), "the causes follow"


@pytest.mark.nightly
@pytest.mark.skipif(Version(pyspark.__version__) < Version("4.0"), reason="older Spark has no Python data sources")
def test_a_plugin_that_the_planner_of_the_data_source_lacks(spark, place, site, send, executors):
    """Spark plans a data source in a worker of the driver, whose error begins with the message too."""
    executors["PYTHONPATH"] = str(site.path)
    site.install("merger", "faulty", MERGER.format(body="return Outcome.all(Choice.TAKE, len(newer))"))
    send(merger="faulty", table_type="MERGE_ON_READ")
    send(merger="faulty", table_type="MERGE_ON_READ")

    with pytest.raises(AnalysisException) as caught:
        spark.read.format("hoodoo").load(str(place.path))

    first = str(caught.value).splitlines()[0]
    assert (
        "hoodoo.errors.UnknownPlugin: merger 'faulty' of this table is not installed; acme-faulty 1.5 had it" in first
    )
    assert "pip install acme-faulty==1.5" in first


@pytest.mark.nightly
def test_a_plugin_written_by_row_that_raises_on_an_executor(site, send, refuses, executors):
    executors["PYTHONPATH"] = str(site.path)
    body = MERGER.replace("class Plugin:", "class Plugin(RowMerger):").replace("    laws = frozenset()\n", "")
    site.install("merger", "by-row", body.format(body="return None if newer.key != 'b' else older.data['gone']"))
    send(merger="by-row")

    error = refuses.late(
        PluginFault,
        "plugin_fault",
        "merger 'by-row'",
        "acme-by-row 1.5",
        "KeyError",
        "key 'b'",
        write=send,
        good=lambda: send(ROWS[2:]),
    )

    assert_readable(error)


@pytest.mark.nightly
def test_a_plugin_that_executors_lack(site, send, refuses):
    site.install("merger", "driver-only", MERGER.format(body="return Outcome.all(Choice.TAKE, len(newer))"))

    error = refuses.late(
        UnknownPlugin,
        "unknown_plugin",
        "merger 'driver-only'",
        "acme-driver-only",
        "cannot run it",
        "on host",
        "pip install acme-driver-only==1.5",
        write=lambda: send(merger="driver-only"),
        good=send,
    )

    assert_readable(error)


@pytest.mark.nightly
def test_a_plugin_that_executors_do_not_allow(send, refuses, executors):
    executors["HOODOO_PLUGINS"] = "keygen:simple"

    error = refuses.late(
        PluginNotAllowed,
        "plugin_not_allowed",
        "merger 'event-time'",
        "HOODOO_PLUGINS",
        "cannot run it",
        write=send,
        good=lambda: (executors.pop("HOODOO_PLUGINS"), send()),
    )

    assert_readable(error)


def test_reading_where_there_is_no_table(spark, place):
    with pytest.raises(NotATable, match="check the path"):
        hoodoo.read(spark, place.path)
    assert not place.path.exists()


@pytest.mark.needs_pyspark("4.0")
def test_reading_where_there_is_no_table_through_the_data_source(spark, place):
    with pytest.raises(Exception, match="no Hudi table at") as caught:
        spark.read.format("hoodoo").load(str(place.path)).collect()
    assert "NotATable" in str(caught.value)
    assert not place.path.exists()


def test_reading_what_is_not_there(spark, place, send):
    send()

    with pytest.raises(SchemaError, match="no column 'gone'; it has id, part, ts, v"):
        hoodoo.read(spark, place.path, columns="id,gone")
    with pytest.raises(UnknownOption, match=r"'colums'.*'columns'"):
        hoodoo.read(spark, place.path, colums="id")
    with pytest.raises(OptionError, match="'backwards'"):
        hoodoo.read(spark, place.path, query_type="backwards")


@pytest.mark.needs_pyspark("4.0")
def test_writing_through_the_data_source_names_what_to_use(spark, place):
    frame = spark.createDataFrame(ROWS, COLUMNS)

    with pytest.raises(Exception, match=r"hoodoo\.writer\(df\)"):
        frame.write.format("hoodoo").mode("append").save(str(place.path))
    assert not os.path.lexists(place.path)


def assert_readable(error):
    """Check that a message has no traceback of Spark or Python."""
    for noise in ("Traceback", "py4j", "org.apache.spark", "PythonException", "hoodoo-error:"):
        assert noise not in str(error)
    assert len(str(error)) < 700
