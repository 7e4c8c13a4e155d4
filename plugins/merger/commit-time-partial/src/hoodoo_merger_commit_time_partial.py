"""The newer arrival wins, and columns that it does not set keep their older values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from attrs import Attribute, evolve, frozen

from hoodoo.plugin import MergeMode, hookimpl, option
from hoodoo.plugin.helpers.ordering_reasons import ORDERING_REASONS, arrival_reason
from hoodoo.plugin.helpers.partial_update import (
    PARTIAL_MODES,
    PARTIAL_UPDATES,
    UNAVAILABLE_VALUE,
    fill,
    fillable,
    partial_gaps,
)
from hoodoo.record import Law, MergerConfig, Outcome, RecordContext, Records

__version__ = "0.1.0"


def _is_mode(instance: Any, attribute: Attribute[str], value: str) -> None:
    partial_gaps(value, UNAVAILABLE_VALUE)


@frozen
class CommitTimePartial:
    """Merger of Hudi's COMMIT_TIME_ORDERING with a partial update mode. Deletes win or lose whole, and fill nothing."""

    merge_mode = MergeMode(
        "COMMIT_TIME_ORDERING", "ce9acb64-bde0-424c-9b91-f6ebba25356d", partial_updates=PARTIAL_UPDATES
    )

    partial: str = option(
        validator=_is_mode,
        help=f"Values that count as not set: {', '.join(PARTIAL_MODES)}; absent, default, or marker.",
    )
    unavailable_value: str = option(
        default=UNAVAILABLE_VALUE,
        key="hoodie.write.partial.update.unavailable.value",
        help="The marker of fill-unavailable in string and bytes columns.",
    )

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
        """Return TAKE for all records, with columns that the newer one does not set filled from the older one."""
        gaps = partial_gaps(self.partial, self.unavailable_value)
        outcome = fill(older, newer, np.ones(len(newer), dtype=bool), gaps, fillable(context.schema))
        return evolve(outcome, reason=arrival_reason(context, len(newer)))


@hookimpl
def hoodoo_merger() -> type[CommitTimePartial]:
    """Return the class of the plugin."""
    return CommitTimePartial
