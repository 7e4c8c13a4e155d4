"""The merger `first-row`: the first version of a key is kept."""

from typing import ClassVar

import pytest

from hoodoo.errors import DataError
from hoodoo.testing import MergerSuite, replaces
from hoodoo.testing.cases import delete, flagged, merged

FIRST, SECOND = {"id": "1", "ts": 1, "v": "a"}, {"id": "1", "ts": 2, "v": "b"}


class TestFirstRow(MergerSuite):
    plugin = "first-row"
    differences = ()
    deletes = False


class TestIgnoringDeletes(MergerSuite):
    plugin = "first-row"
    differences = ()
    options: ClassVar = {"ignore_delete": True}

    @replaces("the option drops deletes, all of them")
    def test_unconditional_delete_removes_the_row(self) -> None:
        stored = {"id": "1", "ts": 5, "v": "a"}
        for mode in ("log", "commits"):
            left = merged("merger", "first-row", [delete("1")], stored=stored, mode=mode, ignore_delete=True)
            assert left == stored


@pytest.mark.parametrize("mode", ["batch", "log", "commits"])
def test_the_first_row_stays(mode: str) -> None:
    """Ordering values have no effect, even if one is missing."""
    assert merged("merger", "first-row", [FIRST, SECOND], mode=mode) == FIRST
    assert merged("merger", "first-row", [SECOND, {**FIRST, "ts": None}], mode=mode) == SECOND
    assert merged("merger", "first-row", [SECOND], stored=FIRST, mode=mode) == FIRST


@pytest.mark.parametrize("history", [[delete("1", 3)], [flagged(SECOND)], [SECOND, delete("1")]])
@pytest.mark.parametrize("stored", [FIRST, None])
def test_deletes_are_refused_with_a_key_and_a_way_out(history: list[dict], stored: dict | None) -> None:
    with pytest.raises(DataError, match=r"1 incoming row is a delete \(keys such as '.'\).*ignore_delete") as refusal:
        merged("merger", "first-row", history, stored=stored)

    assert refusal.value.code == "delete_unsupported"


@pytest.mark.parametrize("mode", ["batch", "log", "commits"])
def test_ignored_deletes_change_nothing(mode: str) -> None:
    history = [delete("1"), FIRST, flagged(SECOND), SECOND]

    assert merged("merger", "first-row", history, mode=mode, ignore_delete=True) == FIRST
    assert merged("merger", "first-row", [delete("1")], stored=FIRST, mode=mode, ignore_delete=True) == FIRST
