"""The version of a key with the greatest ordering value wins or, without ordering columns, the last to arrive."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from attrs import frozen

from hoodoo.plugin import hookimpl, option
from hoodoo.plugin.helpers.ordering_reasons import ORDERING_REASONS, ordering_reason
from hoodoo.record import Law, MergerConfig, Outcome, RecordContext, Records

__version__ = "0.1.0"

IGNORED = 100
AFTER_IGNORED = 101


@frozen(slots=False)
class Deduplicate:
    """Merger of Paimon's `deduplicate`. The ordering columns are its `sequence.field`.

    Deletes are merged like rows, except that a newer delete without an ordering value always wins. With
    `ignore_delete`, deletes are dropped.
    """

    ignore_delete: bool = option(default=False, help="Drop deletes instead of applying them.")

    laws = frozenset(
        {
            Law.ASSOCIATIVE,
            Law.ORDER_INDEPENDENT,
            Law.IDEMPOTENT,
            Law.REPLAY_SAFE,
            Law.DELETE_STICKY,
            Law.ORDERING_IS_MAX,
        }
    )
    whole_versions = True

    reasons = ORDERING_REASONS | {
        IGNORED: "a delete is ignored",
        AFTER_IGNORED: "the older version is a delete that was ignored, and loses to any row",
    }

    def __attrs_post_init__(self) -> None:
        if self.ignore_delete:
            object.__setattr__(self, "laws", frozenset({Law.IDEMPOTENT, Law.REPLAY_SAFE}))

    def needs(self, schema: pa.Schema, config: MergerConfig) -> tuple[str, ...]:
        """Return no columns: the rule needs only the ordering columns."""
        return ()

    def merge(self, older: Records, newer: Records, context: RecordContext, config: MergerConfig) -> Outcome:
        """Return TAKE if the newer ordering value is not less, or if the newer version is a delete without one.

        With `ignore_delete`, a row always replaces a delete, and a delete never replaces a row.
        """
        deletes, deleted = newer.is_delete, older.is_delete
        applied = deletes & newer.ordering.absent
        take = applied | (newer.ordering.compare(older.ordering) >= 0)
        if self.ignore_delete:
            take = (take & (deletes == deleted)) | (deleted & ~deletes)
        reason = ordering_reason(context, older, newer, take, applied=applied, followed=np.zeros_like(take))
        if reason is not None and self.ignore_delete:
            reason[deletes & ~deleted], reason[deleted & ~deletes] = IGNORED, AFTER_IGNORED
        return Outcome.take_where(take, reason)


@hookimpl
def hoodoo_merger() -> type[Deduplicate]:
    """Return the class of the plugin."""
    return Deduplicate
