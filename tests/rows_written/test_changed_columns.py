"""Random histories of writes and of changes of names of columns, compared with a table of rows in memory."""

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
    """Commit other names of columns, without rows."""
    schema = changed_columns(hoodoo.Table(path).schema, change)
    batch = ArrowBatch(schema.empty_table())
    batch.marks = (change,)
    options = parse({"operation": "upsert", **KEEP}, GROUPS)
    write_batch(batch, storage_for(path), options, "append", catalogue=default_catalogue())


class Model:
    """Rows by key, without files."""

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
