"""A record as one object, for merge rules that process one record at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from attrs import frozen

from hoodoo.record.records import Operation

__all__ = ["BufferedRecord"]


@frozen(eq=False)
class BufferedRecord:
    """One version of one key, as defined in RFC HUDI-9798.

    Attributes:
        key: The record key.
        ordering: The ordering values, or None if the record has none. A date is its number of days since the epoch, and
            a timestamp its number of microseconds.
        data: The columns, decoded on first access; None for a key-only delete. Lists are tuples, maps are tuples of
            pairs, and structs are read-only mappings: a record is never modified, `with_data` returns a new one.
        schema_id: The id of the schema that the data was written with; always 0 in hoodoo.
        operation: The `Operation` of the version: a row, or a delete of its key.
        changes: The new values of the columns that `with_data` changed, by name; None if there are none.
        origin: The record that this one is a changed copy of; None if it is not a copy.
        reason: The code of the decision in the rule's `reasons`, which `because` sets; None without one.
    """

    key: str
    ordering: tuple[Any, ...] | None
    data: Mapping[str, Any] | None
    schema_id: int = 0
    operation: Operation = Operation.INSERT
    changes: Mapping[str, Any] | None = None
    origin: BufferedRecord | None = None
    reason: int | None = None

    @property
    def is_delete(self) -> bool:
        """Return whether the record deletes its key."""
        return self.operation in (Operation.DELETE, Operation.UPDATE_BEFORE)

    def with_data(self, **changes: Any) -> BufferedRecord:
        """Return a copy of the record with some columns changed; key, ordering, operation and reason stay the same."""
        return _Changed(self, {**self.changes, **changes} if self.changes else changes)

    def because(self, reason: int) -> BufferedRecord:
        """Return a copy with a code of the rule's `reasons`; call this only if `context.explaining` is true."""
        return self._with(self.operation, reason)

    def as_delete(self) -> BufferedRecord:
        """Return a copy marked as a delete: the key is removed, the data is kept for later merges."""
        return self._with(Operation.DELETE, self.reason)

    def _with(self, operation: Operation, reason: int | None) -> BufferedRecord:
        origin = self.origin or self
        return BufferedRecord(
            self.key, self.ordering, self.data, self.schema_id, operation, self.changes, origin, reason
        )


class _Changed(BufferedRecord):
    """Record with changed columns that stores only the difference, because rules create many such records."""

    __slots__ = ("_base",)
    _base: BufferedRecord

    def __init__(self, base: BufferedRecord, changes: Mapping[str, Any]) -> None:
        _set_base(self, base)
        _set_changes(self, changes)

    @property
    def origin(self) -> BufferedRecord:
        return self._base.origin or self._base

    @property
    def reason(self) -> int | None:
        return self._base.reason

    @property
    def is_delete(self) -> bool:
        return self._base.is_delete

    @property
    def key(self) -> str:
        return self._base.key

    @property
    def ordering(self) -> tuple[Any, ...] | None:
        return self._base.ordering

    @property
    def data(self) -> Mapping[str, Any]:
        return _Overlay(self._base.data, self.changes or {})

    @property
    def schema_id(self) -> int:
        return self._base.schema_id

    @property
    def operation(self) -> Operation:
        return self._base.operation


# the class is frozen; setting its slots directly is the fastest way to initialise it
_set_base, _set_changes = _Changed._base.__set__, BufferedRecord.changes.__set__  # type: ignore[attr-defined, union-attr]


class _Overlay(Mapping[str, Any]):
    """Read-only mapping of a record's data in which some columns have changed values."""

    def __init__(self, base: Mapping[str, Any] | None, changes: Mapping[str, Any]) -> None:
        self.base = base
        self._changes = changes

    def __getitem__(self, name: str) -> Any:
        if name in self._changes:
            return self._changes[name]
        if self.base is None:
            raise KeyError(name)
        return self.base[name]

    def __iter__(self) -> Iterator[str]:
        names = dict.fromkeys(self.base or ())
        names.update(dict.fromkeys(self._changes))
        return iter(names)

    def __len__(self) -> int:
        return sum(1 for _ in self)
