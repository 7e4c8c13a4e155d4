"""The payload `event-time-avro`: as `event-time`, without delete markers."""

from typing import ClassVar

import pytest

from hoodoo.errors import OptionError
from hoodoo.plugin import RowPayload
from hoodoo.record import BufferedRecord, MergerConfig, RecordContext
from hoodoo.testing import PayloadSuite
from hoodoo.testing.cases import delete, flagged, merged
from hoodoo.testing.differences import DELETE, LATE
from hoodoo.testing.paths.table_paths import Path
from hoodoo.testing.shared_reasons import COMPARED, LOGGED, UNFLAGGED, on_paths

NAME = "event-time-avro"
OLD, NEW = {"id": "1", "ts": 1, "v": "old"}, {"id": "1", "ts": 2, "v": "new"}

DIFFERENCES = (
    *on_paths([Path.BATCH], "payload", "event-time-avro", [(DELETE, LATE)], COMPARED),
    *on_paths(LOGGED, "payload", "event-time-avro", [(DELETE, LATE)], UNFLAGGED, options={"variant": False}),
    *on_paths(
        LOGGED,
        "payload",
        "event-time-avro",
        [(DELETE, LATE)],
        "any delete is taken, and any row after it; folded together, the row is left, meets what is stored, and loses "
        "to a greater ordering value",
        options={"variant": "delete-first"},
    ),
)


def at_least(newer: BufferedRecord, older: BufferedRecord) -> bool:
    """Return whether the ordering value of `newer` is at least that of `older`; NaN is the greatest, as in Java."""
    [new], [old] = newer.ordering or (), older.ordering or ()
    return bool(new >= old or new != new)


class OneAtATime(RowPayload):
    """Rule of the payload, written for one record at a time."""

    def pre_combine(
        self, older: BufferedRecord, newer: BufferedRecord, context: RecordContext, config: MergerConfig
    ) -> BufferedRecord:
        if older.data is None or (newer.data is None and newer.ordering is None):
            return newer
        return newer if at_least(newer, older) else older

    def combine_and_get_update_value(
        self, stored: BufferedRecord, incoming: BufferedRecord, context: RecordContext, config: MergerConfig
    ) -> BufferedRecord | None:
        if incoming.data is None or stored.ordering is None:
            return incoming
        return incoming if at_least(incoming, stored) else None


class DeleteFirst(OneAtATime):
    """Rule of the variant `delete-first`, written for one record at a time."""

    def combine_and_get_update_value(
        self, stored: BufferedRecord, incoming: BufferedRecord, context: RecordContext, config: MergerConfig
    ) -> BufferedRecord | None:
        if incoming.is_delete:
            return incoming
        return super().combine_and_get_update_value(stored, incoming, context, config)


class TestEventTimeAvro(PayloadSuite):
    plugin = "event-time-avro"
    differences = DIFFERENCES
    row_form = OneAtATime


class TestDeleteFirst(PayloadSuite):
    plugin = "event-time-avro"
    differences = DIFFERENCES
    options: ClassVar = {"variant": "delete-first"}
    row_form = DeleteFirst


@pytest.mark.parametrize("incoming", [[OLD, NEW], [NEW, OLD]])
def test_the_greater_ordering_value_wins(incoming: list[dict[str, object]]) -> None:
    """The greater ordering value wins in the batch, and against a stored row."""
    assert merged("payload", NAME, incoming) == NEW
    assert merged("payload", NAME, incoming[1:], stored=incoming[0]) == NEW


def test_a_tie_goes_to_the_later_arrival() -> None:
    """This holds in the batch and against storage."""
    later = {**NEW, "v": "later"}

    assert merged("payload", NAME, [NEW, later]) == later
    assert merged("payload", NAME, [later], stored=NEW) == later


def test_stored_row_without_ordering_value_loses() -> None:
    """The ordering value is null, or missing in a row of an older schema."""
    assert merged("payload", NAME, [OLD], stored={"id": "1", "ts": None, "v": "x"}) == OLD
    assert merged("payload", NAME, [OLD], stored={"id": "1", "v": "x"}) == OLD


def test_late_flagged_delete_is_ignored_but_by_the_variant() -> None:
    """A late flagged delete loses, except with the variant `delete-first`, the rule of some builds of Hudi."""
    assert merged("payload", NAME, [flagged(OLD)], stored=NEW) == NEW
    assert merged("payload", NAME, [flagged(OLD)], stored=NEW, variant="delete_first") is None


def test_key_only_delete_is_applied_before_anything_is_compared() -> None:
    """A key-only delete without an ordering value, or with an early one, removes the stored row."""
    assert merged("payload", NAME, [delete("1")], stored=NEW) is None
    assert merged("payload", NAME, [delete("1", 1)], stored=NEW) is None


def test_no_other_variants() -> None:
    """The error names the possible values."""
    with pytest.raises(OptionError, match="ordering-first, delete-first"):
        merged("payload", NAME, [NEW], variant="delete_last")
