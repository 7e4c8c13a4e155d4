"""The merger `null-partial`: the last value of each column that is not null."""

from typing import ClassVar

import pytest

from hoodoo.errors import DataError, OptionError
from hoodoo.plugin import default_catalogue
from hoodoo.record import Law
from hoodoo.testing import MergerSuite
from hoodoo.testing.cases import delete, flagged, merged, tombstone
from hoodoo.testing.differences import DELETE
from hoodoo.testing.shared_reasons import CUT, REGROUPED, on_paths

SCHEMA = {"id": "string", "a": "double?", "b": "int?", "c": "array<string>", "m": "map<string,int>"}
ROWS = [{"id": "1", "a": 1.0, "b": 1, "c": ["x"]}, {"id": "1", "a": 2.0, "m": {"k": 1}}, {"id": "1", "b": 0, "c": []}]
LAST = {"id": "1", "a": 2.0, "b": 0, "c": [], "m": {"k": 1}}

DIFFERENCES = (*on_paths(REGROUPED, "merger", "null-partial", [(DELETE,)], CUT, options={"remove_on_delete": True}),)


class TestNullPartial(MergerSuite):
    plugin = "null-partial"
    differences = DIFFERENCES
    ordering = ()
    deletes = False


class TestRemovingOnDelete(MergerSuite):
    plugin = "null-partial"
    differences = DIFFERENCES
    options: ClassVar = {"remove_on_delete": True}
    ordering = ()


@pytest.mark.parametrize("mode", ["batch", "log", "commits"])
def test_every_column_keeps_its_last_value(mode: str) -> None:
    """An empty list is a value."""
    assert merged("merger", "null-partial", ROWS, mode=mode, schema=SCHEMA, ordering="") == LAST
    assert merged("merger", "null-partial", ROWS[1:], stored=ROWS[0], mode=mode, schema=SCHEMA, ordering="") == LAST


@pytest.mark.parametrize("mode", ["batch", "log", "commits"])
def test_arrival_decides_and_not_the_ordering_value(mode: str) -> None:
    late = {"id": "1", "ts": 1, "v": None}

    assert merged("merger", "null-partial", [{"id": "1", "ts": 9, "v": "a"}, late], mode=mode) == {**late, "v": "a"}
    assert merged("merger", "null-partial", [late, {"id": "1", "ts": None, "v": "a"}], mode=mode) == {**late, "v": "a"}


@pytest.mark.parametrize("history", [[delete("1", 3)], [flagged(ROWS[1])], [ROWS[1], delete("1")]])
@pytest.mark.parametrize("stored", [ROWS[0], None])
def test_deletes_are_refused_with_a_key_and_a_way_out(history: list[dict], stored: dict | None) -> None:
    with pytest.raises(
        DataError, match=r"1 incoming row is a delete \(keys such as '.'\).*remove_on_delete"
    ) as refusal:
        merged("merger", "null-partial", history, stored=stored, schema=SCHEMA, ordering="")

    assert refusal.value.code == "delete_unsupported"


@pytest.mark.parametrize("mode", ["batch", "log", "commits"])
def test_a_removed_row_starts_afresh(mode: str) -> None:
    options: ClassVar = {"mode": mode, "schema": SCHEMA, "ordering": "", "remove_on_delete": True}

    for gone in (delete("1"), flagged({"id": "1", "b": 7})):
        assert merged("merger", "null-partial", [gone], stored=ROWS[0], **options) is None
        assert merged("merger", "null-partial", [ROWS[0], gone, ROWS[2]], **options) == ROWS[2]
    assert tombstone("merger", "null-partial", [flagged({"id": "1", "ts": 1})], stored=None) == [1]


@pytest.mark.parametrize("mode", ["batch", "log", "commits"])
def test_ignored_deletes_change_nothing(mode: str) -> None:
    history = [flagged({"id": "1", "a": 9.0}), ROWS[0], delete("1"), *ROWS[1:], flagged({"id": "1", "b": 9})]

    assert merged("merger", "null-partial", history, mode=mode, schema=SCHEMA, ordering="", ignore_delete=True) == LAST


def test_removal_is_not_associative_and_does_not_claim_to_be() -> None:
    plain, removing = (default_catalogue().make("merger", "null-partial", o) for o in ({}, {"remove_on_delete": True}))

    assert plain.laws - removing.laws == {Law.ASSOCIATIVE}


def test_options_that_contradict_each_other_are_refused() -> None:
    with pytest.raises(OptionError, match="ignore_delete and remove_on_delete contradict each other"):
        default_catalogue().make("merger", "null-partial", {"ignore_delete": True, "remove_on_delete": True})
