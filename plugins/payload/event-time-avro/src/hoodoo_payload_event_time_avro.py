"""The greater ordering value wins, a tie goes to the incoming record; like `event-time`, with the delete flag only."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from attrs import Attribute, frozen

from hoodoo.plugin import hookimpl, option
from hoodoo.plugin.helpers.batch_order import greater_in_batch
from hoodoo.plugin.helpers.ordering_reasons import ORDERING_REASONS, ordering_reason
from hoodoo.record import Choice, Law, MergerConfig, Outcome, RecordContext, Records

__version__ = "0.1.0"

VARIANTS = ("ordering-first", "delete-first")


def _is_variant(instance: Any, attribute: Attribute[str], value: str) -> None:
    if value.replace("_", "-") not in VARIANTS:
        raise ValueError(f"'variant' must be one of {', '.join(VARIANTS)}, not '{value}'")


@frozen
class EventTimeAvroPayload:
    """Payload EventTimeAvroPayload of Hudi, the default of Flink.

    It supports the delete flag and no delete marker. A key-only delete is applied without a comparison, so a late one
    removes a newer row. A stored row whose ordering value is null or missing (an older schema) loses.
    """

    hudi_class = "org.apache.hudi.common.model.EventTimeAvroPayload"

    variant: str = option(
        default=VARIANTS[0],
        validator=_is_variant,
        help="Whether a late flagged delete loses to a newer stored row (ordering-first) or, as in some builds of "
        "Hudi, deletes it (delete-first).",
    )

    laws = frozenset({Law.REPLAY_SAFE})
    whole_versions = True
    reasons = ORDERING_REASONS

    def needs(self, schema: pa.Schema, config: MergerConfig) -> tuple[str, ...]:
        """Return no columns: the rule needs only the ordering columns."""
        return ()

    def pre_combine(self, older: Records, newer: Records, context: RecordContext, config: MergerConfig) -> Outcome:
        """Return the record with the greater ordering value; the newer one at a tie or after a key-only delete."""
        return greater_in_batch(older, newer, context)

    def combine_and_get_update_value(
        self, stored: Records, incoming: Records, context: RecordContext, config: MergerConfig
    ) -> Outcome:
        """Return the incoming record, unless the stored one has the greater ordering value."""
        applied = ~incoming.has_data
        if self.variant.replace("_", "-") == "delete-first":
            applied = incoming.is_delete
        take = applied | (incoming.ordering.compare(stored.ordering) >= 0)
        return Outcome.take_where(
            take, ordering_reason(context, stored, incoming, take, applied=applied, followed=np.zeros_like(take))
        )

    def get_insert_value(self, incoming: Records, context: RecordContext, config: MergerConfig) -> Outcome:
        """Return the incoming record for a key that is not stored."""
        return Outcome.all(Choice.TAKE, len(incoming))


@hookimpl
def hoodoo_payload() -> type[EventTimeAvroPayload]:
    """Return the class of the plugin."""
    return EventTimeAvroPayload
