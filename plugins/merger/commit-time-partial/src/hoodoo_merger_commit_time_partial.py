"""The newer arrival wins, and columns that it does not set keep their older values."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from attrs import evolve, frozen

from hoodoo.plugin import MergeMode, hookimpl
from hoodoo.plugin.helpers.ordering_reasons import ORDERING_REASONS, arrival_reason
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
class CommitTimePartial:
    """Merger of Hudi's COMMIT_TIME_ORDERING with a partial update mode.

    Deletes win or lose as a whole, and do not fill columns.
    """

    merge_mode = MergeMode(
        "COMMIT_TIME_ORDERING", "ce9acb64-bde0-424c-9b91-f6ebba25356d", partial_updates=PARTIAL_UPDATES
    )

    partial: str = partial_option()
    unavailable_value: str = unavailable_value_option()

    # not associative: it depends on the grouping of the fold whether a delete separates two updates
    laws = frozenset({Law.IDEMPOTENT, Law.REPLAY_SAFE})
    reasons = ORDERING_REASONS

    def uses_ordering(self, config: MergerConfig) -> bool:
        """Return False: ordering values are stored and not compared."""
        return False

    def needs(self, schema: pa.Schema, config: MergerConfig) -> tuple[str, ...]:
        """Return no columns: each column is filled separately, and ordering columns are always read."""
        return ()

    def merge(self, older: Records, newer: Records, context: RecordContext, config: MergerConfig) -> Outcome:
        """Return TAKE for all records; columns that a newer row does not set are filled from an older row."""
        gaps = partial_gaps(self.partial, self.unavailable_value)
        outcome = fill(older, newer, np.ones(len(newer), dtype=bool), gaps, fillable(context.schema))
        return evolve(outcome, reason=arrival_reason(context, len(newer)))


@hookimpl
def hoodoo_merger() -> type[CommitTimePartial]:
    """Return the class of the plugin."""
    return CommitTimePartial
