"""The path of a table among the options of a job, in Spark."""

from __future__ import annotations

import pytest

import hoodoo
from hoodoo.errors import OptionError
from tests.support.by_format import by_format

OPTIONS = {
    "hoodie.table.name": "t",
    "hoodie.datasource.write.recordkey.field": "id",
    "hoodie.datasource.write.partitionpath.field": "p",
}


def test_writes_and_reads_take_the_path_from_the_options(spark, tmp_path):
    path = str(tmp_path / "t")
    df = spark.createDataFrame([("a", "x"), ("b", "y")], "id string, p string")

    hoodoo.write(df, None, {**OPTIONS, "path": path})
    hoodoo.writer(df).options(**OPTIONS, basePath=f"{path}/").save()

    assert len(hoodoo.Table(path).history()) == 2
    assert hoodoo.read(spark, basePath=path).count() == 2
    with pytest.raises(OptionError, match="give one path"):
        hoodoo.read(spark, str(tmp_path / "u"), basePath=path)
    with pytest.raises(OptionError, match="path of the table is missing"):
        hoodoo.write(df, None, OPTIONS)


@pytest.mark.nightly
def test_a_read_takes_folders_of_the_table(spark, tmp_path):
    path = str(tmp_path / "t")
    df = spark.createDataFrame([("a", "x"), ("b", "y")], "id string, p string")
    hoodoo.write(df, path, OPTIONS)
    folders = {"hoodie.datasource.read.paths": f"{path}/y/*"}

    frames = [hoodoo.read(spark, path, **folders), *by_format(spark, path, **folders)]

    for frame in frames:
        assert [row.id for row in frame.select("id").collect()] == ["b"]
