"""Payloads whose incoming record wins over the stored one."""

from __future__ import annotations

import pytest

from hoodoo.plugin.helpers.latest_payload import LatestPayload
from hoodoo.plugin.helpers.ordering_reasons import OrderingReason
from hoodoo.record import MergerConfig


@pytest.mark.parametrize(
    ("compat", "taken", "reason"), [("legacy", 0, OrderingReason.LOWER), ("1.1", 1, OrderingReason.ARRIVAL)]
)
def test_the_release_decides_about_a_late_record_of_the_batch(version, explaining, compat, taken, reason) -> None:
    config = MergerConfig(compat=compat)
    outcome = LatestPayload().pre_combine(version("row", 2), version("row", 1), explaining, config)
    assert (outcome.choice.tolist(), outcome.reason.tolist()) == ([taken], [reason])
    assert LatestPayload().uses_ordering(config) == (compat == "legacy")


def test_a_late_record_replaces_the_stored_one(version, explaining) -> None:
    outcome = LatestPayload().combine_and_get_update_value(
        version("row", 2), version("row", 1), explaining, MergerConfig(compat="legacy")
    )
    assert (outcome.choice.tolist(), outcome.reason.tolist()) == ([1], [OrderingReason.ARRIVAL])
