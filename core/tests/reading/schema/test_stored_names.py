"""Columns that Hudi's schema evolution on read renamed: values under old names are neither lost nor confused."""

from __future__ import annotations

import json
from collections.abc import Sequence
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
from hoodoo.reading.schema.stored_names import StoredNames
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
    """Return the type of the column `place` in Hudi's type notation, with these names of fields."""
    tags = {"type": "array", "element_id": 13, "element": record((14, number, "int")), "element_optional": True}
    kinds = {"type": "map", "key_id": 15, "key": "string", "value_id": 16, "value": record((17, kind, "int"))}
    return record((10, town, "string"), (11, "tags", tags), (12, "kinds", kinds))


FIRST = ((5, "id", "string"), (6, "ts", "long"), (7, "note", "string"), (8, "place", place()))


def evolve(
    path: Path,
    columns: Sequence[tuple[int, str, Any]],
    schema: pa.Schema,
    since: int | None = None,
    first: int = 0,
    earlier: Sequence[dict[str, Any]] = (),
) -> str:
    """Commit a version of the schema as Hudi does, valid from `since` or else from the commit; return the instant."""
    storage = LocalStorage(str(path))
    timeline = load_timeline(storage, load_properties(storage))
    # a table in another folder shows the Avro form of the schema
    write_arrow(schema.empty_table(), path.with_name("as"), OPTIONS)
    stated = hoodoo.Table(path.with_name("as")).timeline
    text = stated.commit_outline(stated.commits[-1]).schema
    # in timeline layout 2, the names of these files have the completion time, too
    with begin(storage, timeline, "commit", "ALTER_SCHEMA") as transaction:
        current = version(int(transaction.time) if since is None else since, *columns)
        extra = {"schema": text, "latest_schema": json.dumps(current)}
        instant = transaction.commit(CommitMetadata("ALTER_SCHEMA", {}, extra))
    history = json.dumps({"schemas": [current, *earlier, version(first, *FIRST)]})
    storage.create(f".hoodie/.schema/{instant.time}_{instant.time}.schemacommit", history.encode())
    return instant.time


def renamed(schema: pa.Schema, **names: str) -> pa.Schema:
    return pa.schema([field.with_name(names.get(field.name, field.name)) for field in schema])


@pytest.fixture
def path(tmp_path: Path) -> Path:
    write_arrow(ROWS, tmp_path / "t", OPTIONS)
    return tmp_path / "t"


RENAMED = (*FIRST[:2], (7, "remark", "string"), FIRST[3])


def test_a_renamed_column_has_the_values_of_its_old_name(path: Path) -> None:
    first = hoodoo.Table(path).timeline.last_time
    evolve(path, RENAMED, renamed(ROWS.schema, note="remark"))
    table, expected = hoodoo.Table(path), ROWS.rename_columns(["id", "ts", "remark", "place"])
    assert table.schema.names == ["id", "ts", "remark", "place"]
    assert table.to_arrow(expected.column_names).equals(expected)
    assert table.to_arrow(["remark", "id"]).equals(expected.select(["remark", "id"]))
    assert table.to_arrow(["id"], filter=pc.field("remark") == "x").to_pylist() == [{"id": "a"}]
    assert table.to_arrow(["id", "note"], as_of=first).equals(ROWS.select(["id", "note"]))
    assert table.to_arrow(query_type="incremental", begin=first).num_rows == 0
    assert not any(split.is_plain for split in table.splits())
    assert all(split.is_plain for split in table.splits(["id", "place"]))
    assert table.explain("a").rows[0]["remark"] == "x"


def test_a_write_keeps_the_values_of_a_renamed_column(path: Path) -> None:
    evolve(path, RENAMED, renamed(ROWS.schema, note="remark"))
    new = ROWS.slice(0, 1).rename_columns(["id", "ts", "remark", "place"]).set_column(2, "remark", [["new"]])
    write_arrow(new, path, OPTIONS)
    table = hoodoo.Table(path)
    assert table.to_arrow(["id", "remark"]).to_pylist() == [
        {"id": "a", "remark": "new"},
        {"id": "b", "remark": "y"},
    ]
    assert all(split.is_plain for split in table.splits())


@pytest.mark.parametrize("column", ["ts", "id"])
def test_columns_of_keys_and_ordering_values_keep_their_names(column: str, path: Path) -> None:
    columns = [(id_, "ts" if name == "ts" else name, type_) for id_, name, type_ in FIRST]
    changed = [(id_ if name != column else 30, name, type_) for id_, name, type_ in columns]
    evolve(path, changed, ROWS.schema)
    with pytest.raises(UnsupportedTable, match=f"'{column}' has the name of a dropped column"):
        hoodoo.Table(path).to_arrow([column])
    before = sorted(path.rglob("*"))
    with pytest.raises(UnsupportedTable, match=f"'{column}' has the name of a dropped column"):
        write_arrow(ROWS, path, OPTIONS)
    assert sorted(path.rglob("*")) == before


def test_a_column_with_the_name_of_a_dropped_one_is_null(path: Path) -> None:
    evolve(path, (*FIRST[:2], FIRST[3], (20, "note", "string")), ROWS.schema)
    assert hoodoo.Table(path).to_arrow(["note"])["note"].to_pylist() == [None, None]
    assert hoodoo.Table(path).to_arrow(["note", "id"], filter=pc.field("note").is_null()).num_rows == 2
    write_arrow(ROWS.slice(0, 1).set_column(2, "note", [["new"]]), path, OPTIONS)
    assert hoodoo.Table(path).to_arrow(["note"])["note"].to_pylist() == ["new", None]


def test_two_columns_that_exchange_their_names(path: Path) -> None:
    write_arrow(ROWS.append_column("other", [["o", "p"]]), path, OPTIONS)
    columns = (*FIRST[:2], (7, "other", "string"), FIRST[3], (9, "note", "string"))
    schema = pa.schema([*renamed(ROWS.schema, note="other"), ("note", pa.string())])
    before = version(1, *FIRST, (9, "other", "string"))
    evolve(path, columns, schema, earlier=[before])
    found = hoodoo.Table(path).to_arrow(["note", "other"])
    assert found.to_pylist() == [{"note": "o", "other": "x"}, {"note": "p", "other": "y"}]


def test_a_writer_without_ids_does_not_hide_them(path: Path) -> None:
    """A commit without ids, which Hudi writes unless `hoodie.schema.on.read.enable` is set, hides no earlier ids."""
    evolve(path, RENAMED, renamed(ROWS.schema, note="remark"))
    storage = LocalStorage(str(path))
    timeline = load_timeline(storage, load_properties(storage))
    text = timeline.commit_outline(timeline.commits[-1]).schema
    with begin(storage, timeline, "commit", "INSERT") as transaction:
        transaction.commit(CommitMetadata("INSERT", {}, {"schema": text}))
    assert hoodoo.Table(path).to_arrow(["remark"])["remark"].to_pylist() == ["x", "y"]


def test_the_history_of_a_failed_change_is_ignored(path: Path) -> None:
    time = evolve(path, RENAMED, renamed(ROWS.schema, note="remark"))
    failed = version(int(time) + 1, *FIRST[:2], (7, "wrong", "string"), FIRST[3])
    history = json.dumps({"schemas": [failed, version(0, *FIRST[:2], (7, "no", "string"), FIRST[3])]})
    LocalStorage(str(path)).create(f".hoodie/.schema/{int(time) + 1}.schemacommit", history.encode())
    assert hoodoo.Table(path).to_arrow(["remark"])["remark"].to_pylist() == ["x", "y"]


@pytest.mark.parametrize(
    ("now", "type_"),
    [
        (place(town="city"), {"town": "city"}),
        (place(number="m"), {"n": "m"}),
        (place(kind="m"), {"k": "m"}),
        (place("city", "m", "l"), {"town": "city", "n": "m", "k": "l"}),
    ],
)
def test_fields_have_the_values_of_their_old_names(now: dict[str, Any], type_: dict[str, str], path: Path) -> None:
    town, number, kind = (type_.get(name, name) for name in ("town", "n", "k"))
    inner = pa.struct(
        [
            (town, pa.string()),
            ("tags", pa.list_(pa.struct([(number, pa.int32())]))),
            ("kinds", pa.map_(pa.string(), pa.struct([(kind, pa.int32())]))),
        ]
    )
    evolve(path, (*FIRST[:3], (8, "place", now)), pa.schema([*list(ROWS.schema)[:3], ("place", inner)]))
    value = {town: "p", "tags": [{number: 1}], "kinds": [("x", {kind: 2})]}
    table = hoodoo.Table(path)
    assert table.to_arrow(["place"])["place"].to_pylist() == [value] * 2
    assert not any(split.is_plain for split in table.splits(["place"]))
    assert all(split.is_plain for split in table.splits(["id", "note"]))
    # the same for a column that has another name, too
    evolve(path, (*FIRST[:3], (8, "site", now)), pa.schema([*list(ROWS.schema)[:3], ("site", inner)]))
    assert hoodoo.Table(path).to_arrow(["site"])["site"].to_pylist() == [value] * 2


def test_a_new_field_has_no_values_of_a_dropped_one(path: Path) -> None:
    """A field that is dropped and added again, behind a new field, has none of the old values."""
    now = record((11, "tags", place()["fields"][1]["type"]), (20, "more", "int"), (21, "town", "string"))
    inner = pa.struct([("tags", PLACE.field("tags").type), ("more", pa.int32()), ("town", pa.string())])
    evolve(path, (*FIRST[:3], (8, "place", now)), pa.schema([*list(ROWS.schema)[:3], ("place", inner)]))
    table = hoodoo.Table(path)
    expected = {"tags": [{"n": 1}], "more": None, "town": None}
    assert table.to_arrow(["place"])["place"].to_pylist() == [expected] * 2
    later = ROWS.slice(0, 1).set_column(3, "place", pa.array([{"tags": [], "more": 5, "town": "new"}], inner))
    write_arrow(later, path, OPTIONS)
    read = hoodoo.Table(path).to_arrow(["id", "place"]).sort_by("id")["place"].to_pylist()
    assert read == [{"tags": [], "more": 5, "town": "new"}, expected]


@pytest.mark.parametrize(("stored", "reason"), [("key", "was called 'id.key'"), ("k (dropped)", "of a dropped column")])
def test_a_renamed_field_of_a_key_is_refused(stored: str, reason: str) -> None:
    names = StoredNames("7", (0, 7), ({"id.k": stored, "id.v": "w"}, {}))
    older, newer = (FileSlice("", "f", instant, "f.parquet", 0, ()) for instant in ("3", "8"))
    names.check(["id"], {"id.k"}, [newer])
    names.check(["id"], {"id.x"}, [older])
    names.check(["other"], {"id.k"}, [older])
    with pytest.raises(UnsupportedTable, match=f"column 'id.k' .*{reason}"):
        names.check(["id"], {"id.k"}, [older])


def test_ids_that_came_later_than_the_files(path: Path) -> None:
    """Hudi's reconciliation of schemas gives ids to the columns of a table that had none."""
    later = int(hoodoo.Table(path).timeline.last_time) + 1
    added = pa.schema([*ROWS.schema, ("more", pa.string())])
    evolve(path, (*FIRST, (20, "more", "string")), added, first=later)
    assert hoodoo.Table(path).to_arrow(["id", "note", "more"])["more"].null_count == 2
    evolve(path, RENAMED, renamed(ROWS.schema, note="remark"), first=later)
    assert hoodoo.Table(path).to_arrow(["remark"])["remark"].to_pylist() == ["x", "y"]


def test_logs_are_files_too(path: Path) -> None:
    before = hoodoo.Table(path).timeline.last_time
    time = evolve(path, RENAMED, renamed(ROWS.schema, note="remark"))
    storage, timeline = LocalStorage(str(path)), hoodoo.Table(path).timeline
    for commits, is_older in (((before, time), True), ((time,), False), ((), True)):
        log = LogFile(f".f_{before}.log.1_0-0-0", 1, before, 1, "0-0-0", commits)
        names = StoredNames.of(storage, timeline, [FileSlice("", "f", before, None, 0, (log,))], ["remark"])
        assert names.of_instant(before) == ({"remark": "note"} if is_older else {})
        assert names.of_instant(time) == {}


def test_added_dropped_moved_and_widened_columns_are_read(path: Path) -> None:
    moved = (FIRST[3], (5, "id", "string"), (6, "ts", "double"), (20, "more", "string"))
    schema = pa.schema([("place", PLACE), ("id", pa.string()), ("ts", pa.float64()), ("more", pa.string())])
    evolve(path, moved, schema)
    read = hoodoo.Table(path).to_arrow(["place", "id", "ts", "more"])
    assert read["ts"].to_pylist() == [1.0, 1.0]
    assert read["more"].null_count == 2


def test_files_of_the_time_since_are_read(path: Path) -> None:
    """A file has the names of the last version that began before its instant or at its instant."""
    write_arrow(ROWS, path, OPTIONS | {"operation": "insert_overwrite_table"})
    written = int(hoodoo.Table(path).timeline.last_time)
    evolve(path, RENAMED, renamed(ROWS.schema, note="remark"), since=written)
    assert hoodoo.Table(path).to_arrow(["remark"])["remark"].to_pylist() == [None, None]
    evolve(path, RENAMED, renamed(ROWS.schema, note="remark"), since=written + 1)
    assert hoodoo.Table(path).to_arrow(["remark"])["remark"].to_pylist() == ["x", "y"]


@pytest.mark.parametrize("damage", ["gone", "cut", "text"])
def test_a_damaged_history_of_the_schema_is_named(damage: str, path: Path) -> None:
    time = evolve(path, RENAMED, renamed(ROWS.schema, note="remark"))
    file = path / ".hoodie" / ".schema" / f"{time}_{time}.schemacommit"
    if damage == "gone":
        file.unlink()
    else:
        file.write_bytes(file.read_bytes()[:-9] if damage == "cut" else b'{"schemas": [' + b'{"fields": [' * 100_000)
    with pytest.raises(CorruptTableError, match=r"schema"):
        hoodoo.Table(path).to_arrow()
