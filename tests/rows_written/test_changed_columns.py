"""Random histories of writes and of renamed or dropped columns, compared with rows in memory."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import hoodoo
from hoodoo.options import parse
from hoodoo.plugin import default_catalogue
from hoodoo.schema.column_ids import ColumnsChange
from hoodoo.schema.evolution import changed_columns
from hoodoo.storage import storage_for
from hoodoo.testing.engine import ArrowBatch, write_arrow
from hoodoo.writing.prepare.prepare import GROUPS
from hoodoo.writing.write import write_batch

NAMES = ["a", "b", "c", "d", "e"]
KEEP = {"clean_automatic": False}
KINDS = [("COPY_ON_WRITE", 6), ("MERGE_ON_READ", 6), ("COPY_ON_WRITE", 9), ("MERGE_ON_READ", 9)]


def change_columns(path: Path, change: ColumnsChange) -> None:
    """Commit a change of columns or fields, without rows."""
    schema = changed_columns(hoodoo.Table(path).schema, change)
    batch = ArrowBatch(schema.empty_table())
    batch.marks = (change,)
    options = parse({"operation": "upsert", **KEEP}, GROUPS)
    write_batch(batch, storage_for(path), options, "append", catalogue=default_catalogue())


class Model:
    """Model of a table: rows by key, without files."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.rows: dict[str, dict[str, Any]] = {}
        self.columns: list[str] = ["a", "b"]

    def upsert(self, columns: list[str]) -> pa.Table:
        """Store new versions of some rows, and return them; columns that they lack become null."""
        keys = self.random.sample([f"k{number}" for number in range(12)], 5)
        rows = [{"id": key, **{name: self.random.randint(0, 99) for name in columns}} for key in keys]
        self.columns += [name for name in columns if name not in self.columns]
        for row in rows:
            self.rows[row["id"]] = row
        types = [("id", pa.string()), *((name, pa.int64()) for name in columns)]
        return pa.Table.from_pylist(rows, schema=pa.schema(types))

    def change(self) -> ColumnsChange:
        """Rename or drop a column, and return the change."""
        column = self.random.choice(self.columns)
        free = [name for name in NAMES if name not in self.columns]
        if len(self.columns) > 1 and (not free or self.random.random() < 0.5):
            self.columns.remove(column)
            for row in self.rows.values():
                row.pop(column, None)
            return ColumnsChange({}, (column,))
        other = self.random.choice(free)
        self.columns[self.columns.index(column)] = other
        for row in self.rows.values():
            if column in row:
                row[other] = row.pop(column)
        return ColumnsChange({column: other})

    def expected(self) -> list[dict[str, Any]]:
        return [{"id": key, **{name: row.get(name) for name in self.columns}} for key, row in sorted(self.rows.items())]


@pytest.mark.representatives(type_=["MERGE_ON_READ"], version=[9])
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.nightly) for seed in range(1, 12))])
@pytest.mark.parametrize(("type_", "version"), KINDS)
def test_rows_are_those_of_the_model(type_: str, version: int, seed: int, tmp_path: Path) -> None:
    path, model, chosen = tmp_path / "t", Model(seed), random.Random(f"{type_} {version} {seed}")
    options = {"table_name": "t", "record_key": "id", "table_type": type_, "table_version": version}
    write_arrow(model.upsert(["a", "b"]), path, options)
    seen: list[tuple[str, list[dict[str, Any]]]] = []
    for _ in range(12):
        action = chosen.random()
        if action < 0.4:
            change_columns(path, model.change())
        elif action < 0.6:
            # rows that lack columns of the table, or have new ones
            write_arrow(model.upsert(chosen.sample(NAMES, 2)), path, {"small_file_limit": 0, **KEEP})
        elif action < 0.9 or type_ == "COPY_ON_WRITE":
            write_arrow(model.upsert(list(model.columns)), path, KEEP)
        else:
            hoodoo.Table(path).compact()
        table = hoodoo.Table(path)
        found = sorted(table.to_arrow(["id", *model.columns]).to_pylist(), key=lambda row: row["id"])
        assert found == model.expected()
        assert set(table.schema.names) == {"id", *model.columns}
        for name in model.columns:
            some = sorted(table.to_arrow(["id", name]).to_pylist(), key=lambda row: row["id"])
            assert some == [{"id": row["id"], name: row[name]} for row in model.expected()]
        seen.append((table.timeline.last_time, found))
    for time, rows in seen:
        names = list(rows[0])
        assert sorted(hoodoo.Table(path).to_arrow(names, as_of=time).to_pylist(), key=lambda row: row["id"]) == rows


PLACES = ("s.", "l.element.", "m.value.")


class Fields:
    """Model: rows by key with the same fields in a struct, in the structs of a list, and in those of a map."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.rows: dict[str, dict[str, Any]] = {}
        self.names: list[str] = ["a", "b"]

    def upsert(self) -> pa.Table:
        """Store new versions of some rows, and return them."""
        keys = self.random.sample([f"k{number}" for number in range(12)], 5)
        for key in keys:
            self.rows[key] = {name: self.random.randint(0, 99) for name in self.names}
        rows = [row for row in self.expected() if row["id"] in keys]
        struct = pa.struct([(name, pa.int64()) for name in self.names])
        columns = [("id", pa.string()), ("s", struct), ("l", pa.list_(struct)), ("m", pa.map_(pa.string(), struct))]
        return pa.Table.from_pylist(rows, schema=pa.schema(columns))

    def change(self) -> ColumnsChange:
        """Rename, drop, add or move a field, and return the change."""
        name = self.random.choice(self.names)
        free = [each for each in NAMES if each not in self.names]
        action = self.random.choice(["rename", "drop", "add", "move"])
        if action == "move" or not free:
            others = [each for each in self.names if each != name]
            after = self.random.choice(["", *others])
            self.names.remove(name)
            self.names.insert(self.names.index(after) + 1 if after else 0, name)
            return ColumnsChange(placed={place + name: after for place in PLACES})
        other = self.random.choice(free)
        if action == "add":
            self.names.insert(0, other)
            added = {place + other: pa.field(other, pa.int64()) for place in PLACES}
            return ColumnsChange(added=added, placed=dict.fromkeys(added, ""))
        if action == "drop" and len(self.names) > 1:
            self.names.remove(name)
            for row in self.rows.values():
                row.pop(name, None)
            return ColumnsChange(dropped=[place + name for place in PLACES])
        self.names[self.names.index(name)] = other
        for row in self.rows.values():
            if name in row:
                row[other] = row.pop(name)
        return ColumnsChange({place + name: other for place in PLACES})

    def expected(self) -> list[dict[str, Any]]:
        found = [(key, {name: row.get(name) for name in self.names}) for key, row in sorted(self.rows.items())]
        return [{"id": key, "s": value, "l": [value, value], "m": [("x", value)]} for key, value in found]


@pytest.mark.representatives(type_=["MERGE_ON_READ"], version=[9])
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.nightly) for seed in range(1, 12))])
@pytest.mark.parametrize(("type_", "version"), [*KINDS, ("MERGE_ON_READ", 8)])
def test_fields_of_structs_are_those_of_the_model(type_: str, version: int, seed: int, tmp_path: Path) -> None:
    path, model, chosen = tmp_path / "t", Fields(seed), random.Random(f"fields {type_} {version} {seed}")
    options = {"table_name": "t", "record_key": "id", "table_type": type_, "table_version": version}
    first = write_arrow(model.upsert(), path, options).instant
    seen: list[tuple[str, list[dict[str, Any]]]] = []
    for _ in range(12):
        action = chosen.random()
        if action < 0.5:
            change_columns(path, model.change())
        elif action < 0.9 or type_ == "COPY_ON_WRITE":
            write_arrow(model.upsert(), path, KEEP)
        else:
            hoodoo.Table(path).compact()
        table, names = hoodoo.Table(path), ["id", "s", "l", "m"]
        found = table.to_arrow(names).sort_by("id").to_pylist()
        assert found == model.expected()
        assert [field.name for field in table.schema.field("s").type] == model.names
        assert table.to_arrow(["id", "s"]).sort_by("id").to_pylist() == [
            {"id": row["id"], "s": row["s"]} for row in found
        ]
        later = table.to_arrow(names, query_type="incremental", begin=first).sort_by("id").to_pylist()
        assert [row for row in found if row["id"] in {each["id"] for each in later}] == later
        assert table.explain("k1").rows == tuple(
            {**table.explain("k1").rows[0], **row} for row in found if row["id"] == "k1"
        )
        seen.append((table.timeline.last_time, found))
    for time, rows in seen:
        assert hoodoo.Table(path).to_arrow(["id", "s", "l", "m"], as_of=time).sort_by("id").to_pylist() == rows
