"""Ordering values of type double and float: NaN, zeros with and without a sign, and infinity."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pyarrow as pa

from tests.interop.story import Story, Write

from .common import COW, EVENT_TIME, MOR, PARQUET_LOGS, version

__all__ = ["floats"]

VALUES = {"nan": float("nan"), "-0": -0.0, "0": 0.0, "-1": -1.0, "inf": float("inf")}


def _steps(type_: pa.DataType) -> list[Write]:
    """Return three batches, with two keys for each triple of ordering values; the second batch deletes one of them."""
    found = []
    triples = list(itertools.product(VALUES, repeat=3))
    for number in range(3):
        keys = [f"{kind} {' '.join(names)}" for kind in ("live", "deleted") for names in triples]
        times = [VALUES[names[number]] for names in triples] * 2
        flags = [kind == "deleted" and number == 1 for kind in ("live", "deleted") for _ in triples]
        columns = {"id": keys, "part": ["x"] * len(keys), "ts": pa.array(times, type_)}
        found.append(Write(pa.table({**columns, "v": [number] * len(keys), "_hoodie_is_deleted": flags})))
    return found


def floats() -> Iterator[Story]:
    """Yield tables that order by a column of doubles, or of floats."""
    for number in (6, 9):
        for name, type_ in (("double", pa.float64()), ("float", pa.float32())):
            options = {**version(number), **EVENT_TIME}
            steps = _steps(type_)
            # the same key twice in a batch, in both orders
            steps[0] = Write(pa.concat_tables([_pairs(type_), steps[0].rows]))
            yield Story(f"cow{number}-{name}-ordering", {**COW, **options}, steps)
            yield Story(f"mor{number}-{name}-ordering", {**MOR, **options}, steps)
        options = {**MOR, **PARQUET_LOGS, **version(number), **EVENT_TIME}
        yield Story(f"mor{number}-double-ordering-parquet", options, _steps(pa.float64()))


def _pairs(type_: pa.DataType) -> pa.Table:
    pairs = list(itertools.product(VALUES, repeat=2))
    keys = [" ".join(names) for names in pairs] * 2
    times = [VALUES[names[place]] for place in (0, 1) for names in pairs]
    values = [place for place in (0, 1) for _ in pairs]
    columns = {"id": keys, "part": ["x"] * len(keys), "ts": pa.array(times, type_)}
    return pa.table({**columns, "v": values, "_hoodie_is_deleted": [False] * len(keys)})
