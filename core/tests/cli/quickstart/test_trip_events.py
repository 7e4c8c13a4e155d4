"""The trip events of the quickstart: the rows of each batch, and the trip ids of each kind of upsert."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from hoodoo.cli.quickstart.trip_events import SCHEMA, TripEvents, trip_events

ROWS = 3_000


@pytest.fixture(scope="module")
def events() -> TripEvents:
    return trip_events(ROWS)


def keyed(table: pa.Table) -> dict[str, dict[str, object]]:
    return {row["trip_id"]: row for row in table.to_pylist()}


def test_the_same_seed_gives_the_same_rows_and_another_seed_others(events: TripEvents) -> None:
    again = trip_events(ROWS)
    assert again.first_load.equals(events.first_load)
    assert again.upserts.equals(events.upserts)
    assert again.deletes.equals(events.deletes)
    assert not trip_events(ROWS, seed=1).first_load.equals(events.first_load)


def test_every_batch_has_the_schema_and_no_null_and_each_trip_once(events: TripEvents) -> None:
    for batch in (events.first_load, events.upserts, events.deletes):
        assert batch.schema == SCHEMA
        batch.validate(full=True)
        assert all(column.null_count == 0 for column in batch.columns)
        assert pc.count_distinct(batch["trip_id"]).as_py() == len(batch)


def test_the_kinds_of_upserts_share_no_trip_and_together_are_the_batch(events: TripEvents) -> None:
    kinds = [events.updated, events.late, events.tied, events.new]
    assert [len(kind) for kind in kinds] == [360, 90, 60, 150]
    assert sorted(pa.concat_arrays(kinds).to_pylist()) == sorted(events.upserts["trip_id"].to_pylist())


def test_updates_are_later_late_ones_earlier_ties_equal_and_new_trips_unknown(events: TripEvents) -> None:
    stored, incoming = keyed(events.first_load), keyed(events.upserts)
    for name in events.updated.to_pylist():
        assert incoming[name]["ts"] > stored[name]["ts"]  # type: ignore[operator]
    for name in events.late.to_pylist():
        assert incoming[name]["ts"] < stored[name]["ts"]  # type: ignore[operator]
    for name in events.tied.to_pylist():
        assert incoming[name]["ts"] == stored[name]["ts"]
    assert not any(name in stored for name in events.new.to_pylist())


def test_the_fare_shows_which_version_won(events: TripEvents) -> None:
    stored, incoming = keyed(events.first_load), keyed(events.upserts)
    for kind in (events.late, events.tied):
        assert all(stored[name]["fare"] != incoming[name]["fare"] for name in kind.to_pylist())


def test_a_trip_stays_in_its_city(events: TripEvents) -> None:
    stored = keyed(events.first_load)
    for batch in (events.upserts, events.deletes):
        assert all(stored[name]["city"] == row["city"] for name, row in keyed(batch).items() if name in stored)


def test_deletes_are_of_stored_trips_that_the_upserts_leave_alone(events: TripEvents) -> None:
    stored, deletes = keyed(events.first_load), keyed(events.deletes)
    assert len(deletes) == 120
    assert not deletes.keys() & keyed(events.upserts).keys()
    assert all(row["ts"] > stored[name]["ts"] for name, row in deletes.items())  # type: ignore[operator]


@pytest.mark.parametrize("rows", [20, 100])
def test_a_small_load_has_every_kind(rows: int) -> None:
    events = trip_events(rows)
    assert len(events.first_load) == rows
    assert min(len(kind) for kind in (events.updated, events.late, events.tied, events.new, events.deletes)) >= 1


def test_too_few_rows_are_refused() -> None:
    with pytest.raises(ValueError, match="rows is 19"):
        trip_events(19)
