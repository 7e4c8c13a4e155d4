"""The payload `partial-update`: the greater ordering value wins, and its nulls are filled from the other record."""

from typing import Any

import pytest

from hoodoo.merge import Rule
from hoodoo.plugin import RowPayload, default_catalogue
from hoodoo.record import BufferedRecord, MergerConfig, RecordContext
from hoodoo.testing import PayloadSuite
from hoodoo.testing.cases import delete, flagged, merged
from hoodoo.testing.differences import DELETE, LATE
from hoodoo.testing.paths.table_paths import History, Path, Tries, play
from hoodoo.testing.shared_reasons import COMPARED, CUT, FILLED_LATE, LOGGED, REGROUPED, on_paths

NAME = "partial-update"
SCHEMA = {"id": "string", "ts": "long?", "name": "string?", "price": "string?"}
STORED = {"id": "1", "ts": 2, "name": "n", "price": "p"}

DIFFERENCES = (
    *on_paths(
        [Path.BATCH], "payload", "partial-update", [(DELETE,)], f"{COMPARED}; and where one loses, its columns fill"
    ),
    *on_paths(LOGGED, "payload", "partial-update", [(DELETE,)], CUT),
    *on_paths(REGROUPED, "payload", "partial-update", [(LATE,)], FILLED_LATE),
)


def filled(winner: BufferedRecord, loser: BufferedRecord, config: MergerConfig) -> BufferedRecord:
    """Return the winner with its nulls filled from the loser, except in ordering columns."""
    assert winner.data is not None
    assert loser.data is not None
    nulls = [name for name, value in winner.data.items() if value is None and name not in config.ordering]
    given = {name: loser.data[name] for name in nulls if loser.data[name] is not None}
    return winner.with_data(**given) if given else winner


class OneAtATime(RowPayload):
    """Rule of the payload, written for one record at a time."""

    def pre_combine(
        self, older: BufferedRecord, newer: BufferedRecord, context: RecordContext, config: MergerConfig
    ) -> BufferedRecord:
        if older.data is None or newer.data is None:
            return newer
        winner, loser = (newer, older) if at_least(newer, older) else (older, newer)
        return winner if winner.is_delete else filled(winner, loser, config)

    def combine_and_get_update_value(
        self, stored: BufferedRecord, incoming: BufferedRecord, context: RecordContext, config: MergerConfig
    ) -> BufferedRecord | None:
        if incoming.is_delete:
            return incoming
        wins = stored.ordering is None or at_least(incoming, stored)
        return filled(incoming, stored, config) if wins else filled(stored, incoming, config)


def at_least(newer: BufferedRecord, older: BufferedRecord) -> bool:
    """Return whether the ordering value of `newer` is at least that of `older`; NaN is the greatest, as in Java."""
    [new], [old] = newer.ordering or (), older.ordering or ()
    return bool(new >= old or new != new)


class TestPartialUpdate(PayloadSuite):
    plugin = "partial-update"
    differences = DIFFERENCES
    row_form = OneAtATime


def result(*incoming: dict[str, Any], stored: dict[str, Any] | None = STORED, **options: Any) -> dict[str, Any] | None:
    """Return the resulting row without its nulls."""
    return merged("payload", NAME, incoming, stored=stored, **{"schema": SCHEMA, **options})


def test_null_means_not_given() -> None:
    """The older value stays: a column cannot be set to null."""
    assert result({"id": "1", "ts": 3, "name": None, "price": "q"}) == {**STORED, "ts": 3, "price": "q"}
    assert result({"id": "1", "ts": 3}) == {**STORED, "ts": 3}


def test_a_tie_goes_to_the_newer_arrival() -> None:
    """This holds in the batch and against storage."""
    tie = {"id": "1", "ts": 2, "price": "q"}

    assert result(tie) == {**STORED, "price": "q"}
    assert result(STORED, tie, stored=None) == {**STORED, "price": "q"}


def test_a_late_record_fills_only_what_the_winner_lacks() -> None:
    """The row keeps the ordering value of the winner."""
    late = {"id": "1", "ts": 1, "name": "late", "price": "late"}

    assert result(late) == STORED
    assert result(late, stored={"id": "1", "ts": 2, "price": "p"}) == {**STORED, "name": "late"}


def test_versions_that_meet_in_another_order_leave_another_row() -> None:
    """In one batch, the late record fills the newest one; in two commits, it loses to the stored row first."""
    late, newest = {"id": "1", "ts": 1, "name": "late"}, {"id": "1", "ts": 3, "price": "q"}

    assert result(late, newest) == {"id": "1", "ts": 3, "name": "late", "price": "q"}
    assert result(late, newest, mode="commits") == {"id": "1", "ts": 3, "name": "n", "price": "q"}


def test_without_ordering_the_incoming_record_is_newer() -> None:
    """No column is compared."""
    assert result({"id": "1", "ts": 1, "name": "m"}, ordering="") == {"id": "1", "ts": 1, "name": "m", "price": "p"}


def test_an_ordering_column_is_never_filled() -> None:
    """A second ordering column taken from the loser would make the row newer than it is."""
    stored, late = {"id": "1", "ts": 2, "name": "n"}, {"id": "1", "ts": 1, "seq": 9, "price": "p"}

    assert result(late, stored=stored, schema={**SCHEMA, "seq": "long?"}, ordering="ts,seq") == STORED


@pytest.mark.parametrize("late", [flagged({**STORED, "ts": 1}), delete("1", 1), delete("1")])
def test_a_late_delete_against_storage_deletes(late: dict[str, Any]) -> None:
    """Deletes are not compared with a stored row."""
    assert result(late) is None


def test_in_the_batch_a_flagged_delete_is_compared() -> None:
    """A flagged delete with the greater ordering value wins; one that loses still fills the winner's nulls."""
    newest = {"id": "1", "ts": 3, "price": "q"}

    assert result(flagged(STORED), {**newest, "ts": 1}, stored=None) is None
    assert result(flagged(STORED), newest, stored=None) == {**newest, "name": "n"}
    assert result(newest, flagged(STORED), stored=None) == {**newest, "name": "n"}


def test_a_key_only_delete_of_the_batch_gives_way_to_the_later_arrival() -> None:
    """A row after a delete is not filled from the delete or from earlier versions."""
    row = {"id": "1", "ts": 1, "price": "q"}

    assert result(STORED, delete("1", 9), row, stored=None) == row
    assert result(STORED, delete("1", 1), stored=None) is None


@pytest.mark.parametrize(("ts", "left"), [(1, None), (3, {**STORED, "ts": 3, "_hoodie_is_deleted": False})])
def test_a_stored_row_that_carries_the_flag_goes_where_it_is_greater(ts: int, left: dict[str, Any] | None) -> None:
    """A bulk insert may leave such a row; a record that wins over it is filled from it."""
    rule = Rule.of_payload(default_catalogue().make("payload", NAME, {}), NAME, MergerConfig(ordering=("ts",)))
    stored, incoming = {**STORED, "_hoodie_is_deleted": True}, {"id": "1", "ts": ts, "_hoodie_is_deleted": False}
    tries = Tries({**SCHEMA, "_hoodie_is_deleted": "boolean?"}, ("ts",), [History(stored, (incoming,))])

    assert play(rule, tries, Path.BATCH) == [left]


def test_meta_columns_are_those_of_the_late_record() -> None:
    """A late record that loses sets the meta columns, if they are among the columns, as in a read of logs."""
    meta = "_hoodie_commit_time"
    late, stored = {"id": "1", "ts": 1, meta: "003"}, {**STORED, meta: "002"}

    assert result(late, stored=stored, schema={**SCHEMA, meta: "string?"}) == {**STORED, meta: "003"}
