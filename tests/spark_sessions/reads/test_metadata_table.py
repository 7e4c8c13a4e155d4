"""Reads by Spark with the list of files of a metadata table that Hudi wrote."""

from __future__ import annotations

import warnings

import pytest

import hoodoo
from hoodoo.errors import CorruptTableError
from hoodoo.options import NoEffectWarning


def rows(frame):
    return sorted(map(repr, frame.toArrow().to_pylist()))


@pytest.mark.nightly
@pytest.mark.parametrize("name", ["cow9-clustered", "mor9-by-sql"])
def test_the_rows_are_those_of_the_folders(spark, real_table, name):
    path = real_table(name)
    with warnings.catch_warnings():
        warnings.simplefilter("error", NoEffectWarning)
        found = hoodoo.read(spark, path, **{"hoodie.metadata.enable": "true"})
    assert rows(found) == rows(hoodoo.read(spark, path))


def test_a_metadata_table_that_lacks_a_commit_is_not_used(spark, real_table):
    path = real_table("mor9-by-sql")
    last = hoodoo.Table(path).timeline.latest_commit
    for file in (path / ".hoodie/metadata/.hoodie").rglob(f"{last.time}*"):
        file.unlink()
    with pytest.warns(NoEffectWarning, match="the metadata table lacks 1 commit of the table") as caught:
        found = hoodoo.read(spark, path, metadata_table=True)
    assert len(caught) == 1
    assert rows(found) == rows(hoodoo.read(spark, path))


def test_a_file_that_does_not_exist_is_an_error(spark, real_table):
    path = real_table("cow9-clustered")
    (path / hoodoo.Table(path).splits()[0].path).unlink()
    with pytest.raises(CorruptTableError, match="the metadata table names"):
        hoodoo.read(spark, path, metadata_table=True).collect()


def test_filters_leave_out_files(spark, real_table):
    path = real_table("sample_table_cow__v9_txns_simple_meta")
    whole, read = hoodoo.read(spark, path), hoodoo.read(spark, path, metadata_table=True)
    key, other = (row.txn_id for row in whole.select("txn_id").orderBy("txn_id").limit(2).collect())
    for text in (f"txn_id = '{key}'", f"TXN_ID in ('{key}', '{other}') and amount > 0", "txn_id = 'no such key'"):
        found = read.where(text)
        assert rows(found) == rows(whole.where(text))
        assert len(found.inputFiles()) < len(whole.inputFiles())
    # the second filter is applied to the first one
    narrowed = read.filter(f"txn_id in ('{key}', '{other}')").where(f"txn_id <> '{other}'")
    assert [row.txn_id for row in narrowed.collect()] == [key]
    assert read.where(read.txn_id == key).count() == 1
    assert rows(read) == rows(whole)
