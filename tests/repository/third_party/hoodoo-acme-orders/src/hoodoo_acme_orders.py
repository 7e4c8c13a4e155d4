"""Orders: the highest amount wins, and a void order is a delete."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from attrs import frozen
from numpy.typing import NDArray

from hoodoo.plugin import BaseMerger, MergeMode, RowPayload, Substitute, hookimpl, option
from hoodoo.record import BufferedRecord, DeleteContext, MergerConfig, Ordering, Outcome, RecordContext, Records

__version__ = "1.0.0"


@frozen
class Highest(BaseMerger):
    """Merger by the larger value of a column; the ordering values of the table do not matter."""

    merge_mode = MergeMode(
        "ACME_HIGHEST_ORDERING",
        "5f7c0a9e-4f0e-4a54-9b55-0d1f4f3a8a11",
        payload_class="com.acme.hudi.HighestPayload",
    )
    delete_rules = ("acme-void",)
    column: str = option(default="amount", help="Column whose larger value wins.")

    def uses_ordering(self, config: MergerConfig) -> bool:
        """Return False, because the column decides instead of the ordering value."""
        return False

    def merge(self, older: Records, newer: Records, context: RecordContext, config: MergerConfig) -> Outcome:
        """Return TAKE for a delete, and for a row whose value is at least that of an older row; otherwise KEEP."""
        ours, theirs = (Ordering.of((self.column,), (side.column(self.column),), len(side)) for side in (newer, older))
        return Outcome.take_where(newer.is_delete | (~older.is_delete & (ours.compare(theirs) >= 0)))


@frozen
class Feed(RowPayload):
    """Payload by which the later arrival wins; tables of version 9 are merged by the highest points instead."""

    hudi_class = "com.acme.hudi.FeedPayload"
    delete_rules = ("acme-void",)
    substitute = Substitute("acme-highest", {"column": "points"}, delete=("status", "gone"), ordering=("points",))

    def uses_ordering(self, config: MergerConfig) -> bool:
        """Return False, because the later arrival always wins."""
        return False

    def pre_combine(
        self, older: BufferedRecord, newer: BufferedRecord, context: RecordContext, config: MergerConfig
    ) -> BufferedRecord:
        """Return the newer record."""
        return newer

    def combine_and_get_update_value(
        self, stored: BufferedRecord, incoming: BufferedRecord, context: RecordContext, config: MergerConfig
    ) -> BufferedRecord:
        """Return the incoming record."""
        return incoming


class Void:
    """Delete rule without the base class: `status`, or the configured field, is `void` or the configured marker."""

    def is_delete(self, rows: pa.Table, context: DeleteContext) -> NDArray[np.bool_]:
        """Return one boolean per row, true for a delete."""
        status = rows[context.field or "status"].combine_chunks()
        found: NDArray[np.bool_] = (
            pc.equal(status, context.marker or "void").fill_null(False).to_numpy(zero_copy_only=False)
        )
        return found


@hookimpl
def hoodoo_merger() -> type[Highest]:
    """Return the merger."""
    return Highest


@hookimpl
def hoodoo_payload() -> type[Feed]:
    """Return the payload."""
    return Feed


@hookimpl
def hoodoo_delete_rule() -> type[Void]:
    """Return the delete rule."""
    return Void
