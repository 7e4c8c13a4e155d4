"""`hoodoo.Table`, which reads a table without Spark."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pytest

import hoodoo
from hoodoo.errors import NotATable, OptionError, SchemaError
from hoodoo.testing.engine import write_arrow

OPTIONS = {"table_name": "t", "record_key": "id", "partition_by": "part", "ordering": "ts"}
FIRST = pa.table({"id": list("abcd"), "part": list("xxyy"), "ts": [1, 2, 3, 4], "v": ["1", "2", None, "4"]})


@pytest.fixture
def table(tmp_path: Path) -> Path:
    write_arrow(FIRST, tmp_path / "t", OPTIONS)
    return tmp_path / "t"


def rows(table: pa.Table) -> list[dict[str, object]]:
    return sorted(table.to_pylist(), key=lambda row: str(row["id"]))


def test_columns_come_in_the_wanted_order(table: Path) -> None:
    read = hoodoo.Table(table).to_arrow(["v", "id"])

    assert read.column_names == ["v", "id"]
    assert rows(read) == rows(FIRST.select(["v", "id"]))


def test_all_columns_begin_with_the_meta_columns(table: Path) -> None:
    read = hoodoo.Table(table).to_arrow()

    assert read.column_names[:5] == [
        "_hoodie_commit_time",
        "_hoodie_commit_seqno",
        "_hoodie_record_key",
        "_hoodie_partition_path",
        "_hoodie_file_name",
    ]
    assert read.column_names[5:] == FIRST.column_names
    assert hoodoo.Table(table).schema.names == FIRST.column_names


def test_a_filter_may_name_a_column_that_is_not_read(table: Path) -> None:
    read = hoodoo.Table(table).to_arrow(["id"], filter=pc.field("ts") > 2)

    assert rows(read) == [{"id": "c"}, {"id": "d"}]


def test_an_unknown_column_is_named_with_those_that_are_there(table: Path) -> None:
    with pytest.raises(SchemaError, match="the table has no column 'x'; it has id, part, ts, v"):
        hoodoo.Table(table).to_arrow(["x"])


def test_splits_are_planned_here_and_read_elsewhere(table: Path, tmp_path: Path) -> None:
    """Splits are pickled and read by another process that gets nothing else."""
    splits = hoodoo.Table(table).splits(["id", "v"])
    (tmp_path / "splits").write_bytes(pickle.dumps(splits))
    program = (
        "import pathlib, pickle, sys; "
        "splits = pickle.loads(pathlib.Path(sys.argv[1]).read_bytes()); "
        "print(sorted(id for split in splits for id in split.read().read_all()['id'].to_pylist()))"
    )

    done = subprocess.run(
        [sys.executable, "-c", program, tmp_path / "splits"], capture_output=True, text=True, check=True
    )

    assert done.stdout.strip() == "['a', 'b', 'c', 'd']"
    assert len(splits) == 2


def test_history_is_latest_first_and_read_back(table: Path) -> None:
    late = pa.table({"id": ["a", "z"], "part": ["x", "x"], "ts": [0, 9], "v": ["late", "new"]})
    commit = write_arrow(late, table, OPTIONS)

    history = hoodoo.Table(table).history()

    assert history[0] == commit
    assert [(c.operation, c.rows_incoming, c.rows_inserted, c.rows_updated, c.rows_ignored) for c in history] == [
        ("upsert", 2, 1, 0, 1),
        ("upsert", 4, 4, 0, 0),
    ]


def test_a_table_is_as_it_was_when_it_was_opened(table: Path) -> None:
    opened = hoodoo.Table(table)
    before = opened.timeline
    write_arrow(FIRST, table, OPTIONS)

    assert opened.timeline is before
    assert len(hoodoo.Table(table).timeline.commits) == 2


def test_time_travel_has_the_schema_of_its_time(table: Path) -> None:
    first = hoodoo.Table(table).timeline.commits[0].time
    wider = pa.table({"id": ["a"], "part": ["x"], "ts": [5], "v": ["5"], "w": [1.5]})
    write_arrow(wider, table, OPTIONS)

    opened = hoodoo.Table(table)

    assert opened.to_arrow(as_of=first).column_names[5:] == FIRST.column_names
    assert rows(opened.to_arrow(["id", "w"])) == [{"id": i, "w": 1.5 if i == "a" else None} for i in "abcd"]


def test_a_folder_that_is_not_a_table_is_reported(tmp_path: Path) -> None:
    with pytest.raises(NotATable):
        hoodoo.Table(tmp_path)


def test_an_unsupported_query_type_is_refused(table: Path) -> None:
    with pytest.raises(
        OptionError, match="query_type is 'cdc'; expected one of: snapshot, read_optimized, incremental"
    ):
        hoodoo.Table(table).to_arrow(query_type="cdc")


def test_bounds_belong_to_an_incremental_query(table: Path) -> None:
    with pytest.raises(OptionError, match="'begin' and 'end' are options of an incremental query"):
        hoodoo.Table(table).to_arrow(begin="20240101000000000")
    with pytest.raises(OptionError, match="'as_of' is not an option of an incremental query"):
        hoodoo.Table(table).to_arrow(query_type="incremental", as_of="20240101000000000")


def test_public_names_are_there_and_nothing_else() -> None:
    pytest.importorskip("pyspark")
    rows = {"disable", "enable", "foreach_batch", "read", "sql", "write", "writer"}
    assert set(hoodoo.__all__) == {"Commit", "JobCheck", "Table", "__version__", "check", *rows}
    assert all(getattr(hoodoo, name) is not None for name in hoodoo.__all__)
    assert callable(hoodoo.write)
    assert callable(hoodoo.read)


@pytest.mark.slow
@pytest.mark.parametrize("imported", ["hoodoo.table", "hoodoo.writing.tasks.group_merge"], ids=["table", "task"])
def test_an_import_imports_neither_plugins_nor_slow_libraries(imported: str) -> None:
    slow = {"pandas", "polars", "pyspark", "sqlglot"}
    program = f"import sys, {imported}; print(*{{name.partition('.')[0] for name in sys.modules}})"

    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert [name for name in done.stdout.split() if name in slow or name.startswith("hoodoo_")] == []
