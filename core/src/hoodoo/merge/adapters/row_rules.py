"""Adapters of rules that process one record at a time to the vectorised form.

The rules are called only for keys with an older and a newer version, except the method `get_insert_value` of a payload,
which is called for new keys. A column is decoded when a rule first reads it, timestamps in ordering values are
integers, and a rule that returns one of its arguments without reading a column needs no decoding at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from hoodoo.errors import HoodooError, PluginFault
from hoodoo.merge.adapters.row_outcome import OutcomeCollector
from hoodoo.merge.adapters.row_records import decoded
from hoodoo.plugin.base import BaseMerger, BasePayload, RowMerger, RowPayload
from hoodoo.plugin.completion import completed
from hoodoo.plugin.interface import Payload, RecordMerger
from hoodoo.record import BufferedRecord, Choice, Law, MergerConfig, Outcome, RecordContext, Records

__all__ = ["vectorised_merger", "vectorised_payload"]

PART = 4096


def vectorised_merger(merger: RecordMerger | RowMerger) -> BaseMerger:
    """Return the completed merger, or an adapter if it is in row form."""
    return _RowMergerAdapter(merger) if isinstance(merger, RowMerger) else completed(merger, BaseMerger)


def vectorised_payload(payload: Payload | RowPayload) -> BasePayload:
    """Return the completed payload, or an adapter if it is in row form."""
    return _RowPayloadAdapter(payload) if isinstance(payload, RowPayload) else completed(payload, BasePayload)


@frozen
class _RowMergerAdapter(BaseMerger):
    merger: RowMerger
    laws: frozenset[Law] = field(init=False)
    reasons: Mapping[int, str] = field(init=False)

    @laws.default
    def _claimed(self) -> frozenset[Law]:
        return self.merger.laws

    @reasons.default
    def _sentences(self) -> Mapping[int, str]:
        return self.merger.reasons

    def merge(self, older: Records, newer: Records, context: RecordContext, config: MergerConfig) -> Outcome:
        return _each_pair(self.merger.merge, older, newer, context, config)

    def adapts(self, method: str) -> tuple[RowMerger, str]:
        return self.merger, method


@frozen
class _RowPayloadAdapter(BasePayload):
    payload: RowPayload
    laws: frozenset[Law] = field(init=False)
    reasons: Mapping[int, str] = field(init=False)

    @laws.default
    def _claimed(self) -> frozenset[Law]:
        return self.payload.laws

    @reasons.default
    def _sentences(self) -> Mapping[int, str]:
        return self.payload.reasons

    def pre_combine(self, older: Records, newer: Records, context: RecordContext, config: MergerConfig) -> Outcome:
        return _each_pair(self.payload.pre_combine, older, newer, context, config)

    def combine_and_get_update_value(
        self, stored: Records, incoming: Records, context: RecordContext, config: MergerConfig
    ) -> Outcome:
        return _each_pair(self.payload.combine_and_get_update_value, stored, incoming, context, config)

    def get_insert_value(self, incoming: Records, context: RecordContext, config: MergerConfig) -> Outcome:
        if type(self.payload).get_insert_value is RowPayload.get_insert_value:
            return Outcome.all(Choice.TAKE, len(incoming))
        return _each_pair(self._inserted, incoming, incoming, context, config)

    def adapts(self, method: str) -> tuple[RowPayload, str]:
        return self.payload, method

    def _inserted(
        self, _: BufferedRecord, incoming: BufferedRecord, context: RecordContext, config: MergerConfig
    ) -> BufferedRecord | None:
        return self.payload.get_insert_value(incoming, context, config)


def _each_pair(
    rule: Callable[..., BufferedRecord | None],
    older: Records,
    newer: Records,
    context: RecordContext,
    config: MergerConfig,
) -> Outcome:
    answers = OutcomeCollector(older, newer)
    for rows in _parts(len(newer)):
        left, right = decoded(older.take(rows)), decoded(newer.take(rows))
        try:
            for a, b in zip(left, right, strict=True):
                answers.add(a, b, rule(a, b, context, config))
        except HoodooError:
            raise  # its message is the rule's, and remains unchanged
        except Exception as error:
            text = f"it raised {type(error).__name__}: {error}{_about_deletes(error, a, b) or _about_changes(error)}"
            raise PluginFault(text, keys=f"key '{b.key}'") from error
        answers.resolve()
    return answers.outcome()


def _about_deletes(error: Exception, older: BufferedRecord, newer: BufferedRecord) -> str:
    """Return advice for a rule that uses the data of a key-only delete, which has none; "" for other errors."""
    without = [side for side, record in (("older", older), ("newer", newer)) if record.data is None]
    if not without or "NoneType" not in str(error) or not isinstance(error, (TypeError, AttributeError)):
        return ""
    named = " and ".join(f"`{side}.data`" for side in without)
    checks = " or ".join(f"{side}.data is None" for side in without)
    return f"; {named} of a key-only delete is None: decide such pairs first, `if {checks}:`"


def _about_changes(error: Exception) -> str:
    """Return advice for a rule that changes a row in place; "" for other errors."""
    if isinstance(error, TypeError) and "does not support item" in str(error):
        return "; a row cannot be changed: return newer.with_data(column=value)"
    return ""


def _parts(length: int) -> Iterator[NDArray[np.int64]]:
    """Yield row numbers in parts, so that the objects of a part are freed before those of the next part are created."""
    return (np.arange(start, min(start + PART, length)) for start in range(0, length, PART))
