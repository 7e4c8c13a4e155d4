"""Aggregate function of a column, with checks of the column and of the results, for mergers that call it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa
from attrs import frozen

from hoodoo.errors import DataError, SchemaError
from hoodoo.plugin.base import BaseAggregateFunction
from hoodoo.plugin.completion import completed, defines
from hoodoo.plugin.faults import PluginCalls
from hoodoo.plugin.installed.info import PluginInfo
from hoodoo.plugin.interface import AggregateFunction
from hoodoo.record import Law
from hoodoo.schema.columns import described, one_array

__all__ = ["ColumnFunction"]


@frozen
class ColumnFunction:
    """Aggregate function of one column.

    Attributes:
        column: The name of the column.
        plugin: The plugin that the function is an instance of.
        function: The instance of the plugin.
        ignore_retract: Whether a delete leaves the column unchanged.
    """

    column: str
    plugin: PluginInfo
    function: AggregateFunction
    ignore_retract: bool = False

    @property
    def name(self) -> str:
        """Return the name of the function."""
        return self.plugin.name

    @property
    def laws(self) -> frozenset[Law]:
        """Return the laws that hold for the column, with deletes among the versions too."""
        if self.ignore_retract or not self.retracts:
            return self.function.laws
        return self.function.laws & frozenset(self._completed.laws_of_retraction)

    @property
    def retracts(self) -> bool:
        """Return whether the function can retract a value."""
        return defines(self._completed, BaseAggregateFunction, "retract")

    def add(self, older: pa.Array, newer: pa.Array) -> pa.Array:
        """Return the merged values of two arrays.

        Raises:
            SchemaError: The function does not work on columns of this type (code `aggregate_type`).
            DataError: The result does not fit the column (code `overflow`).
            PluginFault: The function raised another error, or did not return one value of the column's type per pair.
        """
        self.check(older.type)
        return self._computed(self.function.add, older, newer)

    def retract(self, older: pa.Array, newer: pa.Array) -> pa.Array:
        """Subtract the values of deletes, `newer`, from `older`; return `older` unchanged with `ignore_retract`.

        Raises:
            SchemaError: As `add`.
            DataError: As `add`, or the function cannot retract values (code `retract_unsupported`).
            PluginFault: As `add`.
        """
        self.check(older.type)
        if self.ignore_retract:
            return older
        if not self.retracts:
            raise DataError(
                f"function '{self.name}' of column '{self.column}' cannot subtract the values of a delete; leave "
                "deletes out, or set ignore_retract for the column",
                code="retract_unsupported",
            )
        return self._computed(self._completed.retract, older, newer)

    @property
    def prepares(self) -> bool:
        """Return whether the function converts incoming values before they are merged."""
        return defines(self._completed, BaseAggregateFunction, "prepare")

    @property
    def _completed(self) -> BaseAggregateFunction:
        return completed(self.function, BaseAggregateFunction)

    def prepare(self, values: pa.Array) -> pa.Array:
        """Convert incoming values with the function; `prepares` must be true.

        Raises:
            SchemaError: As `add`.
            DataError: As `add`.
            PluginFault: As `add`.
        """
        self.check(values.type)
        return self._computed(self._completed.prepare, values)

    def check(self, type_: pa.DataType) -> None:
        """Raise if the function does not work on columns of a type.

        Raises:
            SchemaError: The function does not accept the type (code `aggregate_type`).
            PluginFault: The method `accepts` of the function raised an error that is not a `HoodooError`.
        """
        if not self._calls.run("accepts", lambda: self.function.accepts(type_)):
            raise SchemaError(
                f"function '{self.name}' takes {self.function.takes}, and column '{self.column}' is {type_}; "
                "choose another function",
                code="aggregate_type",
            )

    def _computed(self, call: Callable[..., pa.Array], *values: pa.Array) -> pa.Array:
        """Return the checked result of a method."""
        result = self._calls.run(call.__name__, lambda: self._fitting(lambda: call(*values)))
        if isinstance(result, pa.ChunkedArray):
            result = one_array(result)
        type_, length = values[0].type, len(values[0])
        if not isinstance(result, pa.Array) or result.type != type_ or len(result) != length:
            problem = f"must return {length} value{'' if length == 1 else 's'} of type {type_}, got {described(result)}"
            raise self._calls.fault(call.__name__, problem)
        return result

    @property
    def _calls(self) -> PluginCalls:
        return PluginCalls(f"{self.plugin.label} in column '{self.column}'", self.function)

    def _fitting(self, call: Callable[[], Any]) -> Any:
        """Return the result of a call; raise a `DataError` for an `OverflowError`."""
        try:
            return call()
        except OverflowError as error:
            raise DataError(
                f"function '{self.name}' of column '{self.column}' has a result that the column cannot hold: {error}; "
                "use a wider type",
                code="overflow",
            ) from error
