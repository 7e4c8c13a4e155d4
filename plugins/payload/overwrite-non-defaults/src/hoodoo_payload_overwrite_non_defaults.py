"""The incoming record overwrites the stored one, except with values that equal the default of their column."""

from __future__ import annotations

import numpy as np
from attrs import evolve, frozen

from hoodoo.plugin import Substitute, hookimpl
from hoodoo.plugin.helpers.latest_payload import LatestPayload
from hoodoo.plugin.helpers.ordering_reasons import ORDERING_REASONS, OrderingReason
from hoodoo.plugin.helpers.partial_update import defaulted, fill, fillable
from hoodoo.record import Law, MergerConfig, Outcome, RecordContext, Records
from hoodoo.record.delete_markers import FLAG_COLUMN

__version__ = "0.1.0"

FILLED = 100


@frozen
class OverwriteNonDefaults(LatestPayload):
    """Payload OverwriteNonDefaultsWithLatestAvroPayload of Hudi.

    The default of a column is that of the table's Avro schema, or null without one; nested values are compared as a
    whole. A column can therefore not be set back to its default. Within a batch one record wins with all its columns,
    and the other is dropped. The winner is the record with the greater ordering value up to Hudi 1.0 (`compat` legacy),
    and the later arrival from 1.1 on.
    """

    hudi_class = "org.apache.hudi.common.model.OverwriteNonDefaultsWithLatestAvroPayload"
    substitute = Substitute("commit-time-partial", {"partial": "ignore-defaults"})
    laws = frozenset({Law.REPLAY_SAFE})
    reasons = ORDERING_REASONS | {
        FILLED: "the newer arrival wins, and its default values are filled from the stored row"
    }

    def combine_and_get_update_value(
        self, stored: Records, incoming: Records, context: RecordContext, config: MergerConfig
    ) -> Outcome:
        """Return the incoming record, with its default values filled from the stored one."""
        columns = fillable(context.schema)
        if FLAG_COLUMN in context.schema.names:
            columns.append(FLAG_COLUMN)
        outcome = fill(stored, incoming, np.ones(len(incoming), dtype=bool), defaulted, columns)
        if not context.explaining:
            return outcome
        filled = np.zeros(len(incoming), dtype=bool) if outcome.patched is None else outcome.patched
        return evolve(outcome, reason=np.where(filled, FILLED, OrderingReason.ARRIVAL).astype(np.int8))


@hookimpl
def hoodoo_payload() -> type[OverwriteNonDefaults]:
    """Return the class of the plugin."""
    return OverwriteNonDefaults
