"""Lists of files of metadata tables that Hudi wrote, and the reasons for which the folders are listed instead."""

from __future__ import annotations

import shutil
import warnings

import pyarrow.compute as pc
import pytest

from hoodoo import Table
from hoodoo.errors import CorruptTableError, OptionError
from hoodoo.options import NoEffectWarning

NAME = "mor9-by-sql"


def rows(table, **query):
    return sorted(map(repr, table.to_arrow(**query).to_pylist()))


def reads_with_notice(path, reason, **query):
    """Check that a query lists the folders, with a notice that states the reason, and returns the same rows."""
    with pytest.warns(NoEffectWarning, match=rf"which lists the folders: .*{reason}") as caught:
        found = Table(path).plan(metadata_table=True, **query)
    assert found.way == "folders"
    assert len(caught) == 1
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert rows(Table(path), metadata_table=True, **query) == rows(Table(path), **query)


@pytest.mark.parametrize("name", [NAME, "mor6-rolled-back-by-0.15.0", "cow9-failed", "mor9-archived"])
def test_files_are_those_of_the_folders(real_table, name):
    path = real_table(name)
    expected, listed = Table(path).plan(), Table(path).plan(metadata_table=True)
    assert listed.way.startswith(f"{len(expected.splits)} file slice")
    assert [split.file_slice for split in listed.splits] == [split.file_slice for split in expected.splits]
    assert rows(Table(path), metadata_table=True) == rows(Table(path))


@pytest.mark.parametrize("query", [{"query_type": "read_optimized"}, {"query_type": "incremental"}])
def test_other_queries_use_the_same_files(real_table, query):
    path = real_table(NAME)
    if query["query_type"] == "incremental":
        first = min(commit.instant for commit in Table(path).history())
        query = {**query, "begin": first}
    assert Table(path).plan(metadata_table=True, **query).way != "folders"
    assert rows(Table(path), metadata_table=True, **query) == rows(Table(path), **query)


def test_earlier_instants_use_the_same_files(real_table):
    path = real_table("mor8-archived-by-1.0.2")
    compared = 0
    for commit in Table(path).history():
        query = {"as_of": commit.instant, "filter": pc.field("_hoodie_commit_time") >= "2"}
        try:
            expected = rows(Table(path), **query)
        except OptionError:
            # the files were cleaned
            continue
        assert rows(Table(path), metadata_table=True, **query) == expected
        compared += 1
    assert compared


def test_a_table_without_a_metadata_table(written):
    written.write(("a", "x", 1, "1"))
    reads_with_notice(written.path, "the table has no metadata table")


def test_a_folder_that_does_not_exist(real_table):
    path = real_table(NAME)
    shutil.rmtree(path / ".hoodie/metadata")
    reads_with_notice(path, "but the metadata table does not exist")


def test_a_commit_that_the_metadata_table_lacks(real_table):
    path = real_table(NAME)
    last = Table(path).timeline.latest_commit
    for file in (path / ".hoodie/metadata/.hoodie").rglob(f"{last.time}*"):
        file.unlink()
    reads_with_notice(path, f"the metadata table lacks 1 commit of the table, the first one {last.time}")


def test_a_file_of_a_commit_that_the_list_lacks(real_table, monkeypatch):
    from hoodoo.metadata_table import MetadataTable

    path = real_table(NAME)
    whole = MetadataTable.files

    def without_one(self):
        found = whole(self)
        partition = next(name for name, files in found.items() if files)
        last = max(found[partition], key=lambda name: name.rpartition("_")[2])
        return {**found, partition: {name: size for name, size in found[partition].items() if name != last}}

    monkeypatch.setattr(MetadataTable, "files", without_one)
    reads_with_notice(path, "is gone")


@pytest.mark.parametrize("partition", ["files", "column_stats"])
def test_a_missing_shard(real_table, partition):
    path = real_table(NAME)
    for file in (path / ".hoodie/metadata" / partition).glob("*"):
        file.unlink()
    for file in (path / ".hoodie/metadata" / partition).glob(".*-0000-*"):
        file.unlink()
    reads_with_notice(path, f"metadata/{partition}", filter=pc.field("_hoodie_record_key") >= "")


def test_a_damaged_file(real_table):
    path = real_table(NAME)
    for file in (path / ".hoodie/metadata/files").rglob("*.hfile"):
        file.write_bytes(file.read_bytes()[:-100])
    reads_with_notice(path, "hfile")


def test_a_metadata_table_of_a_newer_version(real_table):
    path = real_table(NAME)
    file = path / ".hoodie/metadata/.hoodie/hoodie.properties"
    file.write_text(file.read_text().replace("hoodie.table.version=9", "hoodie.table.version=10"))
    reads_with_notice(path, "version 10")


def test_a_file_that_the_metadata_table_names_and_that_does_not_exist(real_table):
    path = real_table("cow9-clustered")
    splits = Table(path).splits(metadata_table=True)
    lost = splits[0].path
    (path / lost).unlink()
    with pytest.raises(CorruptTableError, match=r"the metadata table names .*create it again") as raised:
        Table(path).to_arrow(metadata_table=True)
    assert (raised.value.file, raised.value.code) == (lost, "named_by_metadata")


def test_a_query_of_changes_does_not_use_it(real_table):
    path = real_table("mor9-changes")
    found = Table(path).plan(query_type="incremental", incremental_format="cdc", metadata_table=True)
    assert found.way == "folders"
