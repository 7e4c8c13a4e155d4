"""The files below a folder that a bootstrap reads, and the folders that it refuses."""

from __future__ import annotations

from pathlib import Path

import pytest

from hoodoo.bootstrap.source_files import check_place, source_files
from hoodoo.errors import OptionError, SchemaError, UnsupportedTable
from hoodoo.storage import storage_for


def made(folder: Path, *paths: str) -> Path:
    for path in paths:
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(b"content")
    return folder


def found(folder: Path) -> list[tuple[str, int, dict[str, str | None]]]:
    return [(f.path, f.size, dict(f.values)) for f in source_files(storage_for(folder), "parquet")]


def test_files_are_in_the_order_of_their_paths_and_hidden_ones_are_left_out(tmp_path):
    made(
        tmp_path,
        "p=b/x.parquet",
        "p=a/y.parquet",
        "p=a/000000_0",
        "_SUCCESS",
        "p=a/.y.parquet.crc",
        "_temporary/0/z.parquet",
        ".hive-staging/q",
        "p=a_$folder$",
    )
    assert found(tmp_path) == [
        ("p=a/000000_0", 7, {"p": "a"}),
        ("p=a/y.parquet", 7, {"p": "a"}),
        ("p=b/x.parquet", 7, {"p": "b"}),
    ]


def test_a_column_may_begin_with_an_underscore(tmp_path):
    assert found(made(tmp_path, "_p=1/x.parquet")) == [("_p=1/x.parquet", 7, {"_p": "1"})]


def test_other_nested_folders_have_no_columns(tmp_path):
    assert found(made(tmp_path, "2024/01/x.parquet", "y.parquet")) == [
        ("2024/01/x.parquet", 7, {}),
        ("y.parquet", 7, {}),
    ]


@pytest.mark.parametrize(
    "paths", [("p=1/x", "q=1/x"), ("p=1/x", "p=1/q=2/x"), ("p=1/x", "x"), ("p=1/q=2/x", "q=2/p=1/x")]
)
def test_folders_that_name_different_columns_are_refused(tmp_path, paths):
    with pytest.raises(SchemaError, match="do not name the same columns"):
        found(made(tmp_path, *paths))


@pytest.mark.parametrize("paths", [(), ("_SUCCESS",)])
def test_a_folder_without_files_is_refused(tmp_path, paths):
    made(tmp_path, *paths)
    with pytest.raises(OptionError, match="there is no file in or below this folder"):
        found(tmp_path)
    with pytest.raises(OptionError, match="there is no file"):
        found(tmp_path / "missing")


@pytest.mark.parametrize(
    ("path", "kind"), [(".hoodie/hoodie.properties", "Hudi"), ("_delta_log/00000000000000000000.json", "Delta")]
)
def test_the_folder_of_a_table_with_other_files_than_current_ones_is_refused(tmp_path, path, kind):
    with pytest.raises(UnsupportedTable, match=f"a {kind} table"):
        found(made(tmp_path, path, "x.parquet"))


@pytest.mark.parametrize(
    ("files", "table", "relation"),
    [
        ("a", "a", "the folder of the table itself"),
        ("a/b", "a", "inside the table"),
        ("a", "a/b", "a folder that contains the table"),
        ("a", "ab", None),
        ("a/b", "a/c", None),
    ],
)
def test_the_table_and_the_files_have_separate_folders(tmp_path, files, table, relation):
    places = storage_for(tmp_path / files), storage_for(tmp_path / table)
    if relation is None:
        check_place(*places)
        return
    with pytest.raises(OptionError, match=relation):
        check_place(*places)


def test_schemes_of_one_store_are_the_same_place():
    with pytest.raises(OptionError, match="inside the table"):
        check_place(storage_for("s3://b/t/files"), storage_for("s3a://b/t"))
