"""The payload `postgres-debezium`: the LSN orders the changes, and values that were not logged are kept."""

from typing import Any, ClassVar

import pytest

from hoodoo.errors import DataError
from hoodoo.plugin import RowPayload
from hoodoo.record import BufferedRecord, MergerConfig, RecordContext
from hoodoo.testing import PayloadSuite
from hoodoo.testing.cases import delete, flagged, merged
from hoodoo.testing.differences import DELETE, LATE, SEVERAL
from hoodoo.testing.paths.table_paths import Path
from hoodoo.testing.shared_reasons import CUT, FILLED_LATE, FORGOTTEN, LOGGED, TWO_RULES, UNFLAGGED, on_paths

NAME = "postgres-debezium"
GONE = "__debezium_unavailable_value"
SCHEMA = {
    "id": "string",
    "_event_lsn": "long?",
    "s": "string?",
    "b": "bytes?",
    "n": "int?",
}

DIFFERENCES = (
    *on_paths([Path.BATCH], "payload", "postgres-debezium", [(DELETE, LATE)], FORGOTTEN),
    *on_paths(LOGGED, "payload", "postgres-debezium", [(DELETE, LATE)], UNFLAGGED),
    *on_paths(LOGGED, "payload", "postgres-debezium", [(DELETE,)], CUT),
    *on_paths(LOGGED, "payload", "postgres-debezium", [(LATE,)], FILLED_LATE),
    *on_paths(
        [Path.BATCH],
        "payload",
        "postgres-debezium",
        [(SEVERAL,)],
        f"{TWO_RULES}: a value that was not logged is kept from what is stored, and not from the batch",
    ),
)


def change(lsn: int | None, **values: object) -> dict[str, object]:
    """Return one change of one key."""
    row = {"id": "1", "_event_lsn": lsn, **values}
    return {name: value for name, value in row.items() if value is not None}


def played(*incoming: dict[str, object], stored: dict[str, object] | None = None, **more: Any) -> object:
    """Return the row after changes; by default, the table has no ordering column."""
    return merged("payload", NAME, incoming, stored=stored, **{"schema": SCHEMA, "ordering": "", **more})


def lsn(record: BufferedRecord) -> int | None:
    """Return the LSN, for a key-only delete its ordering value; None if it is missing."""
    found: Any = (record.ordering or (None,))[0] if record.data is None else record.data["_event_lsn"]
    return None if found is None else int(found)


class OneAtATime(RowPayload):
    """Rule of the payload, written for one record at a time."""

    def pre_combine(
        self, older: BufferedRecord, newer: BufferedRecord, context: RecordContext, config: MergerConfig
    ) -> BufferedRecord:
        first, second = lsn(older), lsn(newer)
        return newer if older.data is None or second is None or first is None or second >= first else older

    def combine_and_get_update_value(
        self, stored: BufferedRecord, incoming: BufferedRecord, context: RecordContext, config: MergerConfig
    ) -> BufferedRecord | None:
        first, second = lsn(stored), lsn(incoming)
        if incoming.data is not None and first is not None and second is not None and second < first:
            return None
        if incoming.data is None or incoming.is_delete or stored.data is None:
            return incoming
        kept = {name: stored.data[name] for name, value in incoming.data.items() if value in (GONE, GONE.encode())}
        return incoming.with_data(**kept) if kept else incoming


class TestPostgresDebezium(PayloadSuite):
    plugin = "postgres-debezium"
    differences = DIFFERENCES
    row_form = OneAtATime
    ordering = ("_event_lsn",)
    columns: ClassVar = {"_event_lsn": "long", "s": "string", "b": "bytes", "n": "int"}
    values: ClassVar = {"s": (None, GONE, "a"), "b": (None, b"a", GONE.encode())}


class TestEverythingLogged(TestPostgresDebezium):
    """Contract of a payload for events with all columns; its paths differ only as those of `mysql-debezium` do."""

    values: ClassVar = {"s": (None, "a", "b"), "b": (None, b"a")}
    differences: ClassVar = [d for d in DIFFERENCES if d.when == {DELETE, LATE}]


def test_the_greater_lsn_wins() -> None:
    """This holds in the batch and against storage, in both orders of arrival. A tie replaces the stored row."""
    older, newer = change(9, s="old"), change(10, s="new")

    assert played(older, newer) == played(newer, older) == newer
    assert played(older, stored=newer) == newer
    assert played(newer, stored=older) == newer
    assert played(change(9, s="again"), stored=older) == change(9, s="again")


def test_what_was_not_logged_stays() -> None:
    """The marker in a string or bytes column keeps the stored value; a null replaces the stored value."""
    stored = change(1, s="s", b="b", n=1)

    assert played(change(2, s=GONE, b=GONE, n=2), stored=stored) == change(2, s="s", b="b", n=2)
    assert played(change(2, s=GONE), stored=stored) == change(2, s="s")
    assert played(change(2, s=GONE), stored=change(1)) == change(2)


def test_what_was_not_logged_of_a_new_key_is_written_as_it_came() -> None:
    """The marker of an unavailable value is stored, because no other value exists."""
    assert played(change(2, s=GONE)) == change(2, s=GONE)
    assert played(change(3, s=GONE), stored=change(2, s=GONE)) == change(3, s=GONE)


def test_a_late_row_fills_nothing() -> None:
    """The late row loses, and the stored row does not change."""
    assert played(change(1, s="late"), stored=change(2, s=GONE)) == change(2, s=GONE)


def test_in_one_batch_the_middle_value_is_lost_and_in_two_commits_it_is_not() -> None:
    """Records of one batch do not fill each other."""
    changes = [change(2, s="v1"), change(3, s=GONE)]

    assert played(*changes, stored=change(1, s="v0")) == change(3, s="v0")
    assert played(*changes, stored=change(1, s="v0"), mode="commits") == change(3, s="v1")


def test_deletes_are_compared() -> None:
    """A late delete has no effect, and one with a greater LSN deletes the row."""
    assert played(flagged(change(6, s=GONE)), stored=change(5, s="s")) is None
    assert played(flagged(change(4)), stored=change(5)) == change(5)
    assert played(change(5), flagged(change(4))) == change(5)


def test_a_stored_row_without_lsn_loses_and_fills() -> None:
    """An incoming row replaces a row of a bootstrap, and keeps the stored value for an unavailable one."""
    assert played(change(1, s=GONE), stored={"id": "1", "s": "boot"}) == change(1, s="boot")


def test_an_incoming_row_without_lsn_is_refused_where_there_is_another() -> None:
    """The other row is stored or in the batch; without another row, the row is inserted, as by a bootstrap."""
    lacking = change(None)
    for incoming, stored in (([lacking], change(1)), ([lacking, change(1)], None)):
        with pytest.raises(DataError, match=r"column '_event_lsn'.* is null in 1 .*keys such as '1'") as caught:
            played(*incoming, stored=stored)
        assert caught.value.code == "ordering_null"
    assert played(lacking) == lacking


def test_a_text_is_read_as_a_number_or_refused() -> None:
    """Texts of numbers are compared as numbers (10 is greater than 9); other texts are refused."""
    schema = {**SCHEMA, "_event_lsn": "string?"}
    ninth, tenth = ({**change(1), "_event_lsn": text} for text in ("9", "10"))

    assert played(tenth, ninth, schema=schema) == tenth
    with pytest.raises(DataError, match="cannot be read as numbers"):
        played({**change(1), "_event_lsn": "0/16B3748"}, stored=ninth, schema=schema)


def test_key_only_deletes() -> None:
    """Key-only deletes are applied to storage without a comparison, and compared in a batch if they have an LSN."""
    assert played(delete("1"), stored=change(5)) is None
    assert played(delete("1", 4), stored=change(5), ordering="_event_lsn") is None
    assert played(change(5), delete("1", 4), ordering="_event_lsn") == change(5)
    assert played(change(5), delete("1", 5), ordering="_event_lsn") is None
