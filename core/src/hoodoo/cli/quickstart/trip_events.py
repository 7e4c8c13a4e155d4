"""Generated trip events of a taxi company: a first load, a batch of updates, and cancellations.

The same seed and size give the same rows on every machine.

The batch of updates has the cases in which merge rules differ, each in separate trips:

- *updates*: the trip ends, and `ts` is later than the stored one;
- *late*: an older message that arrives after the stored one, with an earlier `ts`;
- *ties*: a correction with the same `ts` as the stored row;
- *new*: trips that are not stored.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from attrs import field, frozen
from numpy.random import Generator, default_rng
from numpy.typing import NDArray

__all__ = ["CITIES", "SCHEMA", "TripEvents", "trip_events"]

CITIES = ("amsterdam", "lisbon", "nairobi", "oslo", "quito", "tokyo")
SCHEMA = pa.schema(
    [
        ("trip_id", pa.string()),
        ("city", pa.string()),
        ("rider", pa.string()),
        ("driver", pa.string()),
        ("status", pa.string()),
        ("fare", pa.decimal128(10, 2)),
        ("distance_km", pa.float64()),
        ("ts", pa.timestamp("us", "UTC")),
    ]
)
MINIMUM_ROWS = 20

_DAY_ZERO = 1_767_225_600_000_000  # 2026-01-01T00:00:00Z, in microseconds
_SPAN = 7 * 24 * 3600
_SECOND = 1_000_000
_CENTS_PER_KM = 145
_ODD = 7_654_321


@frozen
class TripEvents:
    """Batches of trips, each an Arrow table of `SCHEMA`, and the trip ids of `upserts` by kind.

    Attributes:
        first_load: The trips of the first write.
        upserts: The rows of the second write: updates, late records, ties and new trips.
        deletes: The rows of the third write, whose trips are deleted.
        updated: The ids of the trips of `upserts` with a later `ts`.
        late: The ids of the trips with an earlier `ts`.
        tied: The ids of the trips with the same `ts`.
        new: The ids of the trips that are not stored.
    """

    first_load: pa.Table = field(repr=False)
    upserts: pa.Table = field(repr=False)
    deletes: pa.Table = field(repr=False)
    updated: pa.Array = field(repr=False)
    late: pa.Array = field(repr=False)
    tied: pa.Array = field(repr=False)
    new: pa.Array = field(repr=False)


def trip_events(rows: int = 10_000, seed: int = 20_260_101) -> TripEvents:
    """Return the generated events.

    Args:
        rows: The number of trips in the first load, at least 20. The other batches have sizes relative to it: 12 %
            updates, 3 % late, 2 % ties, 5 % new trips, and 4 % deletes, rounded down, but at least one of each.
        seed: The seed of the random generator.

    Returns:
        The batches. `upserts` is shuffled, and has each trip once. `deletes` has trips of the first load that are not
        in `upserts`, with a `ts` later than the stored one.

    Raises:
        ValueError: There are fewer than 20 rows.
    """
    if rows < MINIMUM_ROWS:
        raise ValueError(f"rows is {rows}; the batches need at least {MINIMUM_ROWS} trips")
    random = default_rng(seed)
    updates, late, ties, new, deletes = (max(1, rows * percent // 100) for percent in (12, 3, 2, 5, 4))
    trips = _requested(random, rows + new)
    first, added = trips.slice(0, rows), trips.slice(rows)

    chosen = random.permutation(rows)
    kinds = np.split(chosen[: updates + late + ties + deletes], np.cumsum([updates, late, ties]))
    updated, delayed, tied, removed = (first.take(pa.array(numbers)) for numbers in kinds)
    changed = [
        _moved(_finished(updated, random), _seconds(random, 300, 3600, updates)),
        _moved(_accepted(delayed), -_seconds(random, 30, 900, late)),
        _finished(tied, random),
        added,
    ]
    upserts = pa.concat_tables(changed).combine_chunks()
    return TripEvents(
        first_load=first,
        upserts=upserts.take(pa.array(random.permutation(len(upserts)))),
        deletes=_moved(_replaced(removed, status="cancelled"), _seconds(random, 300, 3600, deletes)),
        updated=_ids(updated),
        late=_ids(delayed),
        tied=_ids(tied),
        new=_ids(added),
    )


def _requested(random: Generator, count: int) -> pa.Table:
    """Return trips that have not ended, each with an estimated fare and distance."""
    # multiples of an odd number modulo a power of two are unique, and unordered like real keys
    ids = np.arange(count, dtype=np.int64) * _ODD % 2**40
    kilometres = np.round(random.gamma(2.0, 4.0, count) + 0.5, 2)
    cents = 250 + (kilometres * _CENTS_PER_KM).astype(np.int64)
    columns = [
        _named("trip-", ids, 13),
        _chosen(CITIES, random.integers(0, len(CITIES), count)),
        _named("rider-", random.integers(0, max(10, count // 3), count), 7),
        _named("driver-", random.integers(0, max(5, count // 20), count), 6),
        _chosen(("requested", "accepted", "riding"), random.choice(3, count, p=[0.2, 0.2, 0.6])),
        _money(cents),
        pa.array(kilometres),
        pa.array(_DAY_ZERO + _seconds(random, 900, _SPAN, count)).cast(pa.timestamp("us", "UTC")),
    ]
    return pa.table(columns, schema=SCHEMA)


def _finished(trips: pa.Table, random: Generator) -> pa.Table:
    """Return the trips as completed, each with its actual distance and the fare of that distance."""
    kilometres = np.round(trips["distance_km"].to_numpy() * random.uniform(0.9, 1.4, len(trips)), 2)
    # 290 and not the 250 of the estimate, so that the row differs even if the distance is as planned
    fare = _money(290 + (kilometres * _CENTS_PER_KM).astype(np.int64))
    return _replaced(trips, status="completed", distance_km=kilometres, fare=fare)


def _accepted(trips: pa.Table) -> pa.Table:
    """Return the trips in an earlier state: accepted, with the distance 0 and the base fee."""
    base_fee = _money(np.full(len(trips), 250, dtype=np.int64))
    return _replaced(trips, status="accepted", distance_km=np.zeros(len(trips)), fare=base_fee)


def _moved(trips: pa.Table, microseconds: NDArray[np.int64]) -> pa.Table:
    moved = trips["ts"].to_numpy().astype("datetime64[us]") + microseconds.astype("timedelta64[us]")
    return _replaced(trips, ts=pa.array(moved).cast(SCHEMA.field("ts").type))


def _replaced(trips: pa.Table, **columns: pa.Array | NDArray[np.float64] | str) -> pa.Table:
    """Return the trips with other columns. A string becomes a column with this value in all rows."""
    for name, values in columns.items():
        column = pa.repeat(values, len(trips)) if isinstance(values, str) else pa.array(values)
        trips = trips.set_column(trips.column_names.index(name), SCHEMA.field(name), column)
    return trips


def _seconds(random: Generator, low: int, high: int, count: int) -> NDArray[np.int64]:
    """Return `count` random durations in microseconds: whole seconds from `low` seconds up to `high`, exclusive."""
    return random.integers(low, high, count, dtype=np.int64) * _SECOND


def _money(cents: NDArray[np.int64]) -> pa.Array:
    whole = pa.array(cents).cast(pa.decimal128(19, 0))
    return pc.multiply(whole, pa.scalar(Decimal("0.01"))).cast(SCHEMA.field("fare").type)


def _named(prefix: str, numbers: NDArray[np.int64], digits: int) -> pa.Array:
    padded = pc.utf8_lpad(pa.array(numbers).cast(pa.string()), digits, "0")
    return pc.binary_join_element_wise(prefix, padded, "")


def _chosen(values: Sequence[str], numbers: NDArray[np.int64]) -> pa.Array:
    return pa.array(values).take(pa.array(numbers))


def _ids(trips: pa.Table) -> pa.Array:
    return trips["trip_id"].combine_chunks()
