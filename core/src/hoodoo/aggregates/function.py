"""An aggregate function in its column: what it may do there, and what its failures say."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa
from attrs import frozen

from hoodoo.errors import DataError, HoodooError, PluginFault, SchemaError
from hoodoo.plugin.base import BaseAggregateFunction
from hoodoo.plugin.catalog.info import PluginInfo
from hoodoo.plugin.completion import completed, defines
from hoodoo.plugin.interface import AggregateFunction
from hoodoo.record import Law
from hoodoo.schema.columns import described, one_array

__all__ = ["ColumnFunction"]


@frozen
class ColumnFunction:
    """An aggregate function in the column that it works on. With `ignore_retract` a delete leaves the column alone.

    `plugin` is where a function comes from that is not built in; what such a function does is checked.
    """

    column: str
    name: str
    function: AggregateFunction
    ignore_retract: bool = False
    plugin: PluginInfo | None = None

    @property
    def laws(self) -> frozenset[Law]:
        """What holds of the column whatever comes, deletes included."""
        if self.ignore_retract or not self.retracts:
            return self.function.laws
        return self.function.laws & frozenset(self._completed.laws_of_retraction)

    @property
    def retracts(self) -> bool:
        """Return whether the function can take a value back."""
        return defines(self._completed, BaseAggregateFunction, "retract")

    def add(self, older: pa.Array, newer: pa.Array) -> pa.Array:
        """Both values as one.

        Raises:
            SchemaError: the function does not work on columns of this type (code `aggregate_type`).
            DataError: the result does not fit the column (code `overflow`).
            PluginFault: a function that is not built in raised, or returned something else than values of the column.
        """
        self.check(older.type)
        return self._computed(self.function.add, older, newer)

    def retract(self, older: pa.Array, newer: pa.Array) -> pa.Array:
        """The older value without the newer one, which a delete carries.

        Raises:
            SchemaError: as `add`.
            DataError: as `add`, or the function cannot take values back (code `retract_unsupported`).
            PluginFault: as `add`.
        """
        self.check(older.type)
        if self.ignore_retract:
            return older
        if not self.retracts:
            raise DataError(
                f"a delete takes values back, and '{self.name}' of column '{self.column}' cannot; leave deletes out, "
                f"or set ignore_retract for the column",
                code="retract_unsupported",
            )
        return self._computed(self._completed.retract, older, newer)

    @property
    def prepares(self) -> bool:
        """Whether an incoming value becomes something else before it meets any."""
        return defines(self._completed, BaseAggregateFunction, "prepare")

    @property
    def _completed(self) -> BaseAggregateFunction:
        return completed(self.function, BaseAggregateFunction)

    def prepare(self, values: pa.Array) -> pa.Array:
        """What incoming values become, of a function that `prepares`.

        Raises:
            SchemaError, DataError, PluginFault: as `add`.
        """
        self.check(values.type)
        return self._computed(self._completed.prepare, values)

    def check(self, type_: pa.DataType) -> None:
        """Refuse a column of a type that the function does not work on.

        Raises:
            SchemaError: it does not (code `aggregate_type`).
            PluginFault: as `add`.
        """
        if not self._run(lambda: self.function.accepts(type_)):
            raise SchemaError(
                f"'{self.name}' takes {self.function.takes}, and column '{self.column}' is {type_}; "
                "choose another function",
                code="aggregate_type",
            )

    def _computed(self, call: Callable[..., pa.Array], *values: pa.Array) -> pa.Array:
        """What a method gives; that of a function which is not built in is checked."""
        result = self._run(lambda: call(*values))
        if self.plugin is None:
            return result
        if isinstance(result, pa.ChunkedArray):
            result = one_array(result)
        type_, length = values[0].type, len(values[0])
        if not isinstance(result, pa.Array) or result.type != type_ or len(result) != length:
            raise PluginFault(
                f"{self.plugin.label} in column '{self.column}' must return {length} values of type {type_}, "
                f"got {described(result)}"
            )
        return result

    def _run(self, call: Callable[[], Any]) -> Any:
        """What a call gives; what a function that is not built in raises is its fault, but for errors of hoodoo."""
        try:
            return call()
        except HoodooError:
            raise
        except Exception as error:
            if self.plugin is not None:
                label = f"{self.plugin.label} in column '{self.column}'"
                raise PluginFault(f"{label} raised {type(error).__name__}: {error}") from error
            if isinstance(error, pa.ArrowInvalid):
                raise DataError(
                    f"'{self.name}' of column '{self.column}' has a result that the column cannot hold: {error}",
                    code="overflow",
                ) from error
            raise
