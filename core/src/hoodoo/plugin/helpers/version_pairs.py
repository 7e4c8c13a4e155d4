"""Pairs of versions by kind: two rows add up, and a delete that carries values takes them back."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa
from attrs import frozen
from numpy.typing import NDArray

from hoodoo.plugin.helpers.column_function import ColumnFunction
from hoodoo.record import Records

__all__ = ["Pairs", "from_nothing"]

Mask = NDArray[np.bool_]
Part = Callable[[pa.Array, pa.Array], pa.Array]


@frozen(eq=False)
class Pairs:
    """n pairs of versions, by kind; a pair is of one kind, or of none, and then one side remains as it is.

    A delete with data is a retraction: the values that it carries are taken back. A retraction without a row before it
    remains one, and a row after it is added to the values that the retraction leaves of null. A key-only delete has no
    values and removes the row.

    Attributes:
        older: The versions that arrived first.
        newer: The versions that arrived later.
        adding: Both are rows.
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
        """Return pairs by kind; those that are `apart` are of none."""
        gone, going = older.is_delete, newer.is_delete
        values = older.has_data & newer.has_data
        if apart is not None:
            values &= ~apart
        return cls(
            older, newer, values & ~gone & ~going, values & ~gone & going, values & gone & ~going, values & gone & going
        )

    @property
    def mixed(self) -> Mask:
        """The pairs of any kind, whose values are computed."""
        return self.adding | self.taking | self.pending | self.retractions

    @property
    def kind(self) -> NDArray[np.int8]:
        """The kind of each pair, for a rule's reasons: 1 to 4 in the order of the attributes, 0 for none."""
        kinds = (self.adding, self.taking, self.pending, self.retractions)
        return np.select(kinds, range(1, len(kinds) + 1), 0).astype(np.int8)

    def column(self, name: str, parts: list[tuple[Mask, Part]]) -> pa.Array:
        """Return a column: the results of functions on the pairs under their masks, and the older values elsewhere."""
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
        """Return the column of a function, in order of arrival; pairs of no kind keep the older value."""
        parts: list[tuple[Mask, Part]] = [
            (self.adding, function.add),
            (self.taking, function.retract),
            (self.pending, lambda older, newer: function.add(from_nothing(function, older), newer)),
            (self.retractions, function.add),
        ]
        return self.column(function.column, parts)


def from_nothing(function: ColumnFunction, values: pa.Array) -> pa.Array:
    """Return what a retraction of the values leaves of null."""
    return function.retract(pa.nulls(len(values), values.type), values)
