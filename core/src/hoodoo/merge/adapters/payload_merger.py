"""Payloads run through one merger, which alone is told where two versions meet."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

import numpy as np
import pyarrow as pa
from attrs import frozen

from hoodoo.plugin.interface import Payload
from hoodoo.record import Choice, Law, MergerConfig, Outcome, RecordContext, Records
from hoodoo.record.outcome import NO_REASON

__all__ = ["PayloadBridge", "Stage"]


class Stage(Enum):
    """Where two versions of a key meet."""

    BATCH = "batch"
    """Both came with this write."""
    LOG = "log"
    """Both stand in logs, written by different commits."""
    STORAGE = "storage"
    """One is stored, the other came with this write."""


_FORGOTTEN = -2


@frozen
class PayloadBridge:
    """A payload as a merger, at one stage."""

    payload: Payload
    stage: Stage

    @property
    def laws(self) -> frozenset[Law]:
        """The payload's claims; they are about its `pre_combine`."""
        return self.payload.laws

    @property
    def reasons(self) -> Mapping[int, str]:
        """The payload's sentences, and the bridge's own."""
        forgotten = "between two commits a payload forgets a delete, as storage does, and takes what comes after it"
        return {**getattr(self.payload, "reasons", {}), _FORGOTTEN: forgotten}

    def merge(self, older: Records, newer: Records, context: RecordContext, config: MergerConfig) -> Outcome:
        """`pre_combine` within a batch, `combine_and_get_update_value` against storage.

        Between logs it is as it would be had the older commit gone to storage: it is combined where it is a row, and
        forgotten where it is a delete.
        """
        if self.stage is Stage.BATCH:
            return self.payload.pre_combine(older, newer, context, config)
        if self.stage is Stage.LOG and older.is_delete.any():
            return self._between_logs(older, newer, context, config)
        return self.payload.combine_and_get_update_value(older, newer, context, config)

    def _between_logs(self, older: Records, newer: Records, context: RecordContext, config: MergerConfig) -> Outcome:
        rows = np.flatnonzero(~older.is_delete)
        choice = np.full(len(newer), Choice.TAKE, dtype=np.int8)
        reason = np.full(len(newer), _FORGOTTEN, dtype=np.int8) if context.explaining else None
        if not len(rows):
            return Outcome(choice, reason=reason)
        outcome = self.payload.combine_and_get_update_value(older.take(rows), newer.take(rows), context, config)
        choice[rows] = outcome.choice
        if reason is not None:
            reason[rows] = NO_REASON if outcome.reason is None else outcome.reason
        if not outcome.patch:
            return Outcome(choice, reason=reason)
        patched = np.zeros(len(newer), dtype=bool)
        patched[rows] = True if outcome.patched is None else outcome.patched
        places = np.zeros(len(newer), dtype=np.int64)
        places[rows] = np.arange(len(rows))
        patch = {name: values.take(pa.array(places)) for name, values in outcome.patch.items()}
        return Outcome(choice, patch, patched, reason)

    def insert(self, newer: Records, context: RecordContext, config: MergerConfig) -> Outcome:
        """`get_insert_value`."""
        return self.payload.get_insert_value(newer, context, config)
