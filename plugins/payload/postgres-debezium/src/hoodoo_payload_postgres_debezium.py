"""Change data of PostgreSQL by Debezium: the greater `_event_lsn` wins, and values that were not logged are kept."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from attrs import evolve, frozen

from hoodoo.errors import DataError
from hoodoo.plugin import Substitute, hookimpl
from hoodoo.plugin.helpers.partial_update import UNAVAILABLE_VALUE, fillable, unavailable
from hoodoo.plugin.helpers.sequence import SequencePayload, sequence_column
from hoodoo.record import Choice, Law, MergerConfig, Ordering, Outcome, RecordContext, Records

__version__ = "0.1.0"

SEQUENCE = "_event_lsn"
_NOT_LOGGED = unavailable(UNAVAILABLE_VALUE)


@frozen
class PostgresDebezium(SequencePayload):
    """Payload PostgresDebeziumAvroPayload of Hudi.

    A tie goes to the incoming record. A key-only delete is applied to the stored row without a comparison, and all
    deletes in logs are key-only. An incoming row without `_event_lsn` is an error if it has to be compared, and a
    stored one, from a bootstrap, loses. A string or bytes column of the winning incoming row with the value
    `__debezium_unavailable_value` (an unchanged TOAST value) keeps the stored value. This applies only to storage: of
    two records of one batch the winner is not changed, so that a value of the loser is lost. Deletes are defined by the
    delete rules `debezium-op` and `builtin-flag`, the defaults of this payload. A table of version 9 is merged by the
    merger `event-time-partial`, which loses no value in a batch.
    """

    hudi_class = "org.apache.hudi.common.model.debezium.PostgresDebeziumAvroPayload"
    delete_rules = ("debezium-op", "builtin-flag")
    substitute = Substitute(
        "event-time-partial",
        {"partial": "fill-unavailable", "unavailable_value": UNAVAILABLE_VALUE},
        delete=("_change_operation_type", "d"),
        ordering=(SEQUENCE,),
    )
    laws = frozenset({Law.REPLAY_SAFE})
    column = SEQUENCE

    def sequence(self, records: Records) -> Ordering:
        """Return the LSN as a number.

        Raises:
            DataError: A value is not a number.
        """
        values = sequence_column(records, SEQUENCE)
        try:
            return Ordering.of((SEQUENCE,), [values.cast(pa.int64())], len(records))
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
            raise DataError(
                f"column '{SEQUENCE}' has type {values.type} and cannot be read as numbers: {error}; write LSNs "
                "as numbers"
            ) from error

    def combine_and_get_update_value(
        self, stored: Records, incoming: Records, context: RecordContext, config: MergerConfig
    ) -> Outcome:
        """Return the incoming record with unavailable values filled, unless the stored one has the greater sequence."""
        outcome = super().combine_and_get_update_value(stored, incoming, context, config)
        fills = (outcome.choice == Choice.TAKE) & ~incoming.is_delete
        patch, patched = {}, np.zeros(len(fills), dtype=bool)
        for name in fillable(context.schema, (SEQUENCE, *config.ordering)):
            gaps = _NOT_LOGGED(incoming, name) & fills
            if gaps.any():
                patch[name] = pc.if_else(pa.array(gaps), stored.column(name), incoming.column(name))
                patched |= gaps
        return evolve(outcome, patch=patch, patched=patched) if patch else outcome


@hookimpl
def hoodoo_payload() -> type[PostgresDebezium]:
    """Return the class of the plugin."""
    return PostgresDebezium
