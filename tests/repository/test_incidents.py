"""`docs/incidents.md`: every incident once and in order, each with a test that exists or a reason why there is none."""

from __future__ import annotations

import ast
import functools
import re
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "incidents.md"
COUNT = 50
COLUMNS = 5

ROW = re.compile(r"\| (R\d+) \|")
TEST = re.compile(r"`([\w./-]+\.py)::(\w+)`")
REASON = re.compile(r"No test: \S.{20,}")


def rows() -> list[list[str]]:
    """Return the cells of each row of the table of incidents."""
    lines = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if ROW.match(line)]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


@functools.cache
def names_in(path: str) -> frozenset[str]:
    """Return the names that a test file defines at its top level: functions, classes and variables."""
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    found = {node.name for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    assigned = (target for node in tree.body if isinstance(node, ast.Assign) for target in node.targets)
    return frozenset(found | {target.id for target in assigned if isinstance(target, ast.Name)})


def faults_of(cells: list[str]) -> list[str]:
    """Return the descriptions of the faults of a row; an empty list if it has none."""
    if len(cells) != COLUMNS or not all(cells):
        return [f"{len(cells)} cells, or an empty one"]
    cited, rest = TEST.findall(cells[-1]), TEST.sub("", cells[-1]).replace("<br>", "").strip()
    faults = [f"no file '{path}'" for path, _ in cited if not (ROOT / path).is_file()]
    for path, name in cited:
        if (ROOT / path).is_file() and (name not in names_in(path) or not name.lower().startswith("test")):
            faults.append(f"no test '{name}' in '{path}'")
    if rest and not REASON.fullmatch(rest):
        faults.append(f"'{rest}' is neither a test nor a reason")
    if not cited and not rest:
        faults.append("neither a test nor a reason")
    return faults


def test_every_incident_is_there_once_and_in_order() -> None:
    assert [cells[0] for cells in rows()] == [f"R{number}" for number in range(1, COUNT + 1)]


def test_every_incident_has_a_test_that_exists_or_a_reason() -> None:
    wrong = {cells[0]: faults for cells in rows() if (faults := faults_of(cells))}
    assert not wrong


@pytest.mark.parametrize(
    ("last", "fault"),
    [
        ("", "empty"),
        ("none", "neither a test nor a reason"),
        ("No test:", "neither a test nor a reason"),
        ("`tests/test_nowhere.py::test_it`", "no file"),
        ("`tests/repository/test_incidents.py::test_it`", "no test 'test_it'"),
        ("`tests/repository/test_incidents.py::faults_of`", "no test 'faults_of'"),
        ("`tests/repository/test_incidents.py::test_it", "neither a test nor a reason"),
    ],
)
def test_a_wrong_row_is_found(last: str, fault: str) -> None:
    assert fault in " ".join(faults_of(["R1", "what", "H#1", "how", last]))
    good = "`tests/repository/test_incidents.py::test_a_wrong_row_is_found`<br>No test: the other half needs a cluster."
    assert faults_of(["R1", "what", "H#1", "how", good]) == []
