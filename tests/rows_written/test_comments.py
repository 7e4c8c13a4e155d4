"""Comments of columns in the schemas of commits, which later writes keep."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import hoodoo
from hoodoo.schema.comments import comments_of

COLUMNS = pa.schema(
    [
        pa.field("id", pa.int64(), metadata={"comment": "the key"}),
        pa.field("s", pa.struct([pa.field("f", pa.int32(), metadata={"comment": "inner"}), ("g", pa.string())])),
        pa.field("v", pa.string(), metadata={"comment": "value"}),
    ]
)
COMMENTS = {"id": "the key", "s.f": "inner", "v": "value"}


def rows(*keys: int, columns: pa.Schema = COLUMNS, **values: Any) -> pa.Table:
    """Return a row for each key; `values` replaces the values of other columns."""
    row = {"s": {"f": 1, "g": "x"}, "v": "a", **values}
    return pa.Table.from_pylist([{"id": key, **row} for key in keys], columns)


def without_comments() -> pa.Schema:
    """Return the schema `COLUMNS` without its comments."""
    return pa.schema(
        [("id", pa.int64()), ("s", pa.struct([("f", pa.int32()), ("g", pa.string())])), ("v", pa.string())]
    )


@pytest.mark.parametrize("table_type", ["COPY_ON_WRITE", "MERGE_ON_READ"])
@pytest.mark.parametrize("version", [6, 8, 9])
def test_writes_without_comments_keep_them_and_others_change_them(
    tmp_path: Path, version: int, table_type: str
) -> None:
    path = tmp_path / "t"
    options = {"table_name": "t", "record_key": "id", "table_type": table_type, "table_version": version}
    hoodoo.write(rows(1, 2), path, options)
    table = hoodoo.Table(path)
    assert comments_of(table.schema) == COMMENTS
    created = json.loads(table.properties.entries["hoodie.table.create.schema"])
    assert [field.get("doc") for field in created["fields"]] == ["the key", None, "value"]

    plain = without_comments()
    wider = plain.append(pa.field("w", pa.float64(), metadata={"comment": "weight"}))
    for given in (
        lambda: hoodoo.write(rows(2, columns=plain, v="b"), path),
        lambda: hoodoo.write(rows(3, columns=wider, w=0.5), path),
        lambda: hoodoo.write(rows(1, columns=plain.remove(1)), path, {"operation": "delete"}),
        lambda: hoodoo.write(rows(4, columns=plain), path, {"operation": "insert_overwrite_table"}),
        lambda: hoodoo.write(rows(4, columns=plain, v="c"), path),
    ):
        given()
        expected = {**COMMENTS, "w": "weight"} if len(hoodoo.Table(path).schema) == 4 else COMMENTS
        assert comments_of(hoodoo.Table(path).schema) == expected

    changed = plain.set(2, pa.field("v", pa.string(), metadata={"comment": "other"}))
    changed = changed.set(0, pa.field("id", pa.int64(), metadata={"comment": ""}))
    hoodoo.write(rows(5, columns=changed), path)
    table = hoodoo.Table(path)
    assert comments_of(table.schema) == {"s.f": "inner", "v": "other", "w": "weight"}
    found = table.to_arrow().sort_by("id")
    assert comments_of(found.schema.remove(0)).items() <= comments_of(table.schema).items()
    assert found.select(["id", "v", "w"]).to_pylist() == [
        {"id": 4, "v": "c", "w": None},
        {"id": 5, "v": "a", "w": None},
    ]
    assert found["s"].to_pylist() == [{"f": 1, "g": "x"}] * 2
