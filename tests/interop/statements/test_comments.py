"""Comments of columns: Hudi and hoodoo store them in the same places, and each keeps those of the other."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import hoodoo
from hoodoo.properties import table_checksum, update_properties
from hoodoo.schema.comments import comments_of
from hoodoo.storage import storage_for

from .systems import Hoodoo, Hudi

pytestmark = pytest.mark.interop

COLUMNS = (
    "id INT COMMENT 'the key', s STRUCT<x: INT COMMENT 'inner', y: STRING> COMMENT 'a struct', "
    "l ARRAY<STRUCT<f: INT COMMENT 'deep'>>, v STRING COMMENT 'Maß', ts BIGINT"
)
CREATED = {"id": "the key", "s": "a struct", "s.x": "inner", "l.element.f": "deep", "v": "Maß"}

STEPS = (
    (
        "INSERT INTO {t} VALUES (1, named_struct('x', 1, 'y', 'y'), array(named_struct('f', 1)), 'a', 1L), "
        "(2, named_struct('x', 2, 'y', 'y'), array(named_struct('f', 2)), 'b', 1L)"
    ),
    "UPDATE {t} SET v = 'c', ts = 2 WHERE id = 1",
    (
        "MERGE INTO {t} USING (SELECT 2 AS id, 'd' AS v, 3L AS ts) q ON {t}.id = q.id "
        "WHEN MATCHED THEN UPDATE SET v = q.v, ts = q.ts"
    ),
    "ALTER TABLE {t} ADD COLUMNS (w STRING COMMENT 'new')",
    "ALTER TABLE {t} ALTER COLUMN v COMMENT 'changed'",
    "INSERT INTO {t} VALUES (3, named_struct('x', 3, 'y', 'y'), array(named_struct('f', 3)), 'e', 1L, 'w')",
    "DELETE FROM {t} WHERE id = 1",
)
"""Statements, the number of which decides the system that executes them."""

ON_READ = {"hoodie.schema.on.read.enable": "true", "hoodie.metadata.enable": "false"}


def described(system: Hudi | Hoodoo, table: str) -> dict[str, str]:
    """Return the comments in the description of a table."""
    rows = system.run(f"DESCRIBE {table}")
    return {row["col_name"]: row["comment"] for row in rows if row["comment"] and not row["col_name"].startswith("#")}


def documented(text: str) -> dict[str, str]:
    """Return the comments in a schema in Avro's JSON."""
    return {field["name"]: field["doc"] for field in json.loads(text)["fields"] if field.get("doc")}


@pytest.mark.parametrize("starter", ["hudi", "hoodoo"])
@pytest.mark.parametrize(("kind", "version"), [("cow", 9), ("mor", 6)], ids=["cow9", "mor6"])
def test_both_store_and_keep_comments(
    kind: str, version: int, starter: str, theirs: Hudi, ours: Hoodoo, tmp_path: Path
) -> None:
    """They take turns on a table, whose comments both describe after each statement."""
    versioned = {"hoodie.write.table.version": str(version), "hoodie.write.auto.upgrade": "false"}
    theirs.settings = dict(versioned)
    path = tmp_path / "table"
    turns: list[Hudi | Hoodoo] = [theirs, ours] if starter == "hudi" else [ours, theirs]
    turns[0].run(
        f"CREATE TABLE in_turns ({COLUMNS}) USING hudi LOCATION '{path}' TBLPROPERTIES (primaryKey = 'id', "
        f"preCombineField = 'ts', type = '{kind}', 'hoodie.write.table.version' = '{version}')"
    )
    if starter == "hoodoo":
        # Hudi refuses a table of another database
        database = {
            "hoodie.database.name": "statements",
            "hoodie.table.checksum": table_checksum("in_turns", "statements"),
        }
        update_properties(storage_for(path), database)
    created = hoodoo.Table(path).properties.entries["hoodie.table.create.schema"]
    assert documented(created) == {"id": "the key", "s": "a struct", "v": "Maß"}
    expected = dict(CREATED)
    for number, text in enumerate(STEPS):
        turns[number % 2].run(text.replace("{t}", "in_turns"))
        expected |= {"v": "changed"} if "ALTER COLUMN" in text else {"w": "new"} if "ADD COLUMNS" in text else {}
        table = hoodoo.Table(path)
        assert comments_of(table.schema) == expected, f"after {text}"
        for system in turns[1:] if number == 0 else turns:
            if number:
                system.run("DROP TABLE in_turns")
            system.run(f"CREATE TABLE in_turns USING hudi LOCATION '{path}'", versioned)
        plain = {name: comment for name, comment in expected.items() if "." not in name}
        assert described(ours, "in_turns") == plain, f"after {text}"
        assert described(theirs, "in_turns") == plain, f"after {text}"
