"""Rules written one record at a time, run as vectorised ones.

Only keys with both sides come here. Columns are decoded when a rule first asks for them, timestamps stay integers
unless their column is read, and a rule that returns one of its arguments costs no decoding at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np
import pyarrow as pa
from attrs import evolve, frozen
from numpy.typing import NDArray

from hoodoo.errors import HoodooError, PluginFault
from hoodoo.merge.apply import choose
from hoodoo.plugin.interface import Payload, RecordMerger, RowMerger, RowPayload
from hoodoo.record import BufferedRecord, Choice, Law, MergerConfig, Operation, Outcome, RecordContext, Records
from hoodoo.record.outcome import NO_REASON

__all__ = ["vectorised_merger", "vectorised_payload"]

PART = 4096
_OPERATIONS = tuple(Operation(code) for code in range(len(Operation)))


def vectorised_merger(merger: RecordMerger | RowMerger) -> RecordMerger:
    """The merger itself, or an adapter around one of row form."""
    return _RowMergerAdapter(merger) if isinstance(merger, RowMerger) else merger


def vectorised_payload(payload: Payload | RowPayload) -> Payload:
    """The payload itself, or an adapter around one of row form."""
    return _RowPayloadAdapter(payload) if isinstance(payload, RowPayload) else payload


@frozen
class _RowMergerAdapter:
    merger: RowMerger

    @property
    def laws(self) -> frozenset[Law]:
        return self.merger.laws

    @property
    def reasons(self) -> Mapping[int, str]:
        return self.merger.reasons

    def merge(self, older: Records, newer: Records, context: RecordContext, config: MergerConfig) -> Outcome:
        return _each_pair(self.merger.merge, older, newer, context, config)


@frozen
class _RowPayloadAdapter:
    payload: RowPayload

    @property
    def laws(self) -> frozenset[Law]:
        return self.payload.laws

    @property
    def reasons(self) -> Mapping[int, str]:
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
        answers = _Answers(incoming, incoming)
        for rows in _parts(len(incoming)):
            for record in _decoded(incoming.take(rows)):
                try:
                    result = self.payload.get_insert_value(record, context, config)
                except HoodooError:
                    raise
                except Exception as error:
                    raise _fault(error, record.key) from error
                answers.add(record, record, result)
        return answers.outcome()


def _each_pair(
    rule: Callable[..., BufferedRecord | None],
    older: Records,
    newer: Records,
    context: RecordContext,
    config: MergerConfig,
) -> Outcome:
    answers = _Answers(older, newer)
    for rows in _parts(len(newer)):
        left, right = _decoded(older.take(rows)), _decoded(newer.take(rows))
        try:
            for a, b in zip(left, right, strict=True):
                answers.add(a, b, rule(a, b, context, config))
        except HoodooError:
            raise  # the rule says itself what is wrong
        except Exception as error:
            raise _fault(error, b.key) from error
    return answers.outcome()


def _parts(length: int) -> Iterator[NDArray[np.int64]]:
    """Row numbers, some at a time: the objects of a part are gone before those of the next are made."""
    return (np.arange(start, min(start + PART, length)) for start in range(0, length, PART))


def _fault(error: Exception, key: str) -> PluginFault:
    return PluginFault(f"it raised {type(error).__name__}: {error} (key '{key}')")


class _Answers:
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
        # of a new key there is one record, which stands on both sides
        self._choice.append(Choice.KEEP if source is a and source is not b else Choice.TAKE)

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


def _decoded(records: Records) -> Iterator[BufferedRecord]:
    columns = _Columns(records)
    return (_Decoded(columns, row) for row in range(len(records)))


class _Decoded(BufferedRecord):
    """A record of a view: what nobody asks for is never made."""

    __slots__ = ("_columns", "_row")
    _columns: _Columns
    _row: int

    def __init__(self, columns: _Columns, row: int) -> None:
        # the class is frozen
        object.__setattr__(self, "_columns", columns)
        object.__setattr__(self, "_row", row)

    @property
    def key(self) -> str:
        return self._columns.record_keys[self._row]

    @property
    def ordering(self) -> tuple[Any, ...] | None:
        return self._columns.ordering[self._row]

    @property
    def data(self) -> Mapping[str, Any] | None:
        return _Row(self._columns, self._row) if self._columns.has_data[self._row] else None

    @property
    def schema_id(self) -> int:
        return 0

    @property
    def operation(self) -> Operation:
        return _OPERATIONS[self._columns.operation[self._row]]

    @property
    def changes(self) -> None:
        return None

    @property
    def origin(self) -> None:
        return None

    @property
    def reason(self) -> None:
        return None


def _orderings(records: Records) -> list[tuple[Any, ...] | None]:
    ordering = records.ordering
    if not ordering.values:
        return [None] * len(records)
    rows: Iterable[tuple[Any, ...]] = zip(*(_objects(_integers(values)) for values in ordering.values), strict=True)
    if not ordering.absent.any():
        return list(rows)
    return [None if absent else values for values, absent in zip(rows, ordering.absent.tolist(), strict=True)]


def _integers(values: pa.Array) -> pa.Array:
    if pa.types.is_timestamp(values.type) or pa.types.is_time64(values.type):
        return values.view(pa.int64())
    return values.view(pa.int32()) if pa.types.is_date32(values.type) else values


def _objects(values: pa.Array) -> list[Any]:
    """The values as Python objects: `to_pylist`, and several times faster for plain types."""
    type_ = values.type
    numbers = pa.types.is_integer(type_) or pa.types.is_float32(type_) or pa.types.is_float64(type_)
    if (numbers and not values.null_count) or pa.types.is_string(type_) or pa.types.is_binary(type_):
        return values.to_numpy(zero_copy_only=False).tolist()  # type: ignore[no-any-return]
    return values.to_pylist()  # type: ignore[no-any-return]


class _Columns(dict[str, list[Any]]):
    """Decoded columns of some records by name, each decoded when it is first asked for, and so is the rest."""

    def __init__(self, records: Records) -> None:
        super().__init__()
        self._records = records
        self.names = records.schema.names

    def __missing__(self, name: str) -> list[Any]:
        if name not in self.names:
            raise KeyError(name)
        values = self._records.column(name)
        decoded = _objects(values)
        self[name] = [_freeze(v) for v in decoded] if pa.types.is_nested(values.type) else decoded
        return self[name]

    @cached_property
    def record_keys(self) -> list[str]:
        return _objects(self._records.keys)

    @cached_property
    def ordering(self) -> list[tuple[Any, ...] | None]:
        return _orderings(self._records)

    @cached_property
    def operation(self) -> list[int]:
        return self._records.operation.tolist()  # type: ignore[no-any-return]

    @cached_property
    def has_data(self) -> list[bool]:
        return self._records.has_data.tolist()  # type: ignore[no-any-return]


class _Row(Mapping[str, Any]):
    __slots__ = ("_columns", "_row")

    def __init__(self, columns: _Columns, row: int) -> None:
        self._columns = columns
        self._row = row

    def __getitem__(self, name: str) -> Any:
        return self._columns[name][self._row]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns.names)

    def __len__(self) -> int:
        return len(self._columns.names)


def _freeze(value: Any) -> Any:
    """Nested values that cannot be changed in place: a change that is not returned would be lost without a word."""
    if isinstance(value, list):
        return tuple(_freeze(item) for item in value)
    if isinstance(value, dict):
        return MappingProxyType({key: _freeze(item) for key, item in value.items()})
    return value


def _thaw(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _thaw(item) for key, item in value.items()}
    if isinstance(value, (tuple, list)):
        return type(value)(_thaw(item) for item in value)  # a map's pairs must stay tuples
    return value
