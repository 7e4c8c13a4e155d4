"""Payloads run through one merger, which alone is told where two versions meet."""

from __future__ import annotations

from enum import Enum

from attrs import frozen

from hoodoo.plugin.interface import Payload
from hoodoo.record import Law, MergerConfig, Outcome, RecordContext, Records

__all__ = ["PayloadBridge", "Stage"]


class Stage(Enum):
    """Where two versions of a key meet."""

    BATCH = "batch"
    """Both came with this write."""
    STORAGE = "storage"
    """One is stored, the other came with this write."""


@frozen
class PayloadBridge:
    """A payload as a merger, at one stage."""

    payload: Payload
    stage: Stage

    @property
    def laws(self) -> frozenset[Law]:
        """The payload's claims; they are about its `pre_combine`."""
        return self.payload.laws

    def merge(self, older: Records, newer: Records, context: RecordContext, config: MergerConfig) -> Outcome:
        """`pre_combine` within a batch, `combine_and_get_update_value` against storage."""
        if self.stage is Stage.BATCH:
            return self.payload.pre_combine(older, newer, context, config)
        return self.payload.combine_and_get_update_value(older, newer, context, config)

    def insert(self, newer: Records, context: RecordContext, config: MergerConfig) -> Outcome:
        """`get_insert_value`."""
        return self.payload.get_insert_value(newer, context, config)
