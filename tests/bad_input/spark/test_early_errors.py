"""Errors in options and columns, which are raised before anything is written."""

from __future__ import annotations

import pytest
from pyspark.sql import functions as F

from hoodoo.errors import OptionError, SchemaError, UnknownOption, UnknownPlugin

from .usual_input import COLUMNS, ROWS

pytestmark = pytest.mark.spark


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
