"""Paths through a table, simulated in memory, agree with those of a real table; and the traits of a history."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest

from hoodoo.merge import Rule
from hoodoo.plugin.installed.catalogue import default_catalogue
from hoodoo.record import Choice, Law, MergerConfig, Outcome, RecordContext, Records
from hoodoo.testing.data.vector_records import delete, flagged
from hoodoo.testing.differences import (
    DELETE,
    KEY_ONLY,
    LATE,
    NO_ORDERING,
    SEVERAL,
    TIE,
    UNCONDITIONAL,
    traits,
)
from hoodoo.testing.fixtures import SmallTable
from hoodoo.testing.paths.table_paths import History, Path, Tries, play

COLUMNS = {"id": "string", "ts": "long", "v": "string"}


def row(ts: int | None, v: str, key: str = "1") -> dict[str, Any]:
    return {"id": key, "ts": ts, "v": v}


def left(path: Path, stored: Any, *incoming: Any, family: str = "merger", name: str = "event-time") -> Any:
    config = MergerConfig(record_key=("id",), ordering=("ts",))
    plugin = default_catalogue().make(family, name, {})
    rule = (Rule.of_merger if family == "merger" else Rule.of_payload)(plugin, name, config)
    return play(rule, Tries(COLUMNS, ("ts",), [History(stored, incoming)]), path)[0]


FORGOTTEN = (None, flagged(row(5, "gone")), row(3, "late"))
ACCEPTED = (row(5, "stored"), delete("1"), row(3, "late"))


@pytest.mark.parametrize(
    ("history", "paths"),
    [
        (FORGOTTEN, {Path.COMMITS, Path.COMPACTED}),
        (ACCEPTED, {Path.ONE_BY_ONE, Path.COMMITS, Path.COMPACTED}),
    ],
)
def test_where_a_late_row_comes_back(history: tuple[Any, ...], paths: set[Path]) -> None:
    """Storage drops deletes, and a fold with a later row drops a delete without an ordering value."""
    assert {path for path in Path if left(path, *history) == row(3, "late")} == paths


def test_a_log_keeps_a_flagged_delete_as_a_key_only_one() -> None:
    """The payload applies the delete in a log without a comparison, and compares the delete in a commit."""
    stored, late = row(5, "stored"), flagged(row(3, "gone"))

    assert left(Path.COMMITS, stored, late, family="payload") == stored
    assert left(Path.LOG, stored, late, family="payload") is None


class Numbered:
    """A merger whose new rows get a mark."""

    laws = frozenset({Law.ASSOCIATIVE})

    def merge(self, older: Records, newer: Records, context: RecordContext, config: MergerConfig) -> Outcome:
        """Return TAKE."""
        return Outcome.all(Choice.TAKE, len(newer))

    def insert(self, newer: Records, context: RecordContext, config: MergerConfig) -> Outcome:
        """Return TAKE with the mark."""
        choice = Outcome.all(Choice.TAKE, len(newer)).choice
        return Outcome(choice, {"v": pa.array(["new"] * len(newer), pa.string())})


@pytest.mark.parametrize("path", [Path.ONE_BY_ONE, Path.BATCH, Path.LOG])
def test_a_row_without_a_stored_one_is_inserted_on_every_path(path: Path) -> None:
    rule = Rule.of_merger(Numbered(), "numbered", MergerConfig(record_key=("id",), ordering=("ts",)))
    two = (row(1, "a"), row(2, "b"))
    histories = [History(None, two), History(row(1, "s", "2"), (row(2, "c", "2"),)), History(None, (delete("3"),))]

    rows = play(rule, Tries(COLUMNS, ("ts",), histories), path)

    assert rows == [row(2, "new"), row(2, "c", "2"), None]


@pytest.mark.parametrize("rule", [("merger", "event-time"), ("merger", "commit-time"), ("payload", "event-time")])
def test_batch_and_commits_are_what_a_table_does(
    hoodoo_table: Callable[..., SmallTable], rule: tuple[str, str]
) -> None:
    """The paths give the rows of copy-on-write tables to which the same versions are written."""
    histories = [
        [row(2, "a", "1"), row(1, "b", "1"), row(2, "c", "1")],
        [row(3, "a", "2"), flagged(row(4, "b", "2")), row(1, "c", "2")],
        [row(3, "a", "3"), flagged(row(2, "b", "3")), row(5, "c", "3")],
    ]
    options = {rule[0]: rule[1], "ordering": "ts"}
    at_once, one_by_one = hoodoo_table(**options), hoodoo_table(**options)
    written = [[_with_flag(version) for version in versions] for versions in histories]
    at_once.write([version for versions in written for version in versions])
    for versions in zip(*written, strict=True):
        one_by_one.write(list(versions))

    for table, path in ((at_once, Path.BATCH), (one_by_one, Path.COMMITS)):
        expected = [left(path, None, *versions, family=rule[0], name=rule[1]) for versions in histories]
        stored = [{name: found[name] for name in COLUMNS} for found in table.rows()]
        assert stored == [found for found in expected if found is not None]


def _with_flag(version: dict[str, Any]) -> dict[str, Any]:
    return {**{name: version[name] for name in COLUMNS}, "_hoodie_is_deleted": "$flagged" in version}


@pytest.mark.parametrize(
    ("stored", "incoming", "expected"),
    [
        (None, [row(1, "a")], set()),
        (row(1, "a"), [row(1, "b")], {TIE}),
        (row(2, "a"), [row(1, "b")], {LATE}),
        (row(None, "a"), [row(1, "b")], {NO_ORDERING}),
        (row(1, "a"), [flagged(row(2, "b"))], {DELETE}),
        (row(1, "a"), [delete("1", 2)], {DELETE, KEY_ONLY}),
        (row(1, "a"), [delete("1")], {DELETE, UNCONDITIONAL}),
        (row(2.0, "a"), [row(float("nan"), "b"), row(1.0, "c")], {LATE, SEVERAL}),
        (row(float("nan"), "a"), [row(float("nan"), "b")], {TIE}),
    ],
)
def test_traits_of_a_history(stored: Any, incoming: list[Any], expected: set[str]) -> None:
    assert traits(History(stored, tuple(incoming)), ("ts",)) == expected
