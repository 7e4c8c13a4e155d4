"""Deletes by flag, by marker and by operation, with greater, equal and smaller ordering values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pyarrow as pa

from tests.interop.rows import PLAIN, batch, plain_batch
from tests.interop.story import Story, Write

from .common import COW, EVENT_TIME, MOR, OVERWRITE, version

__all__ = ["deletes"]


def deletes() -> Iterator[Story]:
    """Yield stories of deletes by flag, by marker and by operation, with all relations of ordering values."""
    flagged = pa.schema([*PLAIN, ("_hoodie_is_deleted", pa.bool_())])

    def rows(ids: Sequence[str], ts: int, flag: bool | None) -> pa.Table:
        return batch(ids, ts, schema=flagged, _hoodie_is_deleted=flag)

    by_flag = [
        Write(rows(["a", "b", "c", "d", "e", "f"], 10, False)),
        Write(rows(["a"], 20, True)),
        Write(rows(["b"], 10, True)),
        Write(rows(["c", "n"], 5, True)),
        Write(rows(["a", "b"], 15, None)),
        Write(rows(["d"], 3, None), "delete"),
        Write(rows(["d", "e"], 2, False)),
    ]
    marked = pa.schema([*PLAIN, ("op", pa.string())])

    def ops(ids: Sequence[str], ts: int, op: str | None) -> pa.Table:
        return batch(ids, ts, schema=marked, op=op)

    marker = {
        **EVENT_TIME,
        "hoodie.payload.delete.field": "op",
        "hoodie.payload.delete.marker": "D",
        "hoodie.datasource.write.payload.ordering.field": "ts",
        "hoodie.payload.ordering.field": "ts",
    }
    by_marker = [
        Write(ops(["a", "b", "c", "d"], 10, "I")),
        Write(ops(["a"], 20, "D")),
        Write(ops(["b"], 5, "D")),
        Write(ops(["c"], 10, "D")),
        Write(ops(["a", "d"], 15, None)),
    ]
    for number in (6, 8, 9):
        yield Story(f"mor{number}-delete-flag", {**MOR, **version(number), **EVENT_TIME}, by_flag)
        yield Story(f"mor{number}-delete-marker", {**MOR, **version(number), **marker}, by_marker)
    yield Story("mor6-delete-flag-commit-time", {**MOR, **version(6), **OVERWRITE}, by_flag)
    yield Story("mor9-delete-flag-commit-time", {**MOR, **version(9), **OVERWRITE}, by_flag)
    yield Story("cow9-delete-flag", {**COW, **version(9), **EVENT_TIME}, by_flag)
    yield Story("mor6-delete-flag-by-0.15.0", {**MOR, **EVENT_TIME}, by_flag, "0.15.0")
    yield Story("mor6-delete-marker-by-0.15.0", {**MOR, **marker}, by_marker, "0.15.0")
    emptied = [Write(plain_batch(["a", "b"], 10)), Write(plain_batch(["a", "b"], 20), "delete")]
    yield Story("mor9-emptied", {**MOR, **version(9)}, emptied)
    yield Story("cow6-emptied", {**COW, **version(6)}, emptied)
