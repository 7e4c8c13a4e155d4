"""Generated statements give the same rows by Hudi's SQL and by hoodoo's, on tables of one writer and of both."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import hoodoo
from tests.interop.comparing import difference

from .histories import COLUMNS, History, Kind
from .systems import Hoodoo, Hudi

pytestmark = pytest.mark.interop

LENGTH = 14
"""Statements of a history: each kind of statement at least once."""

# the generator leaves out the known differences of all kinds
KINDS = [
    Kind(type_, version, partitioned, ordered)
    for type_ in ("mor", "cow")
    for version in (9, 6)
    for partitioned, ordered in ((False, True), (False, False), (True, True))
]


@pytest.mark.parametrize("seed", range(int(os.environ.get("HOODOO_STATEMENT_SEEDS", "1"))))
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_both_give_the_same_rows(kind: Kind, seed: int, theirs: Hudi, ours: Hoodoo, tmp_path: Path) -> None:
    """After each statement a table of Hudi, one of hoodoo, and one on which they take turns have the same rows."""
    versioned = {"hoodie.write.table.version": str(kind.version)}
    theirs.settings = {**versioned, "hoodie.write.auto.upgrade": "false"}
    if kind.type == "mor":
        # Hudi fails to write a partial update into a small file to which it adds rows, see differences.py
        theirs.settings["hoodie.parquet.small.file.limit"] = "0"
    if kind.version == 6:
        # a MERGE of Hudi 1.2.0 fails to make the metadata table of this version
        theirs.settings["hoodie.metadata.enable"] = "false"
    # Hudi makes a metadata table, which hoodoo removes before it writes
    ours.settings = {"hoodie.metadata.enable": "false"}
    paths = {name: tmp_path / name for name in ("by_hudi", "by_hoodoo", "in_turns")}
    theirs.run(kind.create("by_hudi", paths["by_hudi"]))
    ours.run(kind.create("by_hoodoo", paths["by_hoodoo"]), versioned)
    starts, joins = (theirs, ours) if seed % 2 == 0 else (ours, theirs)
    starts.run(kind.create("in_turns", paths["in_turns"]), versioned)
    joins.run(f"CREATE TABLE in_turns USING hudi LOCATION '{paths['in_turns']}'", versioned)
    done: list[str] = []
    for number, statement in enumerate(History(kind, seed).statements(LENGTH)):
        turn = (starts, joins)[number % 2]
        done.append(f"{type(turn).__name__}: {statement.text} {dict(statement.settings) or ''}")
        turn.refresh("in_turns")
        for system, table in ((theirs, "by_hudi"), (ours, "by_hoodoo"), (turn, "in_turns")):
            system.run(statement.text.replace("{t}", table), statement.settings)
        theirs.refresh("in_turns")
        selected = ", ".join(COLUMNS)
        expected = theirs.rows(f"SELECT {selected} FROM by_hudi")
        found = {
            "hoodoo": ours.rows(f"SELECT {selected} FROM by_hoodoo"),
            "turns, read by hoodoo": ours.rows(f"SELECT {selected} FROM in_turns"),
            "turns, read by Hudi": theirs.rows(f"SELECT {selected} FROM in_turns"),
        }
        for name, rows in found.items():
            differs = difference(rows, expected)
            assert not differs, f"{name}: {differs}\n" + "\n".join(done)
    for path in paths.values():
        assert hoodoo.Table(path).properties["hoodie.table.version"] == str(kind.version), path
