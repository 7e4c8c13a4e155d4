"""Payloads whose greater ordering value wins."""

from __future__ import annotations

import pytest

from hoodoo.plugin.helpers.greatest_payload import GreatestPayload
from hoodoo.plugin.helpers.ordering_reasons import OrderingReason
from hoodoo.record import MergerConfig


class FlaggedDeletes(GreatestPayload):
    """Payload that applies all deletes without a comparison."""

    def applied(self, incoming):
        return incoming.is_delete


@pytest.mark.parametrize(
    ("payload", "stored", "incoming", "taken", "reason"),
    [
        (GreatestPayload, 1, ("row", 2), 1, OrderingReason.GREATER),
        (GreatestPayload, 2, ("row", 2), 1, OrderingReason.TIE_TAKEN),
        (GreatestPayload, 2, ("row", 1), 0, OrderingReason.LOWER),
        (GreatestPayload, None, ("row", 1), 1, OrderingReason.NO_VALUE_TAKEN),
        (GreatestPayload, 2, ("flagged", 1), 0, OrderingReason.LOWER),
        (GreatestPayload, 2, ("key-only", 1), 1, OrderingReason.UNCONDITIONAL_DELETE),
        (FlaggedDeletes, 2, ("flagged", 1), 1, OrderingReason.UNCONDITIONAL_DELETE),
    ],
)
def test_an_incoming_record_is_compared_with_the_stored_one(
    version, explaining, payload, stored, incoming, taken, reason
) -> None:
    outcome = payload().combine_and_get_update_value(
        version("row", stored), version(*incoming), explaining, MergerConfig(ordering=("ts",))
    )
    assert (outcome.choice.tolist(), outcome.reason.tolist()) == ([taken], [reason])


def test_a_batch_is_ordered_by_the_same_values(version, explaining) -> None:
    late = GreatestPayload().pre_combine(version("row", 2), version("row", 1), explaining, MergerConfig())
    assert late.choice.tolist() == [0]
