"""Two versions of a batch: the greater ordering value wins, unless a version is a key-only delete."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from hoodoo.plugin.helpers.batch_order import greater_in_batch
from hoodoo.plugin.helpers.ordering_reasons import OrderingReason
from hoodoo.record import Operation, Ordering, RecordContext, Records, Source

SCHEMA = pa.schema([("id", pa.string()), ("ts", pa.int64())])
ROW, FLAGGED, KEY_ONLY = (Operation.INSERT, True), (Operation.DELETE, True), (Operation.DELETE, False)


def version(kind: tuple[Operation, bool], ts: int | None) -> Records:
    """Return one version: its operation, whether it has columns, and its ordering value."""
    operation, has_data = kind
    rows = pa.Table.from_pylist([{"id": "a", "ts": ts}], SCHEMA)
    ordering = Ordering.of(["ts"], [rows["ts"].combine_chunks()], 1)
    source = Source(
        rows, SCHEMA, rows["id"].combine_chunks(), ordering, np.array([operation], np.int8), np.array([has_data])
    )
    return source.records(np.array([0]))


@pytest.mark.parametrize(
    ("older", "newer", "taken", "reason"),
    [
        ((ROW, 1), (ROW, 2), True, OrderingReason.GREATER),
        ((ROW, 2), (ROW, 2), True, OrderingReason.TIE_TAKEN),
        ((ROW, 2), (ROW, 1), False, OrderingReason.LOWER),
        ((ROW, 2), (FLAGGED, 1), False, OrderingReason.LOWER),
        ((ROW, 2), (KEY_ONLY, 1), False, OrderingReason.LOWER),
        ((ROW, 2), (KEY_ONLY, None), True, OrderingReason.UNCONDITIONAL_DELETE),
        ((KEY_ONLY, 2), (ROW, 1), True, OrderingReason.AFTER_UNCONDITIONAL_DELETE),
        ((FLAGGED, 2), (ROW, 1), False, OrderingReason.LOWER),
    ],
)
def test_the_choice_and_its_reason(older, newer, taken, reason) -> None:
    context = RecordContext(SCHEMA, explaining=True)

    outcome = greater_in_batch(version(*older), version(*newer), context)

    assert outcome.choice.tolist() == [int(taken)]
    assert outcome.reason.tolist() == [reason]
