"""Single versions of a row."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pytest

from hoodoo.record import Operation, Ordering, RecordContext, Records, Source

SCHEMA = pa.schema([("id", pa.string()), ("ts", pa.int64())])
KINDS = {
    "row": (Operation.INSERT, True),
    "flagged": (Operation.DELETE, True),
    "key-only": (Operation.DELETE, False),
}


@pytest.fixture
def version() -> Callable[[str, int | None], Records]:
    """Return a function that makes one version of a kind in `KINDS`, with an ordering value or None."""

    def made(kind: str, ts: int | None) -> Records:
        operation, has_data = KINDS[kind]
        rows = pa.Table.from_pylist([{"id": "a", "ts": ts}], SCHEMA)
        ordering = Ordering.of(["ts"], [rows["ts"].combine_chunks()], 1)
        source = Source(
            rows, SCHEMA, rows["id"].combine_chunks(), ordering, np.array([operation], np.int8), np.array([has_data])
        )
        return source.records(np.array([0]))

    return made


@pytest.fixture
def explaining() -> RecordContext:
    """Return the context of a merge that requires reasons."""
    return RecordContext(SCHEMA, explaining=True)
