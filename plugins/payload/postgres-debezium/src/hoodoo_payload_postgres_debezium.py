"""Change data of PostgreSQL by Debezium: the greater `_event_lsn` wins, and values that were not logged are kept."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from attrs import frozen

from hoodoo.errors import DataError
from hoodoo.plugin import Substitute, hookimpl
from hoodoo.plugin.helpers.ordering_reasons import compared_reason
from hoodoo.plugin.helpers.partial_update import UNAVAILABLE_VALUE, fillable, unavailable
from hoodoo.plugin.helpers.sequence import SEQUENCE_REASONS, is_at_least, is_late, sequence_column
from hoodoo.record import Choice, Law, MergerConfig, Ordering, Outcome, RecordContext, Records

__version__ = "0.1.0"

SEQUENCE = "_event_lsn"
_NOT_LOGGED = unavailable(UNAVAILABLE_VALUE)


@frozen
class PostgresDebezium:
    """Payload PostgresDebeziumAvroPayload of Hudi.

    A tie goes to the incoming record. A key-only delete is applied to the stored row without a comparison, and deletes
    in logs are key-only ones. An incoming row without `_event_lsn` is an error if it has to be compared, and a stored
    one, from a bootstrap, loses. A string or bytes column of the winning incoming row with the value
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
    reasons = SEQUENCE_REASONS

    def uses_ordering(self, config: MergerConfig) -> bool:
        """Return whether the table is ordered by the sequence."""
        return config.ordering == (SEQUENCE,)

    def needs(self, schema: pa.Schema, config: MergerConfig) -> tuple[str, ...]:
        """Return the column of the sequence; columns are filled separately."""
        return (SEQUENCE,)

    def pre_combine(self, older: Records, newer: Records, context: RecordContext, config: MergerConfig) -> Outcome:
        """Return the record with the greater sequence; the newer one at a tie or after a key-only delete."""
        first, second = _sequence(older), _sequence(newer)
        take = is_at_least(older, newer, (first, second), SEQUENCE)
        return Outcome.take_where(
            take, compared_reason(context, first, second, take, applied=second.absent, followed=~older.has_data)
        )

    def combine_and_get_update_value(
        self, stored: Records, incoming: Records, context: RecordContext, config: MergerConfig
    ) -> Outcome:
        """Return the incoming record with unavailable values filled, unless the stored one has the greater sequence."""
        first, second = _sequence(stored), _sequence(incoming)
        take = ~is_late(stored, incoming, (first, second), SEQUENCE)
        reason = compared_reason(context, first, second, take, applied=~incoming.has_data, followed=np.zeros_like(take))
        fills = take & ~incoming.is_delete
        patch, patched = {}, np.zeros(len(take), dtype=bool)
        for name in fillable(context.schema, (SEQUENCE, *config.ordering)):
            gaps = _NOT_LOGGED(incoming, name) & fills
            if gaps.any():
                patch[name] = pc.if_else(pa.array(gaps), stored.column(name), incoming.column(name))
                patched |= gaps
        return Outcome(take.astype(np.int8), patch, patched if patch else None, reason)

    def get_insert_value(self, incoming: Records, context: RecordContext, config: MergerConfig) -> Outcome:
        """Return the incoming record for a key that is not stored; the markers of unavailable values are written."""
        return Outcome.all(Choice.TAKE, len(incoming))


def _sequence(records: Records) -> Ordering:
    """Return the LSN as a number.

    Raises:
        DataError: A value is not a number.
    """
    values = sequence_column(records, SEQUENCE)
    try:
        return Ordering.of((SEQUENCE,), [values.cast(pa.int64())], len(records))
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise DataError(f"column '{SEQUENCE}' is {values.type} and cannot be read as numbers: {error}") from error


@hookimpl
def hoodoo_payload() -> type[PostgresDebezium]:
    """Return the class of the plugin."""
    return PostgresDebezium
