"""The merger `first-value`: the greater ordering value wins, and of equal ones the first."""

import pytest

from hoodoo.testing import MergerSuite
from hoodoo.testing.cases import delete, flagged, merged, tombstone
from hoodoo.testing.differences import DELETE, LATE, TIE, UNCONDITIONAL
from hoodoo.testing.shared_reasons import ACCEPTED, FOLDED, FORGOTTEN, WRITTEN, on_paths

OLD, NEW = {"id": "1", "ts": 1, "v": "old"}, {"id": "1", "ts": 2, "v": "new"}

DIFFERENCES = (
    *on_paths(WRITTEN, "merger", "first-value", [(DELETE, LATE), (DELETE, TIE)], FORGOTTEN),
    *on_paths(FOLDED, "merger", "first-value", [(UNCONDITIONAL, LATE), (UNCONDITIONAL, TIE)], ACCEPTED),
)


class TestFirstValue(MergerSuite):
    plugin = "first-value"
    differences = DIFFERENCES


@pytest.mark.parametrize("mode", ["batch", "log", "commits"])
def test_a_tie_keeps_the_first(mode: str) -> None:
    later = {**NEW, "v": "later"}

    assert merged("merger", "first-value", [NEW, later], mode=mode) == NEW
    assert merged("merger", "first-value", [later], stored=NEW, mode=mode) == NEW


@pytest.mark.parametrize("mode", ["batch", "log", "commits"])
def test_a_greater_ordering_value_wins(mode: str) -> None:
    assert merged("merger", "first-value", [OLD, NEW], mode=mode) == NEW
    assert merged("merger", "first-value", [NEW, OLD], mode=mode) == NEW


def test_a_delete_loses_a_tie_as_a_row_does() -> None:
    assert merged("merger", "first-value", [flagged(NEW)], stored=NEW) == NEW
    assert merged("merger", "first-value", [delete("1", 2)], stored=NEW) == NEW
    assert merged("merger", "first-value", [delete("1", 3)], stored=NEW) is None
    assert tombstone("merger", "first-value", [delete("1", 2), NEW]) == [2]


def test_a_delete_without_ordering_is_unconditional() -> None:
    """The delete removes a newer row, and all later versions are accepted, also without ordering values."""
    assert merged("merger", "first-value", [delete("1")], stored=NEW) is None
    assert merged("merger", "first-value", [NEW, delete("1"), OLD], mode="log") == OLD
    assert merged("merger", "first-value", [NEW, delete("1"), OLD], mode="log", ordering="") == OLD


def test_a_stored_row_without_ordering_value_loses() -> None:
    assert merged("merger", "first-value", [OLD], stored={"id": "1", "ts": None, "v": "x"}) == OLD
