"""What an aggregate function is, and a function in its column: what it may do there, and what its failures say."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import pyarrow as pa
from attrs import frozen

from hoodoo.errors import DataError, SchemaError
from hoodoo.record import Law

__all__ = ["Aggregate", "ColumnFunction", "Retracting"]


class Aggregate(Protocol):
    """An attrs class whose fields are the function's options. Arrays in, arrays of the same type out, row by row.

    `laws` are claimed for live values; `takes` says in words what `accepts` accepts.
    """

    laws: frozenset[Law]
    takes: str

    def accepts(self, type_: pa.DataType) -> bool:
        """Whether the function works on columns of the type."""
        ...

    def add(self, older: pa.Array, newer: pa.Array) -> pa.Array:
        """Both values as one. `older` and `newer` mean arrival, or the sequence where there is one."""
        ...


@runtime_checkable
class Retracting(Protocol):
    """A function that can take a value back."""

    def retract(self, older: pa.Array, newer: pa.Array) -> pa.Array:
        """The older value without the newer one, which a delete carries."""
        ...


@frozen
class ColumnFunction:
    """An aggregate function in the column that it works on. With `ignore_retract` a delete leaves the column alone."""

    column: str
    name: str
    function: Aggregate
    ignore_retract: bool = False

    @property
    def laws(self) -> frozenset[Law]:
        """What holds of the column whatever comes, deletes included."""
        if self.ignore_retract or not isinstance(self.function, Retracting):
            return self.function.laws
        return self.function.laws & frozenset(getattr(self.function, "laws_of_retraction", ()))

    def add(self, older: pa.Array, newer: pa.Array) -> pa.Array:
        """Both values as one.

        Raises:
            SchemaError: the function does not work on columns of this type (code `aggregate_type`).
            DataError: the result does not fit the column (code `overflow`).
        """
        self._check(older.type)
        try:
            return self.function.add(older, newer)
        except pa.ArrowInvalid as error:
            raise self._overflow(error) from error

    def retract(self, older: pa.Array, newer: pa.Array) -> pa.Array:
        """The older value without the newer one, which a delete carries.

        Raises:
            SchemaError: as `add`.
            DataError: as `add`, or the function cannot take values back (code `retract_unsupported`).
        """
        self._check(older.type)
        if self.ignore_retract:
            return older
        if not isinstance(self.function, Retracting):
            raise DataError(
                f"a delete takes values back, and '{self.name}' of column '{self.column}' cannot; leave deletes out, "
                f"or set ignore_retract for the column",
                code="retract_unsupported",
            )
        try:
            return self.function.retract(older, newer)
        except pa.ArrowInvalid as error:
            raise self._overflow(error) from error

    def _check(self, type_: pa.DataType) -> None:
        if not self.function.accepts(type_):
            raise SchemaError(
                f"'{self.name}' takes {self.function.takes}, and column '{self.column}' is {type_}; "
                "choose another function",
                code="aggregate_type",
            )

    def _overflow(self, error: pa.ArrowInvalid) -> DataError:
        return DataError(
            f"'{self.name}' of column '{self.column}' has a result that the column cannot hold: {error}",
            code="overflow",
        )
