"""Base of payloads in which the incoming record wins, as in Hudi's OverwriteWithLatestAvroPayload."""

from __future__ import annotations

import pyarrow as pa

from hoodoo.plugin.base import BasePayload
from hoodoo.plugin.helpers.batch_order import greater_in_batch
from hoodoo.plugin.helpers.ordering_reasons import ORDERING_REASONS, arrival_reason
from hoodoo.record import Choice, MergerConfig, Outcome, RecordContext, Records

__all__ = ["LatestPayload"]


class LatestPayload(BasePayload):
    """Base of payloads in which the incoming record wins over the stored one, regardless of ordering values.

    Up to Hudi 1.0 (`compat` legacy) two records of one batch are compared by ordering value. From 1.1 on the later
    arrival wins there too.
    """

    reasons = ORDERING_REASONS

    def uses_ordering(self, config: MergerConfig) -> bool:
        """Return whether ordering values are compared: within a batch, with legacy semantics."""
        return config.compat == "legacy"

    def needs(self, schema: pa.Schema, config: MergerConfig) -> tuple[str, ...]:
        """Return (), because ordering columns are always read."""
        return ()

    def pre_combine(self, older: Records, newer: Records, context: RecordContext, config: MergerConfig) -> Outcome:
        """Return the newer record; with legacy semantics, the one with the greater ordering value.

        `greater_in_batch` has the rules for ties and deletes.
        """
        if not self.uses_ordering(config):
            return Outcome.all(Choice.TAKE, len(newer), arrival_reason(context, len(newer)))
        return greater_in_batch(older, newer, context)

    def combine_and_get_update_value(
        self, stored: Records, incoming: Records, context: RecordContext, config: MergerConfig
    ) -> Outcome:
        """Return the incoming record, regardless of the stored one."""
        return Outcome.all(Choice.TAKE, len(incoming), arrival_reason(context, len(incoming)))
