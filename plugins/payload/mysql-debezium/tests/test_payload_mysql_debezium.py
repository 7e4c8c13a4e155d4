"""The payload `mysql-debezium`: binlog file and position order the changes."""

from typing import Any, ClassVar

import pytest

from hoodoo.errors import DataError
from hoodoo.plugin import RowPayload
from hoodoo.record import BufferedRecord, MergerConfig, RecordContext
from hoodoo.testing import PayloadSuite
from hoodoo.testing.cases import delete, flagged, merged
from hoodoo.testing.differences import DELETE, LATE
from hoodoo.testing.paths.table_paths import Path
from hoodoo.testing.shared_reasons import FORGOTTEN, LOGGED, UNFLAGGED, on_paths

NAME = "mysql-debezium"
SCHEMA = {"id": "string", "_event_seq": "string?", "v": "string?"}

DIFFERENCES = (
    *on_paths([Path.BATCH], "payload", "mysql-debezium", [(DELETE, LATE)], FORGOTTEN),
    *on_paths(LOGGED, "payload", "mysql-debezium", [(DELETE, LATE)], UNFLAGGED),
)


def change(sequence: str | None, value: str = "x") -> dict[str, object]:
    """Return one change of one key."""
    row = {"id": "1", "_event_seq": sequence, "v": value}
    return {name: value for name, value in row.items() if value is not None}


def played(*incoming: dict[str, object], stored: dict[str, object] | None = None, **more: Any) -> object:
    """Return the row after changes; by default, the table has no ordering column."""
    return merged("payload", NAME, incoming, stored=stored, **{"schema": SCHEMA, "ordering": "", **more})


def sequence(record: BufferedRecord) -> tuple[int, int] | None:
    """Return file and position, for a key-only delete from its ordering value; None if they are missing."""
    text = (record.ordering or (None,))[0] if record.data is None else record.data["_event_seq"]
    if text is None:
        return None
    file, position = text.split(".")[:2]
    return int(file), int(position)


class OneAtATime(RowPayload):
    """Rule of the payload, written for one record at a time."""

    def pre_combine(
        self, older: BufferedRecord, newer: BufferedRecord, context: RecordContext, config: MergerConfig
    ) -> BufferedRecord:
        first, second = sequence(older), sequence(newer)
        return newer if older.data is None or second is None or first is None or second >= first else older

    def combine_and_get_update_value(
        self, stored: BufferedRecord, incoming: BufferedRecord, context: RecordContext, config: MergerConfig
    ) -> BufferedRecord | None:
        first, second = sequence(stored), sequence(incoming)
        return incoming if incoming.data is None or second is None or first is None or second >= first else None


class TestMySqlDebezium(PayloadSuite):
    """Contract of a payload. Its sequences have the same order as texts, which the kit compares, and as numbers."""

    plugin = "mysql-debezium"
    differences = DIFFERENCES
    row_form = OneAtATime
    ordering = ("_event_seq",)
    columns: ClassVar = {"_event_seq": "string", "v": "string"}
    values: ClassVar = {"_event_seq": ("00001.100", "00001.200", "00002.100")}


@pytest.mark.parametrize(
    ("low", "high"),
    [
        ("1.9", "1.10"),
        ("2.9", "10.1"),
        ("00001.9", "1.10"),
        ("000009.5", "00010.5"),
        ("1.999999999", "1.4294967296"),
        ("0.0", "0.1"),
        ("3.7.9", "3.8.0"),
    ],
)
def test_files_and_positions_are_compared_as_numbers(low: str, high: str) -> None:
    """This holds in the batch and against storage, in both orders of arrival."""
    older, newer = change(low, "low"), change(high, "high")

    assert played(older, newer) == played(newer, older) == newer
    assert played(older, stored=newer) == newer
    assert played(newer, stored=older) == newer
    assert played(older, newer, mode="commits") == played(newer, older, mode="commits") == newer


def test_a_tie_goes_to_the_later_arrival() -> None:
    """Equal numbers may have different spellings."""
    first, second = change("1.5", "first"), change("001.05", "second")

    assert played(first, second) == second
    assert played(second, stored=first) == second


def test_deletes_are_compared() -> None:
    """A late delete has no effect, and one with an equal or greater sequence deletes the row."""
    assert played(flagged(change("1.6")), stored=change("1.5")) is None
    assert played(flagged(change("1.5")), stored=change("1.5")) is None
    assert played(flagged(change("1.4")), stored=change("1.5")) == change("1.5")
    assert played(change("1.5"), flagged(change("1.4"))) == change("1.5")
    assert played(flagged(change("1.6"))) is None


def test_a_stored_row_without_sequence_loses() -> None:
    """An incoming row replaces a row of a bootstrap, which has no sequence."""
    assert played(change("1.1"), stored={"id": "1", "v": "boot"}) == change("1.1")


def test_an_incoming_row_without_sequence_is_refused_where_there_is_another() -> None:
    """The other row is stored or in the batch; without another row, the row is inserted, as by a bootstrap."""
    lacking = change(None)
    for incoming, stored in (([lacking], change("1.1")), ([lacking, change("1.1")], None), ([lacking] * 2, None)):
        with pytest.raises(DataError, match=r"column '_event_seq'.* is null in 1 .*keys such as '1'") as caught:
            played(*incoming, stored=stored)
        assert caught.value.code == "ordering_null"
    assert played(lacking) == lacking


@pytest.mark.parametrize("text", ["5", "binlog.5", "1.", ".5", "1.x", "-1.5", "1.99999999999999999999"])
def test_what_is_no_sequence_is_refused(text: str) -> None:
    """The error shows the value."""
    with pytest.raises(DataError, match=f"is not 'file.position' in 1 row .*'{text}'"):
        played(change(text), stored=change("1.1"))


def test_other_ordering_columns_of_the_table_do_not_count() -> None:
    """The payload compares only its own column; an ordering column of the table may be null."""
    schema = {**SCHEMA, "ts": "long?"}
    older, newer = {**change("1.1"), "ts": 9}, {**change("1.2"), "ts": None}

    expected = {name: value for name, value in newer.items() if value is not None}
    assert played(newer, older, schema=schema, ordering="ts") == expected
    assert played(older, stored=newer, schema=schema, ordering="ts") == expected


def test_key_only_deletes() -> None:
    """Key-only deletes are applied to storage without a comparison, and compared in a batch if they have a sequence."""
    assert played(delete("1"), stored=change("1.5")) is None
    assert played(delete("1", "1.9"), stored=change("1.10"), ordering="_event_seq") is None
    assert played(change("1.9"), delete("1", "1.10"), ordering="_event_seq") is None
    assert played(change("1.10"), delete("1", "1.9"), ordering="_event_seq") == change("1.10")
    assert played(change("1.10"), delete("1")) is None
    stored, schema = {**change("1.5"), "ts": 9}, {**SCHEMA, "ts": "long"}
    assert played(delete("1", 5), stored=stored, schema=schema, ordering="ts") is None
    assert played(delete("1", "9.9"), change("1.1"), ordering="_event_seq") == change("1.1")
