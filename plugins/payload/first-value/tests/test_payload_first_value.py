"""The payload `first-value`: the greater ordering value wins, and among equal ones the first."""

import pytest

from hoodoo.plugin import RowPayload
from hoodoo.record import BufferedRecord, MergerConfig, RecordContext
from hoodoo.testing import PayloadSuite
from hoodoo.testing.cases import delete, flagged, merged
from hoodoo.testing.differences import DELETE, LATE, TIE
from hoodoo.testing.paths.table_paths import Path
from hoodoo.testing.shared_reasons import COMPARED, LOGGED, UNFLAGGED, on_paths

NAME = "first-value"
OLD, NEW = {"id": "1", "ts": 1, "v": "old"}, {"id": "1", "ts": 2, "v": "new"}

DIFFERENCES = (
    *on_paths([Path.BATCH], "payload", "first-value", [(DELETE, LATE), (DELETE, TIE)], COMPARED),
    *on_paths(LOGGED, "payload", "first-value", [(DELETE, LATE), (DELETE, TIE)], UNFLAGGED),
)


def greater(newer: BufferedRecord, older: BufferedRecord) -> bool:
    """Return whether the ordering value of `newer` exceeds that of `older`; NaN is the greatest, as in Java."""
    [new], [old] = newer.ordering or (), older.ordering or ()
    return bool(new > old or (new != new and old == old))


class OneAtATime(RowPayload):
    """Rule of the payload, written for one record at a time."""

    def pre_combine(
        self, older: BufferedRecord, newer: BufferedRecord, context: RecordContext, config: MergerConfig
    ) -> BufferedRecord:
        if older.data is None or (newer.data is None and newer.ordering is None):
            return newer
        return newer if greater(newer, older) else older

    def combine_and_get_update_value(
        self, stored: BufferedRecord, incoming: BufferedRecord, context: RecordContext, config: MergerConfig
    ) -> BufferedRecord | None:
        if incoming.data is None or stored.ordering is None:
            return incoming
        return incoming if greater(incoming, stored) else None


class TestFirstValue(PayloadSuite):
    plugin = "first-value"
    differences = DIFFERENCES
    row_form = OneAtATime


@pytest.mark.parametrize("incoming", [[OLD, NEW], [NEW, OLD]])
def test_a_greater_ordering_value_wins_though_it_is_not_the_first(incoming: list[dict[str, object]]) -> None:
    """This is the difference from a rule that keeps the first row."""
    assert merged("payload", NAME, incoming) == NEW


def test_in_the_batch_a_tie_goes_to_the_first_arrival() -> None:
    """The first of the rows with the greatest value remains."""
    later = {**NEW, "v": "later"}

    assert merged("payload", NAME, [OLD, NEW, later]) == NEW


def test_against_storage_a_tie_leaves_the_stored_row() -> None:
    """A flagged delete with an equal ordering value is ignored too; one with a greater value deletes the row."""
    assert merged("payload", NAME, [{**NEW, "v": "later"}], stored=NEW) == NEW
    assert merged("payload", NAME, [flagged(NEW)], stored=NEW) == NEW
    assert merged("payload", NAME, [flagged(NEW)], stored=OLD) is None


def test_stored_row_without_ordering_value_loses() -> None:
    """The ordering value is null, or missing in a row of an older schema."""
    assert merged("payload", NAME, [OLD], stored={"id": "1", "ts": None, "v": "x"}) == OLD
    assert merged("payload", NAME, [OLD], stored={"id": "1", "v": "x"}) == OLD


def test_key_only_delete_is_applied_before_anything_is_compared() -> None:
    """A key-only delete without an ordering value, or with an early one, removes the stored row."""
    assert merged("payload", NAME, [delete("1")], stored=NEW) is None
    assert merged("payload", NAME, [delete("1", 1)], stored=NEW) is None
