"""Two versions of a batch: the greater ordering value wins; some key-only deletes are not compared."""

from __future__ import annotations

import pytest

from hoodoo.plugin.helpers.batch_order import greater_in_batch
from hoodoo.plugin.helpers.ordering_reasons import OrderingReason


@pytest.mark.parametrize(
    ("older", "newer", "taken", "reason"),
    [
        (("row", 1), ("row", 2), True, OrderingReason.GREATER),
        (("row", 2), ("row", 2), True, OrderingReason.TIE_TAKEN),
        (("row", 2), ("row", 1), False, OrderingReason.LOWER),
        (("row", 2), ("flagged", 1), False, OrderingReason.LOWER),
        (("row", 2), ("key-only", 1), False, OrderingReason.LOWER),
        (("row", 2), ("key-only", None), True, OrderingReason.UNCONDITIONAL_DELETE),
        (("key-only", 2), ("row", 1), True, OrderingReason.AFTER_UNCONDITIONAL_DELETE),
        (("flagged", 2), ("row", 1), False, OrderingReason.LOWER),
    ],
)
def test_the_choice_and_its_reason(version, explaining, older, newer, taken, reason) -> None:
    outcome = greater_in_batch(version(*older), version(*newer), explaining)

    assert outcome.choice.tolist() == [int(taken)]
    assert outcome.reason.tolist() == [reason]
