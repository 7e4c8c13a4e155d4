"""Outcome of all pairs, collected from a rule in row form that returns one record at a time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from hoodoo.errors import PluginFault
from hoodoo.merge.survivors import choose
from hoodoo.record import BufferedRecord, Choice, Outcome, Records
from hoodoo.record.outcome import NO_REASON
from hoodoo.schema.columns import has_column

__all__ = ["OutcomeCollector"]

TAKE, KEEP, DELETE = map(int, (Choice.TAKE, Choice.KEEP, Choice.DELETE))  # arrays are built faster from numbers


class OutcomeCollector:
    """Collector of the records that a rule returned for each pair, which builds the outcome."""

    def __init__(self, older: Records, newer: Records) -> None:
        self._older = older
        self._newer = newer
        self._choice: list[int] = []
        self._changes: dict[int, Mapping[str, Any]] = {}
        self._changed: list[int] = []
        self._values: defaultdict[str, tuple[list[int], list[Any]]] = defaultdict(lambda: ([], []))
        self._reasons: dict[int, int] = {}

    def add(self, a: BufferedRecord, b: BufferedRecord, result: Any) -> None:
        """Add the result for the next pair. Raise `PluginFault` if it is neither a record nor None."""
        if result is b:
            self._choice.append(TAKE)
        elif result is a or result is None:
            self._choice.append(KEEP)
        elif isinstance(result, BufferedRecord):
            self._add_changed(a, b, result)
        else:
            raise PluginFault(
                f"it returned {type(result).__name__} instead of a BufferedRecord; return `older`, `newer`, "
                "`newer.with_data(column=value)` or `newer.as_delete()`",
                keys=f"key '{b.key}'",
            )

    def _add_changed(self, a: BufferedRecord, b: BufferedRecord, result: BufferedRecord) -> None:
        source, row = result.origin, len(self._choice)
        if result.reason is not None:
            self._reasons[row] = result.reason
        if result.is_delete and not (source is not None and source.is_delete):
            self._choice.append(DELETE)
            return
        changed = result.changes if source is a or source is b else result.data
        if changed:
            self._changes[row] = changed
        self._choice.append(KEEP if source is a else TAKE)

    def resolve(self) -> None:
        """Convert the values set since the last call to columns, so that the dictionaries of the rows are freed."""
        changes, self._changes = self._changes, {}
        self._changed += changes
        for name in dict.fromkeys(name for changed in changes.values() for name in changed):
            rows, values = self._values[name]
            rows += [row for row, changed in changes.items() if name in changed]
            values += [changed[name] for changed in changes.values() if name in changed]

    def outcome(self) -> Outcome:
        """Return the outcome of all pairs.

        Raises:
            PluginFault: The rule set a column that the table lacks or that was not read, or set a column to a value of
                another type.
        """
        self.resolve()
        choice = np.array(self._choice, dtype=np.int8)
        patched, reasons = None, None
        if self._changed:
            patched = np.zeros(len(choice), dtype=bool)
            patched[self._changed] = True
        if self._reasons:
            reasons = np.full(len(choice), NO_REASON, dtype=np.int8)
            reasons[list(self._reasons)] = list(self._reasons.values())
        patch = {name: self._column(name, choice, *given) for name, given in self._values.items()}
        return Outcome(choice, patch, patched, reasons)

    def _column(self, name: str, choice: NDArray[np.int8], rows: list[int], values: list[Any]) -> pa.Array:
        """Return a column of the chosen records with the values that the rule set in some rows."""
        if not has_column(self._newer.schema, name):
            self._newer.source.check_read(name)
            raise PluginFault(f"it set column '{name}', which the table does not have; use only columns of the table")
        type_ = self._newer.schema.field(name).type
        try:
            given = pa.array([_thaw(value) for value in values] if pa.types.is_nested(type_) else values, type_)
        except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError, TypeError) as error:
            raise PluginFault(
                f"it set column '{name}' to a value that is not of type {type_}: {error}; convert the value"
            ) from error
        chosen = choose(choice == TAKE, self._older.column(name), self._newer.column(name))
        places = np.arange(len(choice))
        places[rows] = len(choice) + np.arange(len(given))
        return pa.concat_arrays([chosen.cast(given.type), given]).take(pa.array(places))


def _thaw(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _thaw(item) for key, item in value.items()}
    if isinstance(value, (tuple, list)):
        return type(value)(_thaw(item) for item in value)  # a map's pairs must stay tuples
    return value
