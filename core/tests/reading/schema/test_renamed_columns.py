"""Columns that Hudi's schema evolution on read renamed: values under old names are neither lost nor confused."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest

import hoodoo
from hoodoo.archived_timeline import load_timeline
from hoodoo.errors import CorruptTableError, UnsupportedTable
from hoodoo.filegroup import FileSlice, LogFile
from hoodoo.properties import load_properties
from hoodoo.reading.schema.renamed_columns import check_renamed
from hoodoo.schema.meta_columns import META_COLUMNS
from hoodoo.storage import LocalStorage
from hoodoo.testing.engine import write_arrow
from hoodoo.timeline import CommitMetadata
from hoodoo.txn import begin

OPTIONS = {"table_name": "t", "record_key": "id", "ordering": "ts"}
PLACE = pa.struct(
    [
        ("town", pa.string()),
        ("tags", pa.list_(pa.struct([("n", pa.int32())]))),
        ("kinds", pa.map_(pa.string(), pa.struct([("k", pa.int32())]))),
    ]
)
ROWS = pa.table(
    {
        "id": ["a", "b"],
        "ts": pa.array([1, 1], pa.int64()),
        "note": ["x", "y"],
        "place": pa.array([{"town": "p", "tags": [{"n": 1}], "kinds": [("x", {"k": 2})]}] * 2, PLACE),
    }
)


def version(number: int, *columns: tuple[int, str, Any]) -> dict[str, Any]:
    """Return a version of the schema as Hudi writes it, with the meta columns before the others."""
    meta = [(id_, name, "string") for id_, name in enumerate(META_COLUMNS)]
    return {"max_column_id": 99, "version_id": number, **record(*meta, *columns)}


def record(*columns: tuple[int, str, Any]) -> dict[str, Any]:
    """Return a struct in Hudi's type notation."""
    fields = [{"id": id_, "name": name, "optional": True, "type": type_} for id_, name, type_ in columns]
    return {"type": "record", "fields": fields}


def place(town: str = "town", number: str = "n", kind: str = "k") -> dict[str, Any]:
    """Return the columns of the table in Hudi's type notation."""
    tags = {"type": "array", "element_id": 13, "element": record((14, number, "int")), "element_optional": True}
    kinds = {"type": "map", "key_id": 15, "key": "string", "value_id": 16, "value": record((17, kind, "int"))}
    return record((10, town, "string"), (11, "tags", tags), (12, "kinds", kinds))


FIRST = ((5, "id", "string"), (6, "ts", "long"), (7, "note", "string"), (8, "place", place()))


def evolve(
    path: Path, columns: Sequence[tuple[int, str, Any]], schema: pa.Schema, since: int | None = None, first: int = 0
) -> str:
    """Commit a version of the schema as Hudi does, by default since the commit's instant, which is returned."""
    storage = LocalStorage(str(path))
    timeline = load_timeline(storage, load_properties(storage))
    # a table in another folder shows the Avro form of the schema
    write_arrow(schema.empty_table(), path.with_name("as"), OPTIONS)
    stated = hoodoo.Table(path.with_name("as")).timeline
    text = stated.commit_outline(stated.commits[-1]).schema
    with begin(storage, timeline, "commit", "ALTER_SCHEMA") as transaction:
        current = version(int(transaction.time) if since is None else since, *columns)
        extra = {"schema": text, "latest_schema": json.dumps(current)}
        instant = transaction.commit(CommitMetadata("ALTER_SCHEMA", {}, extra))
    history = json.dumps({"schemas": [current, version(first, *FIRST)]})
    storage.create(f".hoodie/.schema/{instant.time}.schemacommit", history.encode())
    return instant.time


def renamed(schema: pa.Schema, **names: str) -> pa.Schema:
    return pa.schema([field.with_name(names.get(field.name, field.name)) for field in schema])


@pytest.fixture
def path(tmp_path: Path) -> Path:
    write_arrow(ROWS, tmp_path / "t", OPTIONS)
    return tmp_path / "t"


RENAMED = (*FIRST[:2], (7, "remark", "string"), FIRST[3])


def test_a_renamed_column_is_refused_and_the_others_are_read(path: Path) -> None:
    first = hoodoo.Table(path).timeline.last_time
    time = evolve(path, RENAMED, renamed(ROWS.schema, note="remark"))
    table = hoodoo.Table(path)
    assert table.schema.names == ["id", "ts", "remark", "place"]
    with pytest.raises(UnsupportedTable, match=f"'remark' was called 'note' in files .* before {time}") as caught:
        table.to_arrow()
    assert caught.value.code == "renamed_column"
    with pytest.raises(UnsupportedTable):
        table.to_arrow(["id", "remark"])
    with pytest.raises(UnsupportedTable):
        table.to_arrow(["id"], filter=pc.field("remark") == "x")
    assert table.to_arrow(["id", "place"]).equals(ROWS.select(["id", "place"]))
    assert table.to_arrow(["id", "note"], as_of=first).equals(ROWS.select(["id", "note"]))
    assert table.to_arrow(query_type="incremental", begin=first).num_rows == 0
    with pytest.raises(UnsupportedTable):
        table.explain("a")


def test_a_renamed_column_is_not_written_over(path: Path) -> None:
    evolve(path, RENAMED, renamed(ROWS.schema, note="remark"))
    before = sorted(path.rglob("*"))
    with pytest.raises(UnsupportedTable, match="'remark' was called 'note'"):
        write_arrow(ROWS.slice(0, 1).rename_columns(["id", "ts", "remark", "place"]), path, OPTIONS)
    assert sorted(path.rglob("*")) == before


def test_the_name_of_a_dropped_column_is_refused(path: Path) -> None:
    evolve(path, (*FIRST[:2], FIRST[3], (20, "note", "string")), ROWS.schema)
    with pytest.raises(UnsupportedTable, match="'note' has the name of a column that was dropped"):
        hoodoo.Table(path).to_arrow(["note"])


@pytest.mark.parametrize(
    ("now", "name", "was"),
    [
        (place(town="city"), "city", "town"),
        (place(number="m"), "tags.element.m", "tags.element.n"),
        (place(kind="m"), "kinds.value.m", "kinds.value.k"),
    ],
)
def test_nested_columns_are_columns(now: dict[str, Any], name: str, was: str, path: Path) -> None:
    evolve(path, (*FIRST[:3], (8, "place", now)), ROWS.schema)
    with pytest.raises(UnsupportedTable, match=f"'place.{name}' was called 'place.{was}'"):
        hoodoo.Table(path).to_arrow(["place"])
    assert hoodoo.Table(path).to_arrow(["note"]).num_rows == 2


def test_ids_that_came_later_than_the_files(path: Path) -> None:
    """Hudi's reconciliation of schemas gives ids to the columns of a table that had none."""
    later = int(hoodoo.Table(path).timeline.last_time) + 1
    added = pa.schema([*ROWS.schema, ("more", pa.string())])
    evolve(path, (*FIRST, (20, "more", "string")), added, first=later)
    assert hoodoo.Table(path).to_arrow(["id", "note", "more"])["more"].null_count == 2
    evolve(path, RENAMED, renamed(ROWS.schema, note="remark"), first=later)
    with pytest.raises(UnsupportedTable, match="'remark' was called 'note'"):
        hoodoo.Table(path).to_arrow()


def test_logs_are_files_too(path: Path) -> None:
    before = hoodoo.Table(path).timeline.last_time
    time = evolve(path, RENAMED, renamed(ROWS.schema, note="remark"))
    storage, timeline = LocalStorage(str(path)), hoodoo.Table(path).timeline
    for commits, is_refused in (((before, time), True), ((time,), False), ((), True)):
        log = LogFile(f".f_{before}.log.1_0-0-0", 1, before, 1, "0-0-0", commits)
        file_slice = FileSlice("", "f", before, None, 0, (log,))
        with pytest.raises(UnsupportedTable) if is_refused else nullcontext():
            check_renamed(storage, timeline, ["remark"], [file_slice])


def test_added_dropped_moved_and_widened_columns_are_read(path: Path) -> None:
    moved = (FIRST[3], (5, "id", "string"), (6, "ts", "double"), (20, "more", "string"))
    schema = pa.schema([("place", PLACE), ("id", pa.string()), ("ts", pa.float64()), ("more", pa.string())])
    evolve(path, moved, schema)
    read = hoodoo.Table(path).to_arrow(["place", "id", "ts", "more"])
    assert read["ts"].to_pylist() == [1.0, 1.0]
    assert read["more"].null_count == 2


def test_files_of_the_time_since_are_read(path: Path) -> None:
    """After a clustering by Hudi, no file from before the change is left."""
    write_arrow(ROWS, path, OPTIONS | {"operation": "insert_overwrite_table"})
    written = int(hoodoo.Table(path).timeline.last_time)
    evolve(path, RENAMED, renamed(ROWS.schema, note="remark"), since=written)
    assert hoodoo.Table(path).to_arrow(["id", "remark"]).num_rows == 2
    evolve(path, RENAMED, renamed(ROWS.schema, note="remark"), since=written + 1)
    with pytest.raises(UnsupportedTable):
        hoodoo.Table(path).to_arrow(["id", "remark"])


@pytest.mark.parametrize("damage", ["gone", "cut", "text"])
def test_a_damaged_history_of_the_schema_is_named(damage: str, path: Path) -> None:
    time = evolve(path, RENAMED, renamed(ROWS.schema, note="remark"))
    file = path / ".hoodie" / ".schema" / f"{time}.schemacommit"
    if damage == "gone":
        file.unlink()
    else:
        file.write_bytes(file.read_bytes()[:-9] if damage == "cut" else b'{"schemas": [' + b'{"fields": [' * 100_000)
    with pytest.raises(CorruptTableError, match=r"schema"):
        hoodoo.Table(path).to_arrow()
