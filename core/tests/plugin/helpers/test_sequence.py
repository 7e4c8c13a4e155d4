"""Payloads of change data whose greater sequence wins."""

from __future__ import annotations

import pytest

from hoodoo.errors import DataError
from hoodoo.plugin.helpers.ordering_reasons import OrderingReason
from hoodoo.plugin.helpers.sequence import SequencePayload, sequence_column
from hoodoo.record import MergerConfig, Ordering


class BySequence(SequencePayload):
    """Payload whose sequence is the column `ts`."""

    column = "ts"

    def sequence(self, records):
        return Ordering.of(("ts",), [sequence_column(records, "ts")], len(records))


CONFIG = MergerConfig(ordering=("ts",))


def decided(method, version, explaining, first, second):
    outcome = method(version(*first), version(*second), explaining, CONFIG)
    return outcome.choice.tolist()[0], outcome.reason.tolist()[0]


@pytest.mark.parametrize(
    ("stored", "incoming", "expected"),
    [
        (("row", 1), ("row", 2), (1, OrderingReason.GREATER)),
        (("row", 2), ("row", 2), (1, OrderingReason.TIE_TAKEN)),
        (("row", 2), ("row", 1), (0, OrderingReason.LOWER)),
        (("row", None), ("row", 1), (1, OrderingReason.NO_VALUE_TAKEN)),
        (("row", 2), ("key-only", 1), (1, OrderingReason.UNCONDITIONAL_DELETE)),
    ],
)
def test_an_incoming_record_is_compared_with_the_stored_one(version, explaining, stored, incoming, expected) -> None:
    assert decided(BySequence().combine_and_get_update_value, version, explaining, stored, incoming) == expected


@pytest.mark.parametrize(
    ("older", "newer", "expected"),
    [
        (("row", 1), ("row", 2), (1, OrderingReason.GREATER)),
        (("row", 2), ("row", 1), (0, OrderingReason.LOWER)),
        (("row", 2), ("key-only", 1), (0, OrderingReason.LOWER)),
        (("row", 2), ("key-only", None), (1, OrderingReason.UNCONDITIONAL_DELETE)),
        (("key-only", 2), ("row", 1), (1, OrderingReason.AFTER_UNCONDITIONAL_DELETE)),
    ],
)
def test_records_of_a_batch_are_compared(version, explaining, older, newer, expected) -> None:
    assert decided(BySequence().pre_combine, version, explaining, older, newer) == expected


def test_an_incoming_row_without_a_sequence_is_refused(version, explaining) -> None:
    for method in (BySequence().pre_combine, BySequence().combine_and_get_update_value):
        with pytest.raises(DataError, match="column 'ts', the sequence of the source, is null in 1 incoming row "):
            method(version("row", 1), version("row", None), explaining, CONFIG)


def test_the_rule_orders_the_table_by_its_sequence_alone() -> None:
    assert BySequence().uses_ordering(CONFIG)
    assert not BySequence().uses_ordering(MergerConfig(ordering=("other",)))
    assert BySequence().needs(None, CONFIG) == ("ts",)
