"""Columns with other names: Hudi's SQL with schema evolution on read and hoodoo's find the same values by their ids."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import hoodoo
from hoodoo.properties import table_checksum, update_properties
from hoodoo.storage import storage_for

from .systems import Hoodoo, Hudi

pytestmark = pytest.mark.interop

ON_READ = {"hoodie.schema.on.read.enable": "true", "hoodie.metadata.enable": "false"}

DROPPING = {"hoodie.datasource.write.schema.allow.auto.evolution.column.drop": "true"}
"""Without it Hudi 1.2.0 refuses its own RENAME COLUMN, because the new schema lacks the old name."""

COLUMNS = (
    "id INT, a STRING, b BIGINT, price DECIMAL(8, 2), day DATE, at TIMESTAMP, tags ARRAY<STRING>, "
    "s STRUCT<x: INT, y: STRING>, m MAP<STRING, INT>, ts BIGINT"
)


def row(key: int, a: str, b: int, ts: int = 5) -> str:
    """Return a row of VALUES with values in all columns of `COLUMNS`."""
    return (
        f"({key}, '{a}', {b}L, CAST({key}.25 AS DECIMAL(8, 2)), DATE'2024-02-0{key}', TIMESTAMP'2024-02-03 04:05:06', "
        f"array('t{key}'), named_struct('x', {key}, 'y', 'y'), map('k', {key}), {ts}L)"
    )


NESTED_COLUMNS = (
    "id INT, s STRUCT<x: INT, y: STRING>, l ARRAY<STRUCT<f: INT, g: STRING>>, m MAP<STRING, STRUCT<h: INT, k: INT>>, "
    "n STRING NOT NULL, ts BIGINT"
)


def nested_row(key: int, ts: int = 5) -> str:
    """Return a row of VALUES with values in all columns of `NESTED_COLUMNS`."""
    return (
        f"({key}, named_struct('x', {key}, 'y', 'y{key}'), array(named_struct('f', {key}, 'g', 'g{key}')), "
        f"map('k', named_struct('h', {key}, 'k', {key}0)), 'n{key}', {ts}L)"
    )


NESTED_STEPS = (
    (f"INSERT INTO {{t}} VALUES {nested_row(1)}, {nested_row(2)}, {nested_row(3)}", "id, s, l, m, n"),
    ("UPDATE {t} SET s = named_struct('x', 9, 'y', 'new'), ts = 6 WHERE id = 2", "id, s, l, m"),
    ("ALTER TABLE {t} RENAME COLUMN s.y TO z", "id, s, s.z"),
    ("ALTER TABLE {t} DROP COLUMN s.x", "id, s, l"),
    ("UPDATE {t} SET n = upper(n), ts = 7 WHERE id = 1", "id, s, l, m, n"),
    ("ALTER TABLE {t} ADD COLUMNS (s.x INT)", "id, s, s.x, s.z"),
    ("ALTER TABLE {t} RENAME COLUMN l.element.g TO name", "id, l, m"),
    ("ALTER TABLE {t} RENAME COLUMN m.value.h TO g", "id, m, l"),
    ("UPDATE {t} SET s = named_struct('z', 'u', 'x', id), ts = 8 WHERE id = 3", "id, s, l, m"),
    ("ALTER TABLE {t} ALTER COLUMN n AFTER id", "id, n, s, l, m"),
    ("ALTER TABLE {t} ADD COLUMNS (w INT AFTER n)", "id, n, w, s, l, m, ts"),
    ("ALTER TABLE {t} ALTER COLUMN n DROP NOT NULL", "id, n, w, s, l, m, ts"),
    ("UPDATE {t} SET w = id, ts = 9 WHERE id <> 1", "id, n, w, s, l, m, ts"),
)
"""Statements about fields of structs, the order of columns and NOT NULL, with the columns to compare."""


STEPS = (
    (f"INSERT INTO {{t}} VALUES {row(1, 'a1', 10)}, {row(2, 'a2', 20)}, {row(3, 'a3', 30)}", "id, a, b"),
    ("UPDATE {t} SET a = 'new', ts = 6 WHERE id = 2", "id, a, b"),
    ("ALTER TABLE {t} RENAME COLUMN a TO name", "id, name, b, price, day, at, tags, s, m"),
    (f"INSERT INTO {{t}} VALUES {row(4, 'a4', 40)}", "id, name, b"),
    ("ALTER TABLE {t} DROP COLUMN b", "id, name, price, s"),
    ("UPDATE {t} SET name = upper(name), ts = 7 WHERE id = 1", "id, name, day"),
    ("ALTER TABLE {t} ADD COLUMNS (b BIGINT)", "id, name, b, tags, m"),
    ("UPDATE {t} SET b = id * 2, ts = 8 WHERE id <> 3", "id, name, b, ts"),
    ("ALTER TABLE {t} RENAME COLUMN price TO a", "id, name, a, b"),
    ("DELETE FROM {t} WHERE id = 4", "id, name, a, b, at"),
    ("UPDATE {t} SET name = 'last', ts = 9 WHERE id = 3", "id, name, a, b, day, at, tags, s, m, ts"),
)


def rows(system: Hudi | Hoodoo, table: str, columns: str) -> list[tuple[Any, ...]]:
    """Return the rows as texts, in the order of their keys."""
    shown = ", ".join(f"CAST({name} AS STRING) AS {name.replace('.', '_')}" for name in columns.split(", "))
    return [tuple(each.values()) for each in system.run(f"SELECT {shown} FROM {table} ORDER BY id")]


@pytest.mark.parametrize("starter", ["hudi", "hoodoo"])
@pytest.mark.parametrize(
    ("kind", "steps"),
    [(("cow", 9), STEPS), (("mor", 9), STEPS), (("mor", 6), STEPS), (("mor", 9), NESTED_STEPS)],
    ids=["cow9", "mor9", "mor6", "fields-mor9"],
)
def test_both_find_values_by_ids(
    kind: tuple[str, int],
    steps: Sequence[tuple[str, str]],
    starter: str,
    theirs: Hudi,
    ours: Hoodoo,
    tmp_path: Path,
) -> None:
    """After each statement a table of Hudi, one of hoodoo, and one on which they take turns have the same rows."""
    type_, version = kind
    versioned = {"hoodie.write.table.version": str(version)}
    theirs.settings = {**ON_READ, **DROPPING, **versioned, "hoodie.write.auto.upgrade": "false"}
    if type_ == "mor":
        theirs.settings["hoodie.parquet.small.file.limit"] = "0"
    if steps is NESTED_STEPS:
        # Hudi's vectorized reader refuses structs inside of arrays and maps whose fields have other names in a file
        theirs.settings["spark.sql.parquet.enableVectorizedReader"] = "false"
    ours.settings = ON_READ
    paths = {name: tmp_path / name for name in ("by_hudi", "by_hoodoo", "in_turns")}
    properties = f"primaryKey = 'id', preCombineField = 'ts', type = '{type_}'"
    if version != 9:
        properties += f", 'hoodie.write.table.version' = '{version}'"

    columns = NESTED_COLUMNS if steps is NESTED_STEPS else COLUMNS

    def create(system: Hudi | Hoodoo, name: str) -> None:
        system.run(
            f"CREATE TABLE {name} ({columns}) USING hudi TBLPROPERTIES ({properties}) LOCATION '{paths[name]}'",
            versioned,
        )

    create(theirs, "by_hudi")
    create(ours, "by_hoodoo")
    turns: list[Hudi | Hoodoo] = [theirs, ours] if starter == "hudi" else [ours, theirs]
    create(turns[0], "in_turns")
    if starter == "hoodoo":
        # Hudi refuses a table of another database
        database = {
            "hoodie.database.name": "statements",
            "hoodie.table.checksum": table_checksum("in_turns", "statements"),
        }
        update_properties(storage_for(paths["in_turns"]), database)
    for number, (text, shown) in enumerate(steps):
        turn = turns[number % 2]
        for system, table in ((theirs, "by_hudi"), (ours, "by_hoodoo"), (turn, "in_turns")):
            system.run(text.replace("{t}", table))
        # the catalogue of a session has the columns of the time of CREATE TABLE
        for system in turns[1:] if number == 0 else turns:
            if number:
                system.run("DROP TABLE in_turns")
            system.run(f"CREATE TABLE in_turns USING hudi LOCATION '{paths['in_turns']}'", versioned)
        expected = rows(theirs, "by_hudi", shown)
        found = {
            "hoodoo": rows(ours, "by_hoodoo", shown),
            "hoodoo reads Hudi's": rows(ours, f"hoodoo.`{paths['by_hudi']}`", shown),
            "turns, read by hoodoo": rows(ours, "in_turns", shown),
            "turns, read by Hudi": rows(theirs, "in_turns", shown),
        }
        for name, read in found.items():
            assert read == expected, f"{name} after {text}"
        assert len({tuple(hoodoo.Table(path).schema.names) for path in paths.values()}) == 1, f"order after {text}"
