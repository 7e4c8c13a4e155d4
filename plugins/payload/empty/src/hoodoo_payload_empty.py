"""Each record deletes the row of its key, and no record is written."""

from __future__ import annotations

from types import MappingProxyType

import numpy as np
import pyarrow as pa
from attrs import frozen
from numpy.typing import NDArray

from hoodoo.plugin import hookimpl
from hoodoo.record import Choice, Law, MergerConfig, Outcome, RecordContext, Records

__version__ = "0.1.0"


@frozen
class Empty:
    """Payload EmptyHoodieRecordPayload of Hudi, which its operation `delete` uses. Ordering values are ignored."""

    hudi_class = "org.apache.hudi.common.model.EmptyHoodieRecordPayload"
    deletes_every_key = True
    laws = frozenset({Law.ORDER_INDEPENDENT, Law.REPLAY_SAFE, Law.DELETE_STICKY, Law.DEDUPE_IS_COMBINE})
    reasons = MappingProxyType(
        {0: "both versions delete the row", 1: "every version deletes the row", 2: "no version is written"}
    )

    def uses_ordering(self, config: MergerConfig) -> bool:
        """Return False: ordering values are stored and not compared."""
        return False

    def needs(self, schema: pa.Schema, config: MergerConfig) -> tuple[str, ...]:
        """Return no columns: the rule needs only the key."""
        return ()

    def pre_combine(self, older: Records, newer: Records, context: RecordContext, config: MergerConfig) -> Outcome:
        """Return the earlier arrival: both versions delete the row."""
        return Outcome.all(Choice.KEEP, len(newer), _reason(context, newer, 0))

    def combine_and_get_update_value(
        self, stored: Records, incoming: Records, context: RecordContext, config: MergerConfig
    ) -> Outcome:
        """Return DELETE for all records."""
        return Outcome.all(Choice.DELETE, len(incoming), _reason(context, incoming, 1))

    def get_insert_value(self, incoming: Records, context: RecordContext, config: MergerConfig) -> Outcome:
        """Return KEEP for all records: none is written."""
        return Outcome.all(Choice.KEEP, len(incoming), _reason(context, incoming, 2))


def _reason(context: RecordContext, records: Records, code: int) -> NDArray[np.int8] | None:
    return np.full(len(records), code, dtype=np.int8) if context.explaining else None


@hookimpl
def hoodoo_payload() -> type[Empty]:
    """Return the class of the plugin."""
    return Empty
