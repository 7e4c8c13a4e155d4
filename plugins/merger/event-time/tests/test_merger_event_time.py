"""The merger `event-time`: the greater ordering value wins, wherever two versions meet."""

import pytest

from hoodoo.errors import DataError
from hoodoo.plugin import RowMerger
from hoodoo.record import BufferedRecord, MergerConfig, RecordContext
from hoodoo.testing import MergerSuite
from hoodoo.testing.cases import delete, merged, tombstone
from hoodoo.testing.differences import DELETE, LATE, UNCONDITIONAL
from hoodoo.testing.shared_reasons import ACCEPTED, FOLDED, FORGOTTEN, WRITTEN, on_paths

OLD, NEW = {"id": "1", "ts": 1, "v": "old"}, {"id": "1", "ts": 2, "v": "new"}

DIFFERENCES = (
    *on_paths(WRITTEN, "merger", "event-time", [(DELETE, LATE)], FORGOTTEN),
    *on_paths(FOLDED, "merger", "event-time", [(UNCONDITIONAL, LATE)], ACCEPTED),
)


def at_least(newer: BufferedRecord, older: BufferedRecord) -> bool:
    """Return whether the ordering value of `newer` is at least that of `older`; NaN is the greatest, as in Java."""
    [new], [old] = newer.ordering or (), older.ordering or ()
    return bool(new >= old or new != new)


class Greatest(RowMerger):
    """Rule of the merger, written for one record at a time."""

    def merge(
        self, older: BufferedRecord, newer: BufferedRecord, context: RecordContext, config: MergerConfig
    ) -> BufferedRecord:
        if older.is_delete and older.ordering is None and newer.is_delete and newer.data is None:
            return older
        if older.ordering is None or (newer.is_delete and newer.ordering is None):
            return newer
        return newer if newer.ordering is not None and at_least(newer, older) else older


class TestEventTime(MergerSuite):
    plugin = "event-time"
    differences = DIFFERENCES
    row_form = Greatest


class TestSeveralOrderingColumns(MergerSuite):
    plugin = "event-time"
    differences = DIFFERENCES
    ordering = ("ts", "seq")


@pytest.mark.parametrize("mode", ["batch", "log", "commits"])
def test_greater_ordering_wins_in_any_arrival_order(mode: str) -> None:
    """A late record loses in a batch, in a log and against storage."""
    assert merged("merger", "event-time", [OLD, NEW], mode=mode) == NEW
    assert merged("merger", "event-time", [NEW, OLD], mode=mode) == NEW
    assert merged("merger", "event-time", [OLD], stored=NEW, mode=mode) == NEW


def test_tie_goes_to_the_newer_arrival() -> None:
    """The later arrival wins if ordering values are equal."""
    later = {**NEW, "v": "later"}

    assert merged("merger", "event-time", [NEW, later]) == later
    assert merged("merger", "event-time", [later], stored=NEW) == later


def test_stored_row_without_ordering_value_loses() -> None:
    """A stored null, for example of an older schema, does not cause an update to be dropped."""
    assert merged("merger", "event-time", [OLD], stored={"id": "1", "ts": None, "v": "x"}) == OLD


def test_incoming_null_ordering_is_refused() -> None:
    """The error names the column and a key."""
    with pytest.raises(DataError, match=r"ordering column 'ts' is null in 1 incoming row \(keys such as '1'\)"):
        merged("merger", "event-time", [{"id": "1", "ts": None, "v": "x"}])


def test_several_ordering_columns_compare_as_a_tuple() -> None:
    """The first column that differs decides."""
    schema = {"id": "string", "a": "int", "b": "int"}
    stored, incoming = {"id": "1", "a": 1, "b": 5}, {"id": "1", "a": 2, "b": 0}

    assert merged("merger", "event-time", [incoming], stored=stored, schema=schema, ordering="a,b") == incoming
    assert merged("merger", "event-time", [stored], stored=incoming, schema=schema, ordering="a,b") == incoming


def test_delete_with_ordering_is_compared() -> None:
    """A late delete loses, and a delete with an equal ordering value wins."""
    assert merged("merger", "event-time", [delete("1", 1)], stored=NEW) == NEW
    assert merged("merger", "event-time", [delete("1", 2)], stored=NEW) is None


def test_delete_without_ordering_is_unconditional() -> None:
    """The delete removes a newer row, and all later versions are accepted."""
    assert merged("merger", "event-time", [delete("1")], stored=NEW) is None
    assert merged("merger", "event-time", [delete("1"), OLD], stored=NEW, mode="log") == OLD


def test_tombstone_keeps_its_ordering() -> None:
    """A tombstone in a log prevents a late update."""
    assert tombstone("merger", "event-time", [NEW, delete("1", 3), OLD]) == [3]
