"""Pairs of versions by kind: two live ones add up, a delete that carries values takes them back, another removes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa
from attrs import frozen
from numpy.typing import NDArray

from hoodoo.aggregates.function import ColumnFunction
from hoodoo.record import Records

__all__ = ["Pairs", "from_nothing"]

Mask = NDArray[np.bool_]
Part = Callable[[pa.Array, pa.Array], pa.Array]


@frozen(eq=False)
class Pairs:
    """n pairs of versions, by kind; a pair is of one kind, or of none and one side stands as it is.

    A delete with data is a retraction: the values that it carries are taken back. A retraction that has met no row
    stays one, and a row after it is added to what it leaves of nothing. A key-only delete has no values and removes
    the row.

    Attributes:
        adding: Both are live.
        taking: A row, and a retraction of it.
        pending: A retraction, and a row after it.
        retractions: Two retractions.
    """

    older: Records
    newer: Records
    adding: Mask
    taking: Mask
    pending: Mask
    retractions: Mask

    @classmethod
    def of(cls, older: Records, newer: Records, apart: Mask | None = None) -> Pairs:
        """Sort pairs by kind; those that are `apart` are of none."""
        gone, going = older.is_delete, newer.is_delete
        values = older.has_data & newer.has_data
        if apart is not None:
            values &= ~apart
        return cls(
            older, newer, values & ~gone & ~going, values & ~gone & going, values & gone & ~going, values & gone & going
        )

    @property
    def mixed(self) -> Mask:
        """The pairs that are of some kind: their values are computed."""
        return self.adding | self.taking | self.pending | self.retractions

    @property
    def kind(self) -> NDArray[np.int8]:
        """The kind of each pair, for a rule's reasons: 1 to 4 in the order of the attributes, 0 for none."""
        kinds = (self.adding, self.taking, self.pending, self.retractions)
        return np.select(kinds, range(1, len(kinds) + 1), 0).astype(np.int8)

    def column(self, name: str, parts: list[tuple[Mask, Part]]) -> pa.Array:
        """A column: per mask what its function makes of the older and the newer values, elsewhere the older's."""
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
        """The function's column, in order of arrival; what is of no kind is the older's."""
        parts: list[tuple[Mask, Part]] = [
            (self.adding, function.add),
            (self.taking, function.retract),
            (self.pending, lambda older, newer: function.add(from_nothing(function, older), newer)),
            (self.retractions, function.add),
        ]
        return self.column(function.column, parts)


def from_nothing(function: ColumnFunction, values: pa.Array) -> pa.Array:
    """What a retraction of the values leaves where there was nothing."""
    return function.retract(pa.nulls(len(values), values.type), values)
