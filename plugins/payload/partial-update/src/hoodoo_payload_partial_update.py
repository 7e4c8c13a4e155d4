"""The greater ordering value wins, in a batch and against storage; the other record fills the winner's nulls."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from attrs import evolve, frozen
from numpy.typing import NDArray

from hoodoo.plugin import Substitute, hookimpl
from hoodoo.plugin.helpers.ordering_reasons import ORDERING_REASONS, ordering_reason
from hoodoo.plugin.helpers.partial_update import fill, fillable, nulls
from hoodoo.record import Choice, Law, MergerConfig, Outcome, RecordContext, Records
from hoodoo.record.delete_markers import FLAG_COLUMN
from hoodoo.schema.meta_columns import META_COLUMNS

__version__ = "0.1.0"

Mask = NDArray[np.bool_]
STORED_FLAG = 100


@frozen
class PartialUpdate:
    """Payload PartialUpdateAvroPayload of Hudi.

    Null means "not set", so a column cannot become null. A tie goes to the newer arrival. A row has one ordering value,
    that of the winner, so that the values that a late record fills depend on the order of the merges. A delete is not
    compared with the stored row: a late one removes it. Within a batch a flagged delete is compared, and if it loses,
    the winner is filled from its columns too.
    """

    hudi_class = "org.apache.hudi.common.model.PartialUpdateAvroPayload"
    substitute = Substitute("event-time-partial", {"partial": "ignore-defaults"})
    laws = frozenset({Law.REPLAY_SAFE})
    reasons = ORDERING_REASONS | {
        STORED_FLAG: "the stored row has the greater ordering value, and its delete flag removes it"
    }

    def needs(self, schema: pa.Schema, config: MergerConfig) -> tuple[str, ...]:
        """Return the column of the delete flag. Ordering columns are always read, and columns are filled separately."""
        return (FLAG_COLUMN,)

    def pre_combine(self, older: Records, newer: Records, context: RecordContext, config: MergerConfig) -> Outcome:
        """Return the record with the greater ordering value with its nulls filled.

        With a key-only delete on either side the newer record wins unchanged. A delete that wins is not filled.
        """
        applied, followed = ~newer.has_data, ~older.has_data
        take = applied | followed | (newer.ordering.compare(older.ordering) >= 0)
        winner_lives = ~np.where(take, newer.is_delete, older.is_delete)
        pairs = winner_lives & older.has_data & newer.has_data
        outcome = fill(older, newer, take, nulls, fillable(context.schema, config.ordering), pairs)
        reason = ordering_reason(context, older, newer, take, applied=applied, followed=followed)
        return evolve(outcome, reason=reason)

    def combine_and_get_update_value(
        self, stored: Records, incoming: Records, context: RecordContext, config: MergerConfig
    ) -> Outcome:
        """Return the record with the greater ordering value, or the incoming one at a tie, with its nulls filled.

        All incoming deletes win. A stored row with the delete flag and the greater ordering value is removed.
        """
        take = incoming.is_delete | (incoming.ordering.compare(stored.ordering) >= 0)
        outcome = fill(stored, incoming, take, nulls, fillable(context.schema, config.ordering))
        reason = ordering_reason(
            context, stored, incoming, take, applied=incoming.is_delete, followed=np.zeros_like(take)
        )
        outcome = evolve(_with_meta(stored, incoming, take, outcome), reason=reason)
        if FLAG_COLUMN not in context.schema.names:
            return outcome
        flag = stored.column(FLAG_COLUMN).fill_null(False).to_numpy(zero_copy_only=False)
        if reason is not None:
            reason[~take & flag] = STORED_FLAG
        return evolve(outcome, choice=np.where(~take & flag, Choice.DELETE, outcome.choice).astype(np.int8))

    def get_insert_value(self, incoming: Records, context: RecordContext, config: MergerConfig) -> Outcome:
        """Return the incoming record for a key that is not stored, including its nulls."""
        return Outcome.all(Choice.TAKE, len(incoming))


def _with_meta(stored: Records, incoming: Records, take: Mask, outcome: Outcome) -> Outcome:
    """Return the outcome with the incoming record's meta columns, if the data has them and even if the record loses."""
    names = [name for name in META_COLUMNS if name in stored.schema.names]
    if not names or take.all():
        return outcome
    patch = dict(outcome.patch)
    for name in names:
        values = incoming.column(name)
        patch[name] = pc.if_else(pa.array(take), values, pc.coalesce(values, stored.column(name)))
    return evolve(outcome, patch=patch, patched=~take if outcome.patched is None else outcome.patched | ~take)


@hookimpl
def hoodoo_payload() -> type[PartialUpdate]:
    """Return the class of the plugin."""
    return PartialUpdate
