"""The payload `event-time`: the greater ordering value wins in the batch and against storage."""

import pytest

from hoodoo.errors import DataError
from hoodoo.plugin import RowPayload
from hoodoo.record import BufferedRecord, MergerConfig, RecordContext
from hoodoo.testing import PayloadSuite
from hoodoo.testing.cases import delete, flagged, merged
from hoodoo.testing.differences import DELETE, LATE
from hoodoo.testing.paths.table_paths import Path
from hoodoo.testing.shared_reasons import COMPARED, LOGGED, UNFLAGGED, on_paths

NAME = "event-time"
OLD, NEW = {"id": "1", "ts": 1, "v": "old"}, {"id": "1", "ts": 2, "v": "new"}

DIFFERENCES = (
    *on_paths([Path.BATCH], "payload", "event-time", [(DELETE, LATE)], COMPARED),
    *on_paths(LOGGED, "payload", "event-time", [(DELETE, LATE)], UNFLAGGED),
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


class TestEventTime(PayloadSuite):
    plugin = "event-time"
    differences = DIFFERENCES
    row_form = OneAtATime


@pytest.mark.parametrize("incoming", [[OLD, NEW], [NEW, OLD]])
def test_in_the_batch_the_greater_ordering_value_wins(incoming: list[dict[str, object]]) -> None:
    """The order of arrival does not matter."""
    assert merged("payload", NAME, incoming) == NEW


def test_against_storage_a_newer_stored_row_stays() -> None:
    """This is the difference from `overwrite-with-latest`."""
    assert merged("payload", NAME, [OLD], stored=NEW) == NEW


def test_against_storage_a_tie_goes_to_the_incoming_record() -> None:
    """The incoming record wins if ordering values are equal."""
    later = {**NEW, "v": "later"}

    assert merged("payload", NAME, [later], stored=NEW) == later


def test_stored_ordering_null_loses() -> None:
    """The incoming record wins over a stored null."""
    assert merged("payload", NAME, [OLD], stored={"id": "1", "ts": None, "v": "x"}) == OLD


def test_stored_ordering_column_missing_loses() -> None:
    """The incoming record wins over a row of an older schema."""
    assert merged("payload", NAME, [OLD], stored={"id": "1", "v": "x"}) == OLD


def test_incoming_null_ordering_is_refused() -> None:
    """The error names the column."""
    with pytest.raises(DataError, match="ordering column 'ts' is null"):
        merged("payload", NAME, [{"id": "1", "ts": None, "v": "a"}], stored=NEW)


def test_nested_ordering_column() -> None:
    """A dotted path refers to a field of a struct."""
    older, newer = ({"id": "1", "m": {"ts": ts}} for ts in (1, 2))

    assert merged("payload", NAME, [older], stored=newer, schema={"id": "string", "m": "any"}, ordering="m.ts") == newer


def test_payload_ordering_is_compared_against_storage_and_ordering_in_the_batch() -> None:
    """The batch is compared by `ts`, and storage by `seq`."""
    schema = {"id": "string", "ts": "long", "seq": "long"}
    config = {"hoodie.payload.ordering.field": "seq"}
    first, second = {"id": "1", "ts": 2, "seq": 1}, {"id": "1", "ts": 1, "seq": 9}

    assert merged("payload", NAME, [first, second], schema=schema, **config) == first
    stored = {"id": "1", "ts": 0, "seq": 5}
    assert merged("payload", NAME, [first, second], stored=stored, schema=schema, **config) == stored
    assert merged("payload", NAME, [second], stored=stored, schema=schema, **config) == second


def test_payload_ordering_the_same_as_ordering_changes_nothing() -> None:
    assert merged("payload", NAME, [OLD], stored=NEW, **{"hoodie.payload.ordering.field": "ts"}) == NEW


def test_late_flagged_delete_is_ignored_and_a_newer_one_deletes() -> None:
    """A flagged row has an ordering value and is compared by it."""
    assert merged("payload", NAME, [flagged(OLD)], stored=NEW) == NEW
    assert merged("payload", NAME, [flagged(NEW)], stored=OLD) is None


def test_key_only_delete_is_applied_before_anything_is_compared() -> None:
    """A key-only delete without an ordering value, or with an early one, removes the stored row."""
    assert merged("payload", NAME, [delete("1")], stored=NEW) is None
    assert merged("payload", NAME, [delete("1", 1)], stored=NEW) is None


def test_late_update_after_a_delete_comes_back() -> None:
    """A late row is stored after a delete, because copy-on-write storage keeps no tombstone."""
    late = {"id": "1", "ts": 0, "v": "late"}

    assert merged("payload", NAME, [NEW, flagged({**NEW, "ts": 3}), late], mode="commits") == late
