"""Indexes by name: what is created and dropped, and what is refused."""

from __future__ import annotations

import pyarrow as pa
import pytest
from typer.testing import CliRunner

import hoodoo
from hoodoo.cli.table_command import app
from hoodoo.errors import OptionError, SchemaError, UnsupportedTable
from hoodoo.properties import load_properties
from hoodoo.storage import storage_for

ROWS = pa.table({"id": ["a", "b"], "v": [1, 2], "p": ["x", "y"], "tags": [["s"], ["t"]]})


@pytest.fixture
def path(tmp_path):
    options = {"table_name": "t", "record_key": "id", "partition_by": "p", "table_version": 9}
    hoodoo.write(ROWS, tmp_path / "table", options)
    return tmp_path / "table"


def partitions(path):
    return load_properties(storage_for(path)).metadata_partitions


def test_indexes_are_created_and_dropped(path):
    table = hoodoo.Table(path)
    assert table.create_indexes("record_index", "column_stats", index_columns="v") == (
        "files",
        "column_stats",
        "record_index",
    )
    assert hoodoo.Table(path).drop_indexes("record_index") == ("record_index",)
    assert partitions(path) == ("column_stats", "files")
    assert not (path / ".hoodie/metadata/record_index").exists()
    hoodoo.Table(path).drop_indexes("files", "column_stats")
    assert not (path / ".hoodie/metadata").exists()
    assert partitions(path) == ()


@pytest.mark.parametrize(
    ("names", "options", "error", "message"),
    [
        (("colum_stats",), {}, OptionError, "cannot create an index 'colum_stats'; it creates files, column_stats"),
        (("secondary_index_v",), {}, OptionError, "cannot create"),
        ((), {}, OptionError, "no index is named; name at least one of files"),
        (("files", "files"), {}, OptionError, "'files' and 'files' name the same index; name it once"),
        (("record_index", "partitioned_record_index"), {}, OptionError, "name the same index; name it once"),
        (("partition_stats",), {}, UnsupportedTable, "statistics of partitions need 'column_stats'"),
        (("column_stats",), {"index_columns": "w"}, SchemaError, "column 'w', which the table lacks; .*: id, v, p"),
        (("column_stats",), {"index_columns": ["tags"]}, SchemaError, "column 'tags', whose type list"),
    ],
)
def test_what_cannot_be_created_is_refused(path, names, options, error, message):
    with pytest.raises(error, match=message):
        hoodoo.Table(path).create_indexes(*names, **options)
    assert not (path / ".hoodie/metadata").exists()


def test_what_others_need_is_not_dropped(path):
    hoodoo.Table(path).create_indexes("column_stats", "partition_stats")
    with pytest.raises(OptionError, match="has the index 'column_stats'; drop it"):
        hoodoo.Table(path).create_indexes("column_stats")
    with pytest.raises(OptionError, match="column_stats, partition_stats need 'files'"):
        hoodoo.Table(path).drop_indexes("files")
    with pytest.raises(OptionError, match="'partition_stats' needs 'column_stats'"):
        hoodoo.Table(path).drop_indexes("column_stats")
    with pytest.raises(OptionError, match="no index 'record_index'; it has column_stats, files, partition_stats"):
        hoodoo.Table(path).drop_indexes("record_index")
    with pytest.raises(OptionError, match="no index is named; the table at"):
        hoodoo.Table(path).drop_indexes()
    assert partitions(path) == ("column_stats", "files", "partition_stats")


def test_the_commands_print_what_they_did(path):
    run = CliRunner().invoke
    assert run(app, ["index", "create", str(path), "column_stats"]).stdout == "created files, column_stats\n"
    assert run(app, ["index", "drop", str(path), "column_stats", "--json"]).stdout == '[\n  "column_stats"\n]\n'
