"""Tables that leave their partition columns out of their files: readers take the values from the partition paths."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

import hoodoo
from hoodoo.errors import DataError, OptionError, SchemaError
from hoodoo.testing.engine import write_arrow

from .changed_rows import KINDS, check_changes, rows, stored

pytestmark = pytest.mark.slow

OPTIONS = {
    "hoodie.table.name": "t",
    "hoodie.datasource.write.recordkey.field": "id",
    "hoodie.datasource.write.partitionpath.field": "p",
    "hoodie.datasource.write.precombine.field": "ts",
    "hoodie.datasource.write.drop.partition.columns": "true",
}
STYLES = pytest.mark.parametrize(
    "style",
    [
        {"hive_style": True},
        {"url_encode": True},
        {"hive_style": True, "url_encode": True},
    ],
    ids="-".join,
)


def assert_files_lack_it(path: Path, column: str = "p") -> None:
    """Check that neither base files nor the schemas of commits have the column, as in Hudi."""
    for file in path.rglob("[!.]*.parquet"):
        assert column not in pq.ParquetFile(file).read().column_names
    timeline = hoodoo.Table(path).timeline
    assert timeline.commits
    for commit in timeline.commits:
        schema = json.loads(timeline.commit_outline(commit).schema)
        assert column not in [field["name"] for field in schema["fields"]]


@pytest.mark.parametrize(("type_", "version", "index"), KINDS)
def test_rows_change_in_partitions_of_their_values(type_: str, version: int, index: str, tmp_path: Path) -> None:
    path = tmp_path / "t"
    check_changes(path, OPTIONS, type_, version, index)
    assert stored(path, filter=pc.field("p") == "x") == [(1, "x", 20, "a2"), (2, "x", 10, "b")]
    assert_files_lack_it(path)


@pytest.mark.parametrize("type_", ["COPY_ON_WRITE", "MERGE_ON_READ"])
def test_a_row_that_moves_has_the_value_of_its_new_partition(type_: str, tmp_path: Path) -> None:
    path, options = tmp_path / "t", {"index": "global-simple", "compact_inline": False}
    write_arrow(rows((1, "x", 1, "a"), (2, "x", 1, "b")), path, {**OPTIONS, **options, "table_type": type_})
    write_arrow(rows((1, "y", 2, "a2")), path, options)
    write_arrow(rows((1, "z", 1, "late")), path, options)
    assert stored(path) == [(1, "y", 2, "a2"), (2, "x", 1, "b")]
    assert_files_lack_it(path)


@STYLES
def test_values_that_a_path_escapes(style: dict[str, bool], tmp_path: Path) -> None:
    path = tmp_path / "t"
    odd = ["a b", "é=1", None] if "url_encode" not in style else ["a/b", "50%", "k=v:w", "a b", "é", None, "01"]
    batch = rows(*((number, value, 1, "v") for number, value in enumerate(odd)))
    write_arrow(batch, path, {**OPTIONS, **style})
    write_arrow(batch.set_column(2, "ts", pa.array([2] * len(odd))), path, {})
    assert stored(path) == sorted(((n, value, 2, "v") for n, value in enumerate(odd)), key=str)


@pytest.mark.parametrize(
    ("values", "type_", "texts"),
    [
        ([1, -7, None], pa.int32(), ["1", "-7", None]),
        ([date(2024, 2, 29), date(1969, 1, 1)], pa.date32(), ["2024-02-29", "1969-01-01"]),
        ([True, False], pa.bool_(), ["true", "false"]),
    ],
)
def test_values_of_other_types_are_read_as_text(
    values: list[Any], type_: Any, texts: list[Any], tmp_path: Path
) -> None:
    """Hudi also reads integers and dates as text."""
    path = tmp_path / "t"
    batch = rows(*((number, value, 1, "v") for number, value in enumerate(values)), type_=type_)
    write_arrow(batch, path, OPTIONS)
    write_arrow(batch.set_column(3, "v", pa.array(["w"] * len(values))), path, {})
    assert stored(path) == sorted(((n, text, 1, "w") for n, text in enumerate(texts)), key=str)


@pytest.mark.parametrize(
    ("operation", "index"), [("upsert", "simple"), ("bulk_insert", "simple"), ("insert", "bucket")]
)
@pytest.mark.parametrize("value", ["", "__HIVE_DEFAULT_PARTITION__"])
def test_a_value_that_its_path_does_not_have_is_refused(operation: str, index: str, value: str, tmp_path: Path) -> None:
    batch = rows((1, "x", 1, "a"), (2, value, 1, "b"))
    with pytest.raises(DataError, match="value of partition column 'p' that readers would not find") as refused:
        write_arrow(batch, tmp_path / "t", {**OPTIONS, "operation": operation, "index": index})
    assert refused.value.code == "dropped_partition_columns"
    assert not (tmp_path / "t" / ".hoodie").exists()


def test_two_columns_in_one_path(tmp_path: Path) -> None:
    path = tmp_path / "t"
    options = {**OPTIONS, "hoodie.datasource.write.partitionpath.field": "p,v", "hive_style": True}
    write_arrow(rows((1, "x", 1, "a"), (2, "y", 1, "b")), path, options)
    write_arrow(rows((1, "x", 2, "a"), (1, "x", 2, "c")), path, {})
    assert stored(path) == [(1, "x", 2, "a"), (1, "x", 2, "c"), (2, "y", 1, "b")]
    assert_files_lack_it(path, "v")
    with pytest.raises(DataError, match="a slash in a value of partition column 'p'"):
        write_arrow(rows((3, "x/y", 1, "a")), tmp_path / "u", {**options, "hive_style": False, "url_encode": False})


def test_an_overwrite_and_a_new_column(tmp_path: Path) -> None:
    path = tmp_path / "t"
    write_arrow(rows((1, "x", 1, "a"), (2, "y", 1, "b")), path, OPTIONS)
    added = rows((3, "x", 2, "c")).append_column("w", pa.array([7]))
    write_arrow(added, path, {"operation": "insert_overwrite"})
    assert hoodoo.Table(path).schema.names == ["id", "ts", "v", "w", "p"]
    assert stored(path) == [(2, "y", 1, "b"), (3, "x", 2, "c")]
    assert hoodoo.Table(path).to_arrow(["id", "p", "w"], pc.field("w") == 7).to_pylist() == [
        {"id": 3, "p": "x", "w": 7}
    ]


def test_a_table_keeps_its_columns_where_they_are(tmp_path: Path) -> None:
    batch = rows((1, "x", 1, "a"))
    for first, then in (("true", "false"), ("false", "true")):
        path = tmp_path / first
        write_arrow(batch, path, {**OPTIONS, "hoodie.datasource.write.drop.partition.columns": first})
        with pytest.raises(OptionError, match=f"'drop_partition_columns' .* is '{first}' and the write has '{then}'"):
            write_arrow(batch, path, {"hoodie.datasource.write.drop.partition.columns": then})


def test_a_type_that_has_other_texts_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SchemaError, match="partition column 'p' is of type double"):
        write_arrow(rows((1, 1.0, 1, "a")), tmp_path / "t", OPTIONS)
