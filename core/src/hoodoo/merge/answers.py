"""What a rule in row form answers, one record at a time, as the outcome of all pairs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa
from attrs import evolve

from hoodoo.errors import PluginFault
from hoodoo.merge.apply import choose
from hoodoo.record import BufferedRecord, Choice, Outcome, Records
from hoodoo.record.outcome import NO_REASON

__all__ = ["Answers"]


class Answers:
    """What a rule answered to each pair of records, as an outcome."""

    def __init__(self, older: Records, newer: Records) -> None:
        self._older = older
        self._newer = newer
        self._choice: list[Choice] = []
        self._changes: dict[int, Mapping[str, Any]] = {}
        self._reasons: dict[int, int] = {}

    def add(self, a: BufferedRecord, b: BufferedRecord, result: Any) -> None:
        """The answer to the next pair."""
        if result is b:
            self._choice.append(Choice.TAKE)
        elif result is a or result is None:
            self._choice.append(Choice.KEEP)
        elif isinstance(result, BufferedRecord):
            self._add_changed(a, b, result)
        else:
            raise PluginFault(f"it returned {type(result).__name__} instead of a BufferedRecord (key '{b.key}')")

    def _add_changed(self, a: BufferedRecord, b: BufferedRecord, result: BufferedRecord) -> None:
        source = result.origin
        if result.reason is not None:
            self._reasons[len(self._choice)] = result.reason
        if result.is_delete and not (source is not None and source.is_delete):
            self._choice.append(Choice.DELETE)
            return
        changed = result.changes if source is a or source is b else result.data
        if changed:
            self._changes[len(self._choice)] = changed
        self._choice.append(Choice.KEEP if source is a else Choice.TAKE)

    def outcome(self) -> Outcome:
        """All answers."""
        choice = np.array(self._choice, dtype=np.int8)
        changes = self._changes
        outcome = _with_patch(choice, changes, self._older, self._newer) if changes else Outcome(choice)
        if not self._reasons:
            return outcome
        reasons = np.full(len(choice), NO_REASON, dtype=np.int8)
        reasons[list(self._reasons)] = list(self._reasons.values())
        return evolve(outcome, reason=reasons)


def _with_patch(
    choice: np.ndarray[Any, np.dtype[np.int8]], changes: dict[int, Mapping[str, Any]], older: Records, newer: Records
) -> Outcome:
    patch: dict[str, pa.Array] = {}
    patched = np.zeros(len(choice), dtype=bool)
    patched[list(changes)] = True
    for name in dict.fromkeys(name for changed in changes.values() for name in changed):
        if name not in newer.schema.names:
            raise PluginFault(f"it set column '{name}', which the table does not have")
        rows = [row for row, changed in changes.items() if name in changed]
        values = [changed[name] for changed in changes.values() if name in changed]
        type_ = newer.schema.field(name).type
        try:
            given = pa.array([_thaw(value) for value in values] if pa.types.is_nested(type_) else values, type_)
        except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError, TypeError) as error:
            raise PluginFault(f"it set column '{name}' to a value that is no {type_}: {error}") from error
        chosen = choose(choice == Choice.TAKE, older.column(name), newer.column(name))
        places = np.arange(len(choice))
        places[rows] = len(choice) + np.arange(len(given))
        patch[name] = pa.concat_arrays([chosen.cast(given.type), given]).take(pa.array(places))
    return Outcome(choice, patch, patched)


def _thaw(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _thaw(item) for key, item in value.items()}
    if isinstance(value, (tuple, list)):
        return type(value)(_thaw(item) for item in value)  # a map's pairs must stay tuples
    return value
