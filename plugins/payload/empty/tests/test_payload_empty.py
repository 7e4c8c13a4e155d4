"""The payload `empty`: every record is a delete."""

from hoodoo.plugin import RowPayload
from hoodoo.record import BufferedRecord, MergerConfig, RecordContext
from hoodoo.testing import PayloadSuite
from hoodoo.testing.cases import delete, flagged, merged

NAME = "empty"
OLD, NEW = {"id": "1", "ts": 1, "v": "old"}, {"id": "1", "ts": 2, "v": "new"}


class OneAtATime(RowPayload):
    """Rule of the payload, written for one record at a time."""

    def uses_ordering(self, config: MergerConfig) -> bool:
        return False

    def pre_combine(
        self, older: BufferedRecord, newer: BufferedRecord, context: RecordContext, config: MergerConfig
    ) -> BufferedRecord:
        return older

    def combine_and_get_update_value(
        self, stored: BufferedRecord, incoming: BufferedRecord, context: RecordContext, config: MergerConfig
    ) -> BufferedRecord | None:
        return incoming.as_delete()

    def get_insert_value(
        self, incoming: BufferedRecord, context: RecordContext, config: MergerConfig
    ) -> BufferedRecord | None:
        return None


class TestEmpty(PayloadSuite):
    plugin = "empty"
    differences = ()
    row_form = OneAtATime


def test_a_late_record_deletes() -> None:
    """A record deletes even a newer stored row, because ordering values are not compared."""
    assert merged("payload", NAME, [OLD], stored=NEW) is None


def test_deletes_of_all_kinds_delete() -> None:
    """A flagged row and a key-only delete both remove the stored row."""
    assert merged("payload", NAME, [flagged(NEW)], stored=OLD) is None
    assert merged("payload", NAME, [delete("1")], stored=OLD) is None


def test_nothing_is_written_for_a_new_key() -> None:
    """A key that was deleted before is a new key."""
    assert merged("payload", NAME, [OLD, NEW]) is None
    assert merged("payload", NAME, [OLD, NEW], stored=OLD, mode="commits") is None
