"""The greater ordering value wins; a tie goes to the older arrival."""

from __future__ import annotations

import pyarrow as pa
from attrs import frozen

from hoodoo.plugin import hookimpl
from hoodoo.plugin.helpers.ordering_reasons import ORDERING_REASONS, ordering_reason
from hoodoo.record import Law, MergerConfig, Outcome, RecordContext, Records

__version__ = "0.1.0"


@frozen
class FirstValue:
    """Merger like `event-time`, except that the first of several versions with the greatest ordering value wins.

    It does not keep the first row of a key: a greater ordering value still wins. A delete without an ordering value is
    unconditional on either side, and a stored row without one loses to a version that has one.
    """

    laws = frozenset(
        {
            Law.ASSOCIATIVE,
            Law.ORDER_INDEPENDENT,
            Law.IDEMPOTENT,
            Law.REPLAY_SAFE,
            Law.DELETE_STICKY,
            Law.ORDERING_IS_MAX,
        }
    )
    whole_versions = True
    reasons = ORDERING_REASONS

    def needs(self, schema: pa.Schema, config: MergerConfig) -> tuple[str, ...]:
        """Return no columns: the rule needs only the ordering columns."""
        return ()

    def merge(self, older: Records, newer: Records, context: RecordContext, config: MergerConfig) -> Outcome:
        """Return TAKE if the newer ordering value is greater, or if either version is an unconditional delete."""
        applied, followed = newer.is_delete & newer.ordering.absent, older.is_delete & older.ordering.absent
        take = applied | followed | (newer.ordering.compare(older.ordering) > 0)
        return Outcome.take_where(
            take, ordering_reason(context, older, newer, take, applied=applied, followed=followed)
        )


@hookimpl
def hoodoo_merger() -> type[FirstValue]:
    """Return the class of the plugin."""
    return FirstValue
