"""Rows that the other paths of the test kit give for the versions of one key; expected rows are computed by hand."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import hoodoo
from hoodoo.explain.explanation import Explanation
from hoodoo.testing.engine import write_arrow

OPTIONS = {"table_name": "t", "record_key": "id", "table_type": "MERGE_ON_READ", "clean_automatic": False}
MEAN = """
@frozen
class Rule:
    laws = frozenset()
    def uses_ordering(self, config):
        return False
    def merge(self, older, newer, context, config):
        if {refused} in older.column("v").to_pylist():
            from hoodoo.errors import DataError
            raise DataError("no mean of {refused}")
        mean = pc.divide(pc.add(older.column("v"), newer.column("v")), 2)
        return Outcome(np.ones(len(newer), dtype=np.int8), {{"v": mean}})
"""
SUM = """
@frozen
class Rule:
    laws = frozenset({Law.ASSOCIATIVE})
    def uses_ordering(self, config):
        return False
    def merge(self, older, newer, context, config):
        return Outcome(np.ones(len(newer), dtype=np.int8), {"v": pc.add(older.column("v"), newer.column("v"))})
"""
PAYLOAD = """
@frozen
class Rule:
    laws = frozenset()
    def uses_ordering(self, config):
        return False
    def pre_combine(self, older, newer, context, config):
        return Outcome.all(Choice.TAKE, len(newer))
    def combine_and_get_update_value(self, older, newer, context, config):
        return Outcome(np.ones(len(newer), dtype=np.int8), {"v": pc.add(older.column("v"), newer.column("v"))})
    def get_insert_value(self, newer, context, config):
        return Outcome.all(Choice.TAKE, len(newer))
"""


@pytest.fixture
def explained(tmp_path: Path) -> Callable[..., Explanation]:
    """Return a function that writes values of one key, each in a commit, and explains the key; None is a delete."""

    def explained(*values: int | None, **options: Any) -> Explanation:
        for number, value in enumerate(values):
            deletes = {"operation": "delete"} if value is None else {}
            rows = pa.table({"id": ["a"], "ts": [number], "v": pa.array([value], pa.int64())})
            write_arrow(rows, tmp_path / "t", OPTIONS | options | deletes)
        return hoodoo.Table(tmp_path / "t").explain("a")

    return explained


def differing(found: Explanation) -> dict[str, Any]:
    [trace] = found.current
    return {other.path: other.error or (other.row and other.row["v"]) for other in trace.other_paths}


def test_a_rule_that_is_not_associative(install: Callable[..., str], explained: Callable[..., Explanation]) -> None:
    """The table has the mean of 0 and mean(4, 8); a merge one by one gives the mean of mean(0, 4) and 8."""
    found = explained(0, 4, 8, merger=install(MEAN.format(refused=99)))

    assert [row["v"] for row in found.rows] == [3]
    assert differing(found) == {"one by one": 5, "commits": 5}
    answer = found.answer("other_paths")
    assert answer is not None
    assert answer.startswith(
        "Path 'one by one' (the versions merged one by one, the base row first, deletes kept) gives "
    )
    assert "write to a copy-on-write table) gives v = 5, and this table has v = 3." in answer
    assert "Would other writes of the same versions give another row?" in str(found)
    assert json.loads(found.to_json())["current"][0]["other_paths"][0]["differing"] == ["v"]


def test_one_version_in_logs_has_nothing_to_fold(
    install: Callable[..., str], explained: Callable[..., Explanation]
) -> None:
    found = explained(0, 4, merger=install(MEAN.format(refused=99)))

    assert [row["v"] for row in found.rows] == [2]
    assert differing(found) == {}
    assert found.answer("other_paths") is None


def test_a_rule_that_is_associative(install: Callable[..., str], explained: Callable[..., Explanation]) -> None:
    found = explained(1, 2, 4, 8, merger=install(SUM))

    assert [row["v"] for row in found.rows] == [15]
    assert differing(found) == {}


def test_a_payload_is_compared_with_one_write(
    install: Callable[..., str], explained: Callable[..., Explanation]
) -> None:
    """A batch uses the last version (1 + 4), and the table adds all versions (1 + 2 + 4)."""
    found = explained(1, 2, 4, payload=install(PAYLOAD, "payload"))

    assert [row["v"] for row in found.rows] == [7]
    assert differing(found) == {"batch": 5}


def test_a_path_that_fails_states_the_error(install: Callable[..., str], explained: Callable[..., Explanation]) -> None:
    """A version with the value 2 occurs only if versions are merged one by one."""
    found = explained(0, 4, 8, merger=install(MEAN.format(refused=2)))

    assert [row["v"] for row in found.rows] == [3]
    assert differing(found) == {"one by one": "no mean of 2", "commits": "no mean of 2"}
    assert "fails for these versions: no mean of 2." in (found.answer("other_paths") or "")


def test_a_table_that_keeps_no_deletes_has_a_late_row(
    install: Callable[..., str], explained: Callable[..., Explanation]
) -> None:
    """In a log, the delete wins over the later row; base files keep no delete, so that the later row is inserted."""
    sticky = """
    @frozen
    class Rule:
        laws = frozenset()
        def merge(self, older, newer, context, config):
            return Outcome.take_where(~older.is_delete)
    """
    found = explained(1, None, 3, merger=install(sticky), ordering="ts")

    assert found.rows == ()
    assert differing(found) == {"commits": 3}
    assert "has the row id = a, ts = 2, v = 3, and this table has none." in (found.answer("other_paths") or "")
