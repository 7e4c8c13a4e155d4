"""The merger `deduplicate`: one version remains; deletes are versions, or are ignored."""

import itertools
from typing import ClassVar

import pytest

from hoodoo.plugin import default_catalogue
from hoodoo.record import Law
from hoodoo.testing import MergerSuite, replaces
from hoodoo.testing.cases import delete, flagged, merged, tombstone
from hoodoo.testing.differences import DELETE, LATE, UNCONDITIONAL
from hoodoo.testing.shared_reasons import ACCEPTED, FOLDED, FORGOTTEN, WRITTEN, on_paths

OLD, NEW = {"id": "1", "ts": 1, "v": "old"}, {"id": "1", "ts": 2, "v": "new"}

DIFFERENCES = (
    *on_paths(WRITTEN, "merger", "deduplicate", [(DELETE, LATE)], FORGOTTEN, options={"ignore_delete": False}),
    *on_paths(FOLDED, "merger", "deduplicate", [(UNCONDITIONAL, LATE)], ACCEPTED, options={"ignore_delete": False}),
)


class TestDeduplicate(MergerSuite):
    plugin = "deduplicate"
    differences = DIFFERENCES
    options: ClassVar = {"ignore_delete": False}


class TestIgnoringDeletes(MergerSuite):
    plugin = "deduplicate"
    differences = DIFFERENCES
    options: ClassVar = {"ignore_delete": True}

    @replaces("the option drops deletes, all of them")
    def test_unconditional_delete_removes_the_row(self) -> None:
        stored = {"id": "1", "ts": 5, "v": "a"}
        for mode in ("log", "commits"):
            left = merged("merger", "deduplicate", [delete("1")], stored=stored, mode=mode, ignore_delete=True)
            assert left == stored


@pytest.mark.parametrize("mode", ["batch", "log", "commits"])
def test_the_ordering_value_decides_and_a_tie_goes_to_the_last(mode: str) -> None:
    later = {**NEW, "v": "later"}

    assert merged("merger", "deduplicate", [NEW, OLD], mode=mode) == NEW
    assert merged("merger", "deduplicate", [NEW, later], mode=mode) == later


@pytest.mark.parametrize("mode", ["batch", "log", "commits"])
def test_without_ordering_the_last_arrival_stays(mode: str) -> None:
    assert merged("merger", "deduplicate", [NEW, OLD], mode=mode, ordering="") == OLD


def test_a_delete_is_one_more_version() -> None:
    assert merged("merger", "deduplicate", [delete("1", 1)], stored=NEW) == NEW
    assert merged("merger", "deduplicate", [delete("1", 2)], stored=NEW) is None
    assert merged("merger", "deduplicate", [delete("1")], stored=NEW) is None
    assert tombstone("merger", "deduplicate", [NEW, delete("1", 3), OLD]) == [3]


@pytest.mark.parametrize("mode", ["batch", "log", "commits"])
def test_ignored_deletes_change_nothing_wherever_they_stand(mode: str) -> None:
    """Deletes have no effect, whatever their ordering values are."""
    rows = [OLD, NEW, flagged({"id": "1", "ts": 9, "v": "gone"}), delete("1")]

    for history in itertools.permutations(rows):
        assert merged("merger", "deduplicate", history, mode=mode, ignore_delete=True) == NEW
    assert merged("merger", "deduplicate", [delete("1", 5)], stored=OLD, mode=mode, ignore_delete=True) == OLD


def test_ignoring_deletes_claims_less() -> None:
    ignoring = default_catalogue().make("merger", "deduplicate", {"ignore_delete": True})

    assert ignoring.laws == {Law.IDEMPOTENT, Law.REPLAY_SAFE}
