"""The merger `commit-time`: the later arrival wins, regardless of ordering values."""

from hoodoo.plugin import RowMerger
from hoodoo.record import BufferedRecord, MergerConfig, RecordContext
from hoodoo.testing import MergerSuite
from hoodoo.testing.cases import delete, merged


class Newest(RowMerger):
    """Rule of the merger, written for one record at a time."""

    def merge(
        self, older: BufferedRecord, newer: BufferedRecord, context: RecordContext, config: MergerConfig
    ) -> BufferedRecord:
        return newer


class TestCommitTime(MergerSuite):
    plugin = "commit-time"
    differences = ()
    row_form = Newest


def test_a_late_record_wins() -> None:
    """An older ordering value that arrives later replaces a newer one."""
    stored, late = {"id": "1", "ts": 9, "v": "a"}, {"id": "1", "ts": 1, "v": "b"}

    assert merged("merger", "commit-time", [late], stored=stored) == late


def test_null_ordering_is_accepted() -> None:
    """A null is accepted, because ordering values are not compared."""
    assert merged("merger", "commit-time", [{"id": "1", "ts": None, "v": "a"}]) == {"id": "1", "v": "a"}


def test_delete_then_insert_in_one_batch() -> None:
    """A row that arrives after a delete is stored, and a delete that arrives after a row deletes it."""
    row = {"id": "1", "ts": 1, "v": "b"}

    assert merged("merger", "commit-time", [delete("1"), row], stored={"id": "1", "ts": 5, "v": "a"}) == row
    assert merged("merger", "commit-time", [row, delete("1")], stored={"id": "1", "ts": 5, "v": "a"}) is None
