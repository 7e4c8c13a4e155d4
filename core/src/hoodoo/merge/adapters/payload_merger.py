"""Adapter of a payload to a merger, for each stage of a merge."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

import numpy as np
import pyarrow as pa
from attrs import field, frozen

from hoodoo.merge.outcome_check import OutcomeCheck
from hoodoo.plugin.base import BaseMerger, BasePayload
from hoodoo.plugin.faults import PluginCalls
from hoodoo.record import Choice, Law, MergerConfig, Outcome, RecordContext, Records
from hoodoo.record.outcome import NO_REASON

__all__ = ["PayloadMerger", "Stage"]


class Stage(Enum):
    """Stage of a merge: the origin of the two versions of a key."""

    BATCH = "batch"
    """Both versions are incoming rows of one write."""
    LOG = "log"
    """Both versions are in logs, written by different commits."""
    STORAGE = "storage"
    """One version is stored, the other is an incoming row."""


_FORGOTTEN = -2


@frozen
class PayloadMerger(BaseMerger):
    """Adapter of a payload to a merger, for one stage.

    Attributes:
        payload: The payload, in the vectorised form.
        stage: The stage, which determines the method of the payload that `merge` calls.
        label: Plugin, distribution and version, for messages.
        laws: The laws that the payload claims, for all stages.
        reasons: The payload's sentences, and one about deletes between logs.
    """

    payload: BasePayload
    stage: Stage
    label: str
    laws: frozenset[Law] = field(init=False)
    reasons: Mapping[int, str] = field(init=False)

    @laws.default
    def _claimed(self) -> frozenset[Law]:
        return self.payload.laws

    @reasons.default
    def _sentences(self) -> Mapping[int, str]:
        forgotten = "between two commits a payload ignores an older delete, as in storage, and takes the newer version"
        return {**self.payload.reasons, _FORGOTTEN: forgotten}

    def merge(self, older: Records, newer: Records, context: RecordContext, config: MergerConfig) -> Outcome:
        """Return the result of `pre_combine` within a batch, and of `combine_and_get_update_value` against storage.

        An older version in a log is treated as if it were in storage: a row is combined, and a delete is ignored.
        """
        if self.stage is Stage.BATCH:
            return self.payload.pre_combine(older, newer, context, config)
        if self.stage is Stage.LOG and older.is_delete.any():
            return self._between_logs(older, newer, context, config)
        return self.payload.combine_and_get_update_value(older, newer, context, config)

    def adapts(self, method: str) -> tuple[BasePayload, str]:
        """Return the payload, and the name of the method of the payload that the merger's method `method` calls."""
        if method == "insert":
            return self.payload, "get_insert_value"
        return self.payload, "pre_combine" if self.stage is Stage.BATCH else "combine_and_get_update_value"

    def _between_logs(self, older: Records, newer: Records, context: RecordContext, config: MergerConfig) -> Outcome:
        rows = np.flatnonzero(~older.is_delete)
        choice = np.full(len(newer), Choice.TAKE, dtype=np.int8)
        reason = np.full(len(newer), _FORGOTTEN, dtype=np.int8) if context.explaining else None
        if not len(rows):
            return Outcome(choice, reason=reason)
        remaining = newer.take(rows)
        outcome = self.payload.combine_and_get_update_value(older.take(rows), remaining, context, config)
        outcome = OutcomeCheck(PluginCalls(self.label, self), "merge", remaining).checked(outcome)
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
        """Return the result of `get_insert_value`."""
        return self.payload.get_insert_value(newer, context, config)
