"""Comments of columns: Hudi and hoodoo store them in the same places, and each keeps those of the other."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pytest

import hoodoo
from hoodoo.properties import table_checksum, update_properties
from hoodoo.schema.column_ids import LATEST
from hoodoo.schema.comments import comments_of
from hoodoo.storage import storage_for

from .systems import Hoodoo, Hudi

pytestmark = pytest.mark.interop

COLUMNS = (
    "id INT COMMENT 'the key', s STRUCT<x: INT COMMENT 'inner', y: STRING>, "
    "l ARRAY<STRUCT<f: INT COMMENT 'deep', g: INT>>, v STRING COMMENT 'Maß', ts BIGINT"
)
CREATED = {"id": "the key", "s.x": "inner", "l.element.f": "deep", "v": "Maß"}
ON_READ = {"hoodie.schema.on.read.enable": "true", "hoodie.metadata.enable": "false"}


def row(key: int, *more: str) -> str:
    """Return a row of VALUES."""
    values = (
        str(key),
        f"named_struct('x', {key}, 'y', 'y')",
        f"array(named_struct('f', {key}, 'g', 1))",
        "'a'",
        "1L",
        *more,
    )
    return f"({', '.join(values)})"


def comments(path: Path) -> dict[str, str]:
    """Return the comments in the schema of a table."""
    return comments_of(hoodoo.Table(path).schema)


def described(system: Hudi | Hoodoo, table: str) -> dict[str, str]:
    """Return the comments in the description of a table."""
    rows = system.run(f"DESCRIBE {table}")
    return {row["col_name"]: row["comment"] for row in rows if row["comment"] and not row["col_name"].startswith("#")}


def of_columns(comments: dict[str, str]) -> dict[str, str]:
    """Return the comments without those of fields of structs."""
    return {path: comment for path, comment in comments.items() if "." not in path}


def create(system: Hudi | Hoodoo, path: Path, kind: str, version: int) -> None:
    """Create a table with two rows, and check its comments."""
    system.run(
        f"CREATE TABLE t ({COLUMNS}) USING hudi LOCATION '{path}' TBLPROPERTIES (primaryKey = 'id', "
        f"preCombineField = 'ts', type = '{kind}', 'hoodie.write.table.version' = '{version}')"
    )
    if isinstance(system, Hoodoo):
        # Hudi refuses a table of another database
        checksum = table_checksum("t", "statements")
        update_properties(storage_for(path), {"hoodie.database.name": "statements", "hoodie.table.checksum": checksum})
    created = json.loads(hoodoo.Table(path).properties.entries["hoodie.table.create.schema"])
    documented = {field["name"]: field["doc"] for field in created["fields"] if field.get("doc")}
    assert documented == of_columns(CREATED)
    system.run(f"INSERT INTO t VALUES {row(1)}, {row(2)}")
    assert comments(path) == CREATED
    assert described(system, "t") == of_columns(CREATED)


@pytest.mark.parametrize("starter", ["hudi", "hoodoo"])
@pytest.mark.parametrize(("kind", "version"), [("cow", 9), ("mor", 6)], ids=["cow9", "mor6"])
def test_both_store_and_keep_comments(
    kind: str, version: int, starter: str, theirs: Hudi, ours: Hoodoo, tmp_path: Path
) -> None:
    """One of the two creates the table, hoodoo writes and changes comments, and then Hudi does.

    A session of Hudi finds equal schemas in a cache that ignores comments, so it reads each schema here for the first
    time. Hudi's UPDATE loses the comment of an assigned column, and its INSERT that of a struct.
    """
    theirs.settings = {"hoodie.write.table.version": str(version), "hoodie.write.auto.upgrade": "false"}
    path = tmp_path / "table"
    create(theirs if starter == "hudi" else ours, path, kind, version)
    name = f"hoodoo.`{path}`"
    assert described(ours, name) == of_columns(CREATED)
    ours.run(f"UPDATE {name} SET v = 'b', ts = 2 WHERE id = 1")
    ours.run(f"ALTER TABLE {name} ADD COLUMNS (w STRING COMMENT 'new')")
    ours.run(f"ALTER TABLE {name} ALTER COLUMN v COMMENT 'changed'")
    ours.run(f"ALTER TABLE {name} ALTER COLUMN s.y COMMENT 'second'")
    hoodoo.write(pa.table({"id": pa.array([2], pa.int32()), "v": ["c"], "ts": [2]}), path)
    expected = {**CREATED, "v": "changed", "s.y": "second", "w": "new"}
    assert comments(path) == expected

    if starter == "hudi":
        theirs.run("DROP TABLE t")
    theirs.run(f"CREATE TABLE t USING hudi LOCATION '{path}'")
    assert described(theirs, "t") == of_columns(expected)
    theirs.run("INSERT INTO t VALUES " + row(3, "'w'"))
    theirs.run(
        "MERGE INTO t USING (SELECT 2 AS id, 'd' AS v, 3L AS ts) q ON t.id = q.id "
        "WHEN MATCHED THEN UPDATE SET id = q.id, v = q.v, ts = q.ts"
    )
    theirs.run("DELETE FROM t WHERE id = 1")
    assert comments(path) == expected
    theirs.run("ALTER TABLE t ALTER COLUMN w COMMENT 'by Hudi'")
    assert comments(path) == {**expected, "w": "by Hudi"}
    found = ours.run(f"SELECT id, s.x, v, w FROM {name} ORDER BY id")
    # the write by hoodoo replaced the row of key 2, whose struct it left out
    assert [tuple(each.values()) for each in found] == [(2, None, "d", None), (3, 3, "a", "w")]


def test_ids_of_columns_have_comments_of_both(theirs: Hudi, ours: Hoodoo, tmp_path: Path) -> None:
    """With schema evolution on read, Hudi changes comments of fields of structs too."""
    theirs.settings = ours.settings = ON_READ
    path = tmp_path / "table"
    create(theirs, path, "mor", 9)
    name = f"hoodoo.`{path}`"
    theirs.run("ALTER TABLE t ALTER COLUMN s.x COMMENT 'by Hudi'")
    assert comments(path) == {**CREATED, "s.x": "by Hudi"}
    ours.run(f"ALTER TABLE {name} ADD COLUMNS (s.z INT COMMENT 'third')")
    ours.run(f"ALTER TABLE {name} ALTER COLUMN ts COMMENT 'time'")
    expected = {**CREATED, "s.x": "by Hudi", "s.z": "third", "ts": "time"}
    assert comments(path) == expected
    timeline = hoodoo.Table(path).timeline
    ids = json.loads(timeline.commit_outline(timeline.commits[-1]).extra_metadata[LATEST])
    assert {each["name"]: each["doc"] for each in ids["fields"][5:] if each.get("doc")} == of_columns(expected)

    theirs.run("DROP TABLE t")
    theirs.run(f"CREATE TABLE t USING hudi LOCATION '{path}'")
    assert described(theirs, "t") == of_columns(expected)
    theirs.run("ALTER TABLE t ADD COLUMNS (w INT COMMENT 'last')")
    assert comments(path) == {**expected, "w": "last"}
    theirs.run("DELETE FROM t WHERE id = 1")
    assert comments(path) == {**expected, "w": "last"}
    assert [each["id"] for each in ours.run(f"SELECT id, s.z, w FROM {name}")] == [2]
