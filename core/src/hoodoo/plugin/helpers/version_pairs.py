"""Pairs of versions by kind, for rules that add the values of two rows and subtract those of a delete with data."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa
from attrs import frozen
from numpy.typing import NDArray

from hoodoo.plugin.helpers.column_function import ColumnFunction
from hoodoo.record import Records

__all__ = ["Pairs", "retracted_from_null"]

Mask = NDArray[np.bool_]
Part = Callable[[pa.Array, pa.Array], pa.Array]


@frozen(eq=False)
class Pairs:
    """n pairs of versions of four kinds. A pair can also have no kind: one of its versions then remains unchanged.

    A delete with data is a retraction: its values are subtracted from those of the row. A retraction without an earlier
    row stays a retraction; a later row is then added to the result of subtracting the values from null. A key-only
    delete has no values and removes the row.

    Attributes:
        older: The versions that arrived first.
        newer: The versions that arrived later.
        adding: Mask of the pairs of two rows.
        retracting: Mask of the pairs of a row and a later retraction.
        pending: Mask of the pairs of a retraction and a later row.
        retractions: Mask of the pairs of two retractions.
    """

    older: Records
    newer: Records
    adding: Mask
    retracting: Mask
    pending: Mask
    retractions: Mask

    @classmethod
    def of(cls, older: Records, newer: Records, excluded: Mask | None = None) -> Pairs:
        """Return the pairs with the kind of each one; a pair in the mask `excluded` has no kind."""
        gone, going = older.is_delete, newer.is_delete
        values = older.has_data & newer.has_data
        if excluded is not None:
            values &= ~excluded
        return cls(
            older, newer, values & ~gone & ~going, values & ~gone & going, values & gone & ~going, values & gone & going
        )

    @property
    def mixed(self) -> Mask:
        """Return a mask of the pairs that have a kind; their values are computed."""
        return self.adding | self.retracting | self.pending | self.retractions

    @property
    def kind(self) -> NDArray[np.int8]:
        """Return the kind of each pair, for a rule's reasons: 1 to 4 in the order of the attributes, 0 for none."""
        kinds = (self.adding, self.retracting, self.pending, self.retractions)
        return np.select(kinds, range(1, len(kinds) + 1), 0).astype(np.int8)

    def column(self, name: str, parts: list[tuple[Mask, Part]]) -> pa.Array:
        """Return a column: the result of each function for the pairs of its mask, and the older value for others."""
        older, newer = self.older.column(name), self.newer.column(name)
        arrays, source, end = [older], np.arange(len(older)), len(older)
        for mask, function in parts:
            if mask.all():
                return function(older, newer)
            if mask.any():
                rows = np.flatnonzero(mask)
                arrays.append(function(older.take(pa.array(rows)), newer.take(pa.array(rows))))
                source[rows] = end + np.arange(len(rows))
                end += len(rows)
        return older if len(arrays) == 1 else pa.concat_arrays(arrays).take(pa.array(source))

    def aggregated(self, function: ColumnFunction) -> pa.Array:
        """Return the column of a function, merged in order of arrival; a pair without a kind keeps the older value.

        Raises:
            SchemaError: As `ColumnFunction.add`.
            DataError: As `ColumnFunction.add` and `ColumnFunction.retract`.
            PluginFault: As `ColumnFunction.add`.
        """
        parts: list[tuple[Mask, Part]] = [
            (self.adding, function.add),
            (self.retracting, function.retract),
            (self.pending, lambda older, newer: function.add(retracted_from_null(function, older), newer)),
            (self.retractions, function.add),
        ]
        return self.column(function.column, parts)


def retracted_from_null(function: ColumnFunction, values: pa.Array) -> pa.Array:
    """Return the result of subtracting values from null."""
    return function.retract(pa.nulls(len(values), values.type), values)
