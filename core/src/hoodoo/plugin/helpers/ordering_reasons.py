"""Reasons of rules that compare ordering values: codes, and the sentences that an explanation shows."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from hoodoo.record.context import RecordContext
from hoodoo.record.ordering import Ordering
from hoodoo.record.records import Records

__all__ = ["ORDERING_REASONS", "OrderingReason", "arrival_reason", "compared_reason", "ordering_reason"]

Mask = NDArray[np.bool_]


class OrderingReason(IntEnum):
    """Reason for the choice between two versions under a rule that compares ordering values."""

    GREATER = 0
    TIE_TAKEN = 1
    TIE_KEPT = 2
    LOWER = 3
    UNCONDITIONAL_DELETE = 4
    AFTER_UNCONDITIONAL_DELETE = 5
    NO_VALUE_KEPT = 6
    NO_VALUE_TAKEN = 7
    ARRIVAL = 8


ORDERING_REASONS: Mapping[int, str] = MappingProxyType(
    {
        OrderingReason.GREATER: "the newer version has the greater ordering value",
        OrderingReason.TIE_TAKEN: "neither has the greater ordering value, and a tie goes to the newer arrival",
        OrderingReason.TIE_KEPT: "neither has the greater ordering value, and a tie goes to the older arrival",
        OrderingReason.LOWER: "the newer version has the lower ordering value: it is late",
        OrderingReason.UNCONDITIONAL_DELETE: "the newer version is a delete that is applied without a comparison",
        OrderingReason.AFTER_UNCONDITIONAL_DELETE: "the older version is a delete, and no version is compared with it",
        OrderingReason.NO_VALUE_KEPT: "the newer version has no ordering value, and loses to one that has one",
        OrderingReason.NO_VALUE_TAKEN: "the older version has no ordering value, and loses to one that has one",
        OrderingReason.ARRIVAL: "the newer arrival wins; ordering values are not compared",
    }
)
"""Sentences by code: the `reasons` of a rule that uses `ordering_reason`."""


def arrival_reason(context: RecordContext, length: int) -> NDArray[np.int8] | None:
    """Return `OrderingReason.ARRIVAL` for each of n pairs; None unless reasons are required."""
    return np.full(length, OrderingReason.ARRIVAL, dtype=np.int8) if context.explaining else None


def ordering_reason(
    context: RecordContext, older: Records, newer: Records, take: Mask, *, applied: Mask, followed: Mask
) -> NDArray[np.int8] | None:
    """Return the reason for the choice in each of n pairs; None unless reasons are required.

    Args:
        context: Context of the merge; `explaining` is true if reasons are required.
        older: The version of each pair that arrived first.
        newer: The version of each pair that arrived later.
        take: True where the newer version was taken.
        applied: True where the newer version is a delete that the rule does not compare.
        followed: True where the older version is a delete with which the rule compares no newer version.
    """
    return compared_reason(context, older.ordering, newer.ordering, take, applied=applied, followed=followed)


def compared_reason(
    context: RecordContext, older: Ordering, newer: Ordering, take: Mask, *, applied: Mask, followed: Mask
) -> NDArray[np.int8] | None:
    """Return reasons like `ordering_reason`, for a rule that compares values of other columns."""
    if not context.explaining:
        return None
    compared = newer.compare(older)
    reason = np.where(compared > 0, OrderingReason.GREATER, OrderingReason.LOWER)
    reason[compared == 0] = np.where(take, OrderingReason.TIE_TAKEN, OrderingReason.TIE_KEPT)[compared == 0]
    reason[newer.absent & ~older.absent] = OrderingReason.NO_VALUE_KEPT
    reason[older.absent & ~newer.absent] = OrderingReason.NO_VALUE_TAKEN
    reason[followed] = OrderingReason.AFTER_UNCONDITIONAL_DELETE
    reason[applied] = OrderingReason.UNCONDITIONAL_DELETE
    return reason.astype(np.int8)
