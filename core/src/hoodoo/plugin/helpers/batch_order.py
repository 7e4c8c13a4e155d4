"""Order of the versions of a batch by their ordering values, as in most of Hudi's payloads."""

from __future__ import annotations

from hoodoo.plugin.helpers.ordering_reasons import ordering_reason
from hoodoo.record.context import RecordContext
from hoodoo.record.outcome import Outcome
from hoodoo.record.records import Records

__all__ = ["greater_in_batch"]


def greater_in_batch(older: Records, newer: Records, context: RecordContext) -> Outcome:
    """Choose the version with the greater ordering value of each pair, and the newer version at a tie.

    A newer key-only delete without an ordering value is applied without a comparison, and so is any version that
    follows a key-only delete. The reasons are those of `hoodoo.plugin.helpers.ordering_reasons`.
    """
    applied, followed = ~newer.has_data & newer.ordering.absent, ~older.has_data
    take = applied | followed | (newer.ordering.compare(older.ordering) >= 0)
    return Outcome.take_where(take, ordering_reason(context, older, newer, take, applied=applied, followed=followed))
