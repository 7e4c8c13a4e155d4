"""The greater ordering value wins, in a batch and against storage; a tie goes to the earlier record."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from attrs import frozen

from hoodoo.plugin import hookimpl
from hoodoo.plugin.helpers.ordering_reasons import ORDERING_REASONS, OrderingReason, ordering_reason
from hoodoo.record import Choice, Law, MergerConfig, Outcome, RecordContext, Records

__version__ = "0.1.0"


@frozen
class FirstValuePayload:
    """Payload FirstValueAvroPayload of Hudi.

    It does not keep the first row of a key: a greater ordering value still wins, and the first is kept only among rows
    with equal ordering values.
    The rest is as in `event-time`: a key-only delete is applied to the stored row without a comparison, and a stored
    row whose ordering value is null or missing loses.
    """

    hudi_class = "org.apache.hudi.common.model.FirstValueAvroPayload"
    delete_rules = ("payload-default",)
    laws = frozenset({Law.REPLAY_SAFE})
    whole_versions = True
    reasons = ORDERING_REASONS

    def needs(self, schema: pa.Schema, config: MergerConfig) -> tuple[str, ...]:
        """Return no columns: the rule needs only the ordering columns."""
        return ()

    def pre_combine(self, older: Records, newer: Records, context: RecordContext, config: MergerConfig) -> Outcome:
        """Return the record with the greater ordering value; the older one at a tie.

        A newer key-only delete without an ordering value, and each record after a key-only delete, are not compared:
        the newer record is returned.
        """
        applied, followed = ~newer.has_data & newer.ordering.absent, ~older.has_data
        take = applied | followed | (newer.ordering.compare(older.ordering) > 0)
        return Outcome.take_where(
            take, ordering_reason(context, older, newer, take, applied=applied, followed=followed)
        )

    def combine_and_get_update_value(
        self, stored: Records, incoming: Records, context: RecordContext, config: MergerConfig
    ) -> Outcome:
        """Return the incoming record if its ordering value is greater, or if it is a key-only delete.

        A stored row without an ordering value always loses.
        """
        applied, first = ~incoming.has_data, stored.ordering.absent
        take = applied | first | (incoming.ordering.compare(stored.ordering) > 0)
        reason = ordering_reason(context, stored, incoming, take, applied=applied, followed=np.zeros_like(take))
        if reason is not None:
            reason[first & ~applied] = OrderingReason.NO_VALUE_TAKEN
        return Outcome.take_where(take, reason)

    def get_insert_value(self, incoming: Records, context: RecordContext, config: MergerConfig) -> Outcome:
        """Return the incoming record for a key that is not stored."""
        return Outcome.all(Choice.TAKE, len(incoming))


@hookimpl
def hoodoo_payload() -> type[FirstValuePayload]:
    """Return the class of the plugin."""
    return FirstValuePayload
