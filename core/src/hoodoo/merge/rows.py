"""Rules written one record at a time, run as vectorised ones.

Only keys with both sides come here. Columns are decoded when a rule first asks for them, timestamps stay integers
unless their column is read, and a rule that returns one of its arguments costs no decoding at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
import pyarrow as pa
from attrs import evolve, frozen

from hoodoo.errors import HoodooError, PluginFault
from hoodoo.merge.apply import choose
from hoodoo.plugin.interface import Payload, RecordMerger, RowMerger, RowPayload
from hoodoo.record import BufferedRecord, Choice, Law, MergerConfig, Operation, Outcome, RecordContext, Records
from hoodoo.record.outcome import NO_REASON

__all__ = ["vectorised_merger", "vectorised_payload"]


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
        records = _decode(incoming)
        results = [_call(self.payload.get_insert_value, record.key, record, context, config) for record in records]
        return _encode(records, records, results, incoming, incoming)


def _each_pair(
    rule: Callable[..., BufferedRecord | None],
    older: Records,
    newer: Records,
    context: RecordContext,
    config: MergerConfig,
) -> Outcome:
    left, right = _decode(older), _decode(newer)
    results = [_call(rule, b.key, a, b, context, config) for a, b in zip(left, right, strict=True)]
    return _encode(left, right, results, older, newer)


def _call(rule: Callable[..., BufferedRecord | None], key: str, *arguments: Any) -> BufferedRecord | None:
    try:
        return rule(*arguments)
    except HoodooError:
        raise  # the rule says itself what is wrong
    except Exception as error:
        raise PluginFault(f"it raised {type(error).__name__}: {error} (key '{key}')") from error


def _encode(
    left: list[BufferedRecord],
    right: list[BufferedRecord],
    results: list[BufferedRecord | None],
    older: Records,
    newer: Records,
) -> Outcome:
    choice = np.empty(len(results), dtype=np.int8)
    changes: dict[int, Mapping[str, Any]] = {}
    for row, (a, b, result) in enumerate(zip(left, right, results, strict=True)):
        if result is b:
            choice[row] = Choice.TAKE
        elif result is a or result is None:
            choice[row] = Choice.KEEP
        elif not isinstance(result, BufferedRecord):
            raise PluginFault(f"it returned {type(result).__name__} instead of a BufferedRecord (key '{b.key}')")
        else:
            source = result.origin
            if result.is_delete and not (source is not None and source.is_delete):
                choice[row] = Choice.DELETE
                continue
            choice[row] = Choice.KEEP if source is a else Choice.TAKE
            changed = result.changes if source is a or source is b else result.data
            if changed:
                changes[row] = changed
    outcome = _with_patch(choice, changes, older, newer) if changes else Outcome(choice)
    reasons = [NO_REASON if result is None or result.reason is None else result.reason for result in results]
    if any(reason != NO_REASON for reason in reasons):
        outcome = evolve(outcome, reason=np.array(reasons, dtype=np.int8))
    return outcome


def _with_patch(
    choice: np.ndarray[Any, np.dtype[np.int8]], changes: dict[int, Mapping[str, Any]], older: Records, newer: Records
) -> Outcome:
    patch: dict[str, pa.Array] = {}
    patched = np.zeros(len(choice), dtype=bool)
    patched[list(changes)] = True
    for name in dict.fromkeys(name for changed in changes.values() for name in changed):
        if name not in newer.schema.names:
            raise PluginFault(f"it set column '{name}', which the table does not have")
        values: list[Any] = [None] * len(choice)
        mask = np.zeros(len(choice), dtype=bool)
        for row, changed in changes.items():
            if name in changed:
                values[row], mask[row] = _thaw(changed[name]), True
        try:
            array = pa.array(values, type=newer.schema.field(name).type)
        except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError, TypeError) as error:
            raise PluginFault(
                f"it set column '{name}' to a value that is no {newer.schema.field(name).type}: {error}"
            ) from error
        chosen = choose(choice == Choice.TAKE, older.column(name), newer.column(name))
        patch[name] = choose(mask, chosen, array)
    return Outcome(choice, patch, patched)


def _decode(records: Records) -> list[BufferedRecord]:
    columns = _Columns(records)
    ordering = _orderings(records)
    operations = [Operation(code) for code in records.operation.tolist()]
    has_data = records.has_data.tolist()
    return [
        BufferedRecord(key, values, _Row(columns, row) if has_data[row] else None, 0, operation)
        for row, (key, values, operation) in enumerate(zip(records.keys.to_pylist(), ordering, operations, strict=True))
    ]


def _orderings(records: Records) -> list[tuple[Any, ...] | None]:
    ordering = records.ordering
    columns = [_integers(values).to_pylist() for values in ordering.values]
    rows = zip(*columns, strict=True) if columns else [()] * len(records)
    return [None if absent else values for values, absent in zip(rows, ordering.absent.tolist(), strict=True)]


def _integers(values: pa.Array) -> pa.Array:
    if pa.types.is_timestamp(values.type) or pa.types.is_time64(values.type):
        return values.view(pa.int64())
    return values.view(pa.int32()) if pa.types.is_date32(values.type) else values


class _Columns:
    """Decoded columns of some records, each decoded once."""

    def __init__(self, records: Records) -> None:
        self._records = records
        self._decoded: dict[str, list[Any]] = {}
        self.names = records.schema.names

    def values(self, name: str) -> list[Any]:
        if name not in self._decoded:
            values = self._records.column(name)
            decoded = values.to_pylist()
            self._decoded[name] = [_freeze(v) for v in decoded] if pa.types.is_nested(values.type) else decoded
        return self._decoded[name]


class _Row(Mapping[str, Any]):
    __slots__ = ("_columns", "_row")

    def __init__(self, columns: _Columns, row: int) -> None:
        self._columns = columns
        self._row = row

    def __getitem__(self, name: str) -> Any:
        if name not in self._columns.names:
            raise KeyError(name)
        return self._columns.values(name)[self._row]

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
