"""Differences between Hudi's SQL and hoodoo's; a test fails if its difference disappears."""

from __future__ import annotations

from pathlib import Path

import pytest

from hoodoo.errors import HoodooError
from tests.interop.processes.hudi_side import HudiFailed

from .differences import DIFFERENCES, REFUSED, ROWS, Difference, Row
from .systems import Hoodoo, Hudi

pytestmark = pytest.mark.interop


def outcome(system: Hudi | Hoodoo, difference: Difference, type_: str, path: Path) -> tuple[Row, ...] | str:
    """Execute the statements on a new table; return its rows, or the error message of the last statement."""
    ordering = "preCombineField = 'ts', " if difference.ordered else ""
    parts = "PARTITIONED BY (part) " if difference.partitioned else ""
    # Hudi's CREATE TABLE ignores the setting of this name
    version = "" if difference.version == 9 else f"'hoodie.write.table.version' = '{difference.version}', "
    versioned = {} if difference.version == 9 else {"hoodie.write.table.version": str(difference.version)}
    system.run(
        f"CREATE TABLE t (id INT, name STRING, qty BIGINT, ts BIGINT, part STRING) USING hudi {parts}"
        f"TBLPROPERTIES (primaryKey = 'id', {ordering}{version}type = '{type_}') LOCATION '{path}'",
        versioned,
    )
    *before, last = difference.statements
    for text in before:
        system.run(text.replace("{t}", "t"))
    try:
        system.run(last.replace("{t}", "t"))
    except (HudiFailed, HoodooError) as error:
        return str(error)
    rows = system.run("SELECT id, name, qty, ts FROM t")
    return tuple(sorted((tuple(row.values()) for row in rows), key=repr))


def agrees(found: tuple[Row, ...] | str, expected: tuple[Row, ...] | str) -> bool:
    if isinstance(expected, str):
        return isinstance(found, str) and expected in found
    return found == expected


CASES = [(difference, type_) for difference in DIFFERENCES for type_ in difference.types]


@pytest.mark.parametrize(("difference", "type_"), CASES, ids=lambda given: getattr(given, "name", given))
def test_they_differ_as_documented(
    difference: Difference, type_: str, theirs: Hudi, ours: Hoodoo, tmp_path: Path
) -> None:
    found = [outcome(system, difference, type_, tmp_path / f"t{n}") for n, system in enumerate((theirs, ours))]
    assert agrees(found[0], difference.hudi), f"Hudi: {found[0]}"
    assert agrees(found[1], difference.hoodoo), f"hoodoo: {found[1]}"


def test_both_refuse_a_statement_and_write_nothing(theirs: Hudi, ours: Hoodoo, tmp_path: Path) -> None:
    expected = ((1, "a", 10, 5), (2, "b", 20, 5), (3, "c", 30, 5))
    for n, system in enumerate((theirs, ours)):
        insert = Difference("", "", (ROWS,), (), (), partitioned=True)
        assert outcome(system, insert, "cow", tmp_path / f"t{n}") == expected
    for text, *messages in REFUSED:
        for system, error, message in zip((theirs, ours), (HudiFailed, HoodooError), messages, strict=True):
            with pytest.raises(error) as caught:
                system.run(text.replace("{t}", "t"))
            assert message in str(caught.value), text
            assert len(system.run("SELECT * FROM t")) == 3
