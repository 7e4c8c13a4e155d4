"""The greater ordering value wins, and columns that the winner does not set come from the other version."""

from __future__ import annotations

from attrs import evolve, frozen

from hoodoo.plugin import MergeMode, hookimpl
from hoodoo.plugin.helpers.ordering_reasons import ORDERING_REASONS, ordering_reason
from hoodoo.plugin.helpers.partial_update import (
    PARTIAL_UPDATES,
    fill,
    fillable,
    partial_gaps,
    partial_option,
    unavailable_value_option,
)
from hoodoo.record import Law, MergerConfig, Outcome, RecordContext, Records

__version__ = "0.1.0"


@frozen
class EventTimePartial:
    """Merger of Hudi's EVENT_TIME_ORDERING with a partial update mode.

    A late record loses, and fills columns that the winner does not set. A row has one ordering value, that of the
    winner, which also applies to filled values in later merges. Deletes win or lose as a whole.
    """

    merge_mode = MergeMode(
        "EVENT_TIME_ORDERING", "eeb8d96f-b1e4-49fd-bbf8-28ac514178e5", partial_updates=PARTIAL_UPDATES
    )

    partial: str = partial_option()
    unavailable_value: str = unavailable_value_option()

    # no `needs`: a late record that fills a column changes the commit time of the row, so a read needs all columns
    laws = frozenset({Law.IDEMPOTENT, Law.REPLAY_SAFE, Law.DELETE_STICKY, Law.ORDERING_IS_MAX})
    reasons = ORDERING_REASONS

    def merge(self, older: Records, newer: Records, context: RecordContext, config: MergerConfig) -> Outcome:
        """Return TAKE if the newer ordering value is not less, else KEEP, with unset columns of the winner filled.

        A newer delete without an ordering value is unconditional: it wins without a comparison. A key-only delete does
        not replace an unconditional delete.
        """
        unconditional = newer.is_delete & newer.ordering.absent
        deleted = older.is_delete & older.ordering.absent
        deleted_for_good = deleted & newer.is_delete & ~newer.has_data
        take = (unconditional | (newer.ordering.compare(older.ordering) >= 0)) & ~deleted_for_good
        gaps = partial_gaps(self.partial, self.unavailable_value)
        # an ordering column from the loser would change the ordering value of the winner
        outcome = fill(older, newer, take, gaps, fillable(context.schema, config.ordering))
        applied = unconditional & take
        reason = ordering_reason(context, older, newer, take, applied=applied, followed=deleted)
        return evolve(outcome, reason=reason)


@hookimpl
def hoodoo_merger() -> type[EventTimePartial]:
    """Return the class of the plugin."""
    return EventTimePartial
