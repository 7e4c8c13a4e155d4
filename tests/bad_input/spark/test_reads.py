"""Errors of reads, and of the data source."""

from __future__ import annotations

import os

import pytest

import hoodoo
from hoodoo.errors import NotATable, OptionError, SchemaError, UnknownOption

from .usual_input import COLUMNS, ROWS

pytestmark = pytest.mark.spark


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
