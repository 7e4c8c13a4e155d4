"""The merger `event-time-partial`: the greater ordering value wins, and its gaps are filled by the other version."""

from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
import pytest

from hoodoo.merge import Rule
from hoodoo.plugin import default_catalogue
from hoodoo.record import MergerConfig, Operation, Ordering, Source
from hoodoo.schema.defaults import with_default
from hoodoo.testing import MergerSuite
from hoodoo.testing.cases import delete, merged
from hoodoo.testing.differences import DELETE, LATE
from hoodoo.testing.paths.table_paths import Path
from hoodoo.testing.shared_reasons import CUT, FILLED_LATE, FORGOTTEN, REGROUPED, STORED_NULL, on_paths

NAME = "event-time-partial"
STRINGS = {"id": "string", "ts": "long", "s": "string?"}
MISSING = "__debezium_unavailable_value"
SCHEMA = pa.schema(
    [
        pa.field("id", pa.string()),
        pa.field("ts", pa.int64()),
        pa.field("seq", pa.int64()),
        pa.field("name", pa.string()),
        with_default(pa.field("city", pa.string()), "NY"),
    ]
)

DIFFERENCES = (
    *on_paths(REGROUPED, "merger", "event-time-partial", [(DELETE,)], CUT),
    *on_paths(REGROUPED, "merger", "event-time-partial", [(LATE,)], FILLED_LATE),
    *on_paths([Path.COMMITS], "merger", "event-time-partial", [(DELETE, LATE)], FORGOTTEN),
    *on_paths(
        [Path.COMMITS], "merger", "event-time-partial", [(LATE,)], STORED_NULL, options={"partial": "keep-values"}
    ),
)


class TestIgnoreDefaults(MergerSuite):
    plugin = NAME
    differences = DIFFERENCES
    options: ClassVar = {"partial": "ignore-defaults"}


class TestFillUnavailable(MergerSuite):
    plugin = NAME
    differences = DIFFERENCES
    options: ClassVar = {"partial": "fill-unavailable", "unavailable_value": "?"}
    values: ClassVar = {"v": ["?", "a", None]}


def folded(mode: str, *rows: dict[str, Any]) -> dict[str, Any]:
    """Return the merged record of versions of one key without its nulls; rows may lack columns."""
    config = MergerConfig(record_key=("id",), ordering=("ts", "seq"))
    rule = Rule.of_merger(default_catalogue().make("merger", NAME, {"partial": mode}), f"merger {NAME!r}", config)
    table = pa.Table.from_pylist(list(rows), schema=SCHEMA)
    present = {name: np.array([name in row for row in rows]) for name in SCHEMA.names}
    ordering = Ordering.of(("ts", "seq"), [table[name].combine_chunks() for name in ("ts", "seq")], len(rows))
    operation, has_data = np.full(len(rows), Operation.INSERT, dtype=np.int8), np.ones(len(rows), dtype=bool)
    survivor = rule.fold(Source(table, SCHEMA, pa.array(["1"] * len(rows)), ordering, operation, has_data, present))
    row = {name: survivor.column(name)[0].as_py() for name in SCHEMA.names}
    return {name: value for name, value in row.items() if value is not None}


def test_a_late_partial_version_gives_only_what_the_winner_lacks() -> None:
    winner, late = {"id": "1", "ts": 5, "seq": 0, "name": "x"}, {"id": "1", "ts": 3, "seq": 0, "name": "y", "city": "z"}

    assert folded("keep-values", winner, late) == {**winner, "city": "z"}
    assert folded("keep-values", late, winner) == {**winner, "city": "z"}


def test_ignore_defaults_fills_late_and_early() -> None:
    winner = {"id": "1", "ts": 5, "seq": 0, "name": "x", "city": "NY"}
    late = {"id": "1", "ts": 3, "seq": 0, "name": None, "city": "LA"}

    assert folded("ignore-defaults", winner, late) == {**winner, "city": "LA"}
    assert folded("ignore-defaults", late, winner) == {**winner, "city": "LA"}


def test_an_ordering_column_is_never_filled() -> None:
    """A second ordering column taken from the loser would make the row newer than it is."""
    winner, late = {"id": "1", "ts": 5, "seq": None}, {"id": "1", "ts": 3, "seq": 9, "name": "a", "city": "LA"}

    assert folded("ignore-defaults", winner, late) == {"id": "1", "ts": 5, "name": "a", "city": "LA"}


@pytest.mark.parametrize("mode", ["batch", "log", "commits"])
def test_a_value_in_the_middle_is_not_lost(mode: str) -> None:
    versions = [{"id": "1", "ts": 2, "s": "v1"}, {"id": "1", "ts": 3, "s": MISSING}]
    stored = {"id": "1", "ts": 1, "s": "v0"}
    options: ClassVar = {"stored": stored, "mode": mode, "schema": STRINGS, "partial": "fill-unavailable"}

    assert merged("merger", NAME, versions, **options) == {"id": "1", "ts": 3, "s": "v1"}


def test_deletes_are_whole() -> None:
    """A late delete loses; a delete with an equal ordering value, or without one, wins. Logs keep deletes."""
    stored = {"id": "1", "ts": 2, "s": "a"}
    options: dict[str, Any] = {"stored": stored, "schema": STRINGS, "partial": "fill-unavailable"}

    assert merged("merger", NAME, [delete("1", 1)], **options) == stored
    assert merged("merger", NAME, [delete("1", 2)], **options) is None
    assert merged("merger", NAME, [delete("1")], **options) is None
    assert merged("merger", NAME, [delete("1", 3), stored], **{**options, "mode": "log"}) is None


def test_a_row_after_a_delete_gets_nothing_from_before() -> None:
    row = {"id": "1", "ts": 4, "s": MISSING}
    versions = [{"id": "1", "ts": 2, "s": "a"}, delete("1", 3), row]

    assert merged("merger", NAME, versions, mode="log", schema=STRINGS, partial="fill-unavailable") == row


@pytest.mark.parametrize("default", [{}, {"_hoodie_is_deleted": {"type": "boolean?", "default": False}}])
def test_a_logged_version_that_the_flag_marks_as_a_delete_fills_nothing(default: dict[str, Any]) -> None:
    """In a base file the flag is data, as for Hudi's readers; a log record with it is a delete."""
    pytest.importorskip("hoodoo_delete_any_of", reason="the default delete rule finds the flag")
    schema = {"id": "string", "ts": "long?", "a": "string?", "b": "string?", **default}
    gone = {"id": "1", "ts": 1, "a": "old", "b": "old", "_hoodie_is_deleted": True}
    update = {"id": "1", "ts": 2, "a": None, "b": "new"}

    def left(mode: str) -> Any:
        return merged("merger", NAME, [update], stored=gone, mode=mode, schema=schema, partial="ignore-defaults")

    assert left("log") == {"id": "1", "ts": 2, "b": "new"}
    assert left("batch")["a"] == "old"
