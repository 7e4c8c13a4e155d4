"""Records of a view as objects with lazily decoded values, for rules in row form."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from types import MappingProxyType
from typing import Any

import pyarrow as pa

from hoodoo.record import BufferedRecord, Operation, Records
from hoodoo.schema.columns import has_column

__all__ = ["decoded"]

_OPERATIONS = tuple(Operation(code) for code in range(len(Operation)))


def decoded(records: Records) -> Iterator[BufferedRecord]:
    """Yield the records of a view as objects, whose values are decoded on first access."""
    columns = _Columns(records)
    return (_Decoded(columns, row) for row in range(len(records)))


class _Decoded(BufferedRecord):
    """Record of a view whose values are decoded on first access."""

    __slots__ = ("_columns", "_row")
    _columns: _Columns
    _row: int

    def __init__(self, columns: _Columns, row: int) -> None:
        _set_columns(self, columns)
        _set_row(self, row)

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
    def is_delete(self) -> bool:
        return self._columns.is_delete[self._row]

    @property
    def changes(self) -> None:
        return None

    @property
    def origin(self) -> None:
        return None

    @property
    def reason(self) -> None:
        return None


# the class is frozen; setting its slots directly is the fastest way to initialise it
_set_columns, _set_row = _Decoded._columns.__set__, _Decoded._row.__set__  # type: ignore[attr-defined]  # slots


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
    """Return the values as Python objects, like `to_pylist`, but several times faster for plain types."""
    type_ = values.type
    numbers = pa.types.is_integer(type_) or pa.types.is_float32(type_) or pa.types.is_float64(type_)
    if (numbers and not values.null_count) or pa.types.is_string(type_) or pa.types.is_binary(type_):
        return values.to_numpy(zero_copy_only=False).tolist()  # type: ignore[no-any-return]
    return values.to_pylist()  # type: ignore[no-any-return]


class _Columns(dict[str, list[Any]]):
    """Decoded columns of some records by name; columns and other fields are decoded on first access."""

    def __init__(self, records: Records) -> None:
        super().__init__()
        self._records = records
        self.names = records.schema.names

    def __missing__(self, name: str) -> list[Any]:
        if not has_column(self._records.schema, name):
            self._records.source.check_read(name)
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
    def is_delete(self) -> list[bool]:
        return self._records.is_delete.tolist()  # type: ignore[no-any-return]

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
    """Return nested values in immutable form, because a change in place would be lost without an error."""
    if isinstance(value, (list, tuple)):  # a map is a list of pairs
        return tuple(_freeze(item) for item in value)
    if isinstance(value, dict):
        return MappingProxyType({key: _freeze(item) for key, item in value.items()})
    return value
