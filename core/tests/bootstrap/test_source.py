"""Columns and rows of all files of a bootstrap."""

from __future__ import annotations

import datetime as dt
import pickle
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import orc

from hoodoo.bootstrap import BootstrapSource, bootstrap_source
from hoodoo.errors import OptionError, SchemaError
from hoodoo.options import parse
from hoodoo.storage import storage_for
from hoodoo.writing.prepare.prepare import GROUPS

DAY = dt.datetime(2024, 1, 2)


def put(folder: Path, path: str, **columns: Any) -> None:
    file = folder / path
    file.parent.mkdir(parents=True, exist_ok=True)
    write = orc.write_table if file.suffix == ".orc" else pq.write_table
    write(pa.table(columns), str(file))


def source_of(folder: Path, **options: Any) -> BootstrapSource:
    given = {"operation": "bootstrap", "bootstrap_path": str(folder), "bootstrap_selector": "FULL_RECORD", **options}
    return bootstrap_source(parse(given, GROUPS), storage_for(folder.parent / "table"))


def rows_of(source: BootstrapSource) -> list[dict[str, Any]]:
    return pa.Table.from_batches(source.rows(), source.schema).to_pylist()


@pytest.fixture
def files(tmp_path: Path) -> Path:
    return tmp_path / "files"


def test_values_of_folders_follow_the_columns_of_the_files(files):
    put(files, "y=2024/m=01/a.parquet", id=["a", "b"], v=[1, 2])
    put(files, "y=2023/m=__HIVE_DEFAULT_PARTITION__/b.parquet", id=["c"], v=[3])

    source = source_of(files)

    assert source.schema == pa.schema([("id", pa.string()), ("v", pa.int64()), ("y", pa.string()), ("m", pa.string())])
    assert rows_of(source) == [
        {"id": "c", "v": 3, "y": "2023", "m": None},
        {"id": "a", "v": 1, "y": "2024", "m": "01"},
        {"id": "b", "v": 2, "y": "2024", "m": "01"},
    ]
    assert rows_of(pickle.loads(pickle.dumps(source))) == rows_of(source)


def test_the_folder_has_the_value_of_a_column_that_the_file_repeats(files):
    """The folder's value replaces the value in the file, and the column keeps its position in the file, as in Hudi."""
    put(files, "p=07/a.parquet", p=[7], id=["a"])
    source = source_of(files)
    assert source.schema.names == ["p", "id"]
    assert rows_of(source) == [{"p": "07", "id": "a"}]


def test_files_with_other_columns_add_them(files):
    put(files, "a.parquet", id=["a"], v=pa.nulls(1))
    put(files, "b.parquet", id=["b"], v=[1], w=["x"])
    assert rows_of(source_of(files)) == [{"id": "a", "v": None, "w": None}, {"id": "b", "v": 1, "w": "x"}]


def test_a_column_with_two_types_is_refused_with_both_files(files):
    put(files, "a.parquet", id=["a"], v=pa.array([1], pa.int32()))
    put(files, "b.parquet", id=["b"], v=pa.array([1], pa.int64()))
    with pytest.raises(SchemaError, match=r"column 'v' has type int32 in 'a.parquet' and int64 in 'b.parquet'"):
        source_of(files)


def test_meta_columns_of_the_files_are_left_out(files):
    put(files, "a.parquet", _hoodie_record_key=["k"], id=["a"])
    assert rows_of(source_of(files)) == [{"id": "a"}]


def test_each_stripe_of_an_orc_file_is_read(files):
    files.mkdir()
    numbers = pa.table({"id": [f"k{n}" for n in range(40_000)], "v": range(40_000)})
    orc.write_table(numbers, str(files / "a.orc"), stripe_size=64 * 1024)
    assert orc.ORCFile(str(files / "a.orc")).nstripes > 1
    source = source_of(files, bootstrap_format="orc")
    assert pa.Table.from_batches(source.rows(), source.schema) == numbers


def test_timestamps_of_orc_need_the_time_zone_of_a_session(files):
    put(files, "a.orc", id=["a"], t=pa.array([DAY], pa.timestamp("us")))
    source = source_of(files, bootstrap_format="orc")
    assert source.schema.field("t").type == pa.timestamp("us", "UTC")
    with pytest.raises(SchemaError, match=r"column 't' of the ORC files .* local folder, and write with Spark"):
        list(source.rows())


def test_the_selector_is_compared_with_the_folders(files):
    put(files, "p=1/a.parquet", id=["a"])
    regex = {"bootstrap_selector": "REGEX", "bootstrap_regex": "p=2", "bootstrap_regex_mode": "FULL_RECORD"}
    with pytest.raises(OptionError, match="folder 'p=1'"):
        source_of(files, **regex)


def test_the_files_are_not_those_of_the_table(files):
    put(files, "a.parquet", id=["a"])
    with pytest.raises(OptionError, match="inside the table"):
        bootstrap_source(
            parse({"bootstrap_path": str(files), "bootstrap_selector": "FULL_RECORD"}, GROUPS),
            storage_for(files.parent),
        )
