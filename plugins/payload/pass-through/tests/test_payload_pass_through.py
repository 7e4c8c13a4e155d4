"""The payload `pass-through`: every incoming version is written."""

from hoodoo.plugin import RowPayload
from hoodoo.record import BufferedRecord, MergerConfig, RecordContext
from hoodoo.testing import PayloadSuite
from hoodoo.testing.cases import delete, merged

NAME = "pass-through"
OLD, NEW = {"id": "1", "ts": 1, "v": "old"}, {"id": "1", "ts": 2, "v": "new"}


class OneAtATime(RowPayload):
    """Rule of the payload, written for one record at a time."""

    def uses_ordering(self, config: MergerConfig) -> bool:
        return False

    def pre_combine(
        self, older: BufferedRecord, newer: BufferedRecord, context: RecordContext, config: MergerConfig
    ) -> BufferedRecord:
        return newer

    def combine_and_get_update_value(
        self, stored: BufferedRecord, incoming: BufferedRecord, context: RecordContext, config: MergerConfig
    ) -> BufferedRecord | None:
        return incoming


class TestPassThrough(PayloadSuite):
    plugin = "pass-through"
    differences = ()
    row_form = OneAtATime


def test_the_later_arrival_wins_in_the_batch_and_against_storage() -> None:
    """Ordering values are not compared, and may be null."""
    unordered = {"id": "1", "v": "a"}

    assert merged("payload", NAME, [NEW, OLD]) == OLD
    assert merged("payload", NAME, [OLD], stored=NEW) == OLD
    assert merged("payload", NAME, [unordered], stored=NEW) == unordered


def test_delete_flags_are_data() -> None:
    """The flag is stored like other columns, also for a new key."""
    row = {**NEW, "_hoodie_is_deleted": True}

    assert merged("payload", NAME, [row], stored=OLD) == row
    assert merged("payload", NAME, [row]) == row


def test_a_key_only_delete_deletes() -> None:
    """The delete is applied with and without an ordering value, and later versions are inserted."""
    assert merged("payload", NAME, [delete("1")], stored=NEW) is None
    assert merged("payload", NAME, [delete("1", 0)], stored=NEW) is None
    assert merged("payload", NAME, [delete("1", 5), OLD], stored=NEW, mode="commits") == OLD
