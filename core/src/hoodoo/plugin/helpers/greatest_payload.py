"""Base of payloads in which the greater ordering value wins, as in Hudi's DefaultHoodieRecordPayload."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from hoodoo.plugin.base import BasePayload
from hoodoo.plugin.helpers.batch_order import greater_in_batch
from hoodoo.plugin.helpers.ordering_reasons import ORDERING_REASONS, ordering_reason
from hoodoo.record import MergerConfig, Outcome, RecordContext, Records

__all__ = ["GreatestPayload"]


class GreatestPayload(BasePayload):
    """Base of payloads in which the greater ordering value wins, in a batch and against storage.

    A tie goes to the incoming record. A stored row whose ordering value is null or missing (an older schema) loses.
    """

    reasons = ORDERING_REASONS

    def applied(self, incoming: Records) -> NDArray[np.bool_]:
        """Return a mask of the incoming deletes that are applied without a comparison: key-only deletes."""
        return ~incoming.has_data

    def needs(self, schema: pa.Schema, config: MergerConfig) -> tuple[str, ...]:
        """Return (), because ordering columns are always read."""
        return ()

    def pre_combine(self, older: Records, newer: Records, context: RecordContext, config: MergerConfig) -> Outcome:
        """Return the record with the greater ordering value; `greater_in_batch` has the rules for ties and deletes."""
        return greater_in_batch(older, newer, context)

    def combine_and_get_update_value(
        self, stored: Records, incoming: Records, context: RecordContext, config: MergerConfig
    ) -> Outcome:
        """Return the incoming record, unless it is compared and the stored one has the greater ordering value."""
        applied = self.applied(incoming)
        take = applied | (incoming.ordering.compare(stored.ordering) >= 0)
        return Outcome.take_where(
            take, ordering_reason(context, stored, incoming, take, applied=applied, followed=np.zeros_like(take))
        )
