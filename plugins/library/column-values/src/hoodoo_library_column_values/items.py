"""Items of lists as flat arrays, ordered by row, for functions of lists, of maps and of texts with delimiters."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from attrs import frozen
from numpy.typing import NDArray

__all__ = ["Items", "joined", "rank", "true_where"]

Int64s = NDArray[np.int64]
Mask = NDArray[np.bool_]


@frozen(eq=False)
class Items:
    """Items of `length` rows, ordered by row: `rows` has the row of each item, `values` the item."""

    length: int
    rows: Int64s
    values: pa.Array

    @classmethod
    def of(cls, lists: pa.Array) -> Items:
        """Return the items of a list or map array. A null has no items; items of a map are structs of key and value."""
        valid = lists.is_valid().to_numpy(zero_copy_only=False)
        offsets = lists.offsets.to_numpy(zero_copy_only=False).astype(np.int64)
        sizes = np.where(valid, np.diff(offsets), 0)
        starts = np.cumsum(sizes) - sizes
        places = np.repeat(offsets[:-1] - starts, sizes) + np.arange(sizes.sum())
        rows = np.repeat(np.arange(len(lists)), sizes)
        return cls(len(lists), rows, lists.values.take(pa.array(places)))

    def codes(self) -> Int64s:
        """Return a number for each item; two numbers are equal exactly if row and value are equal."""
        return _numbers(self.values, self.rows)

    def keep(self, mask: Mask) -> Items:
        """Return the items where the mask is true."""
        return Items(self.length, self.rows[mask], self.values.filter(pa.array(mask)))

    def offsets(self) -> pa.Array:
        """Return the position of the first item of each row, and the end of the last row."""
        sizes = np.bincount(self.rows, minlength=self.length)
        return pa.array(np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32))


def joined(first: Items, second: Items) -> tuple[Items, Mask]:
    """Return the items of both, those of `first` before those of `second` in each row, and a mask of the latter."""
    rows = np.concatenate([first.rows, second.rows])
    order = np.argsort(rows, kind="stable")
    of_second = np.repeat([False, True], [len(first.rows), len(second.rows)])
    values = pa.concat_arrays([first.values, second.values]).take(pa.array(order))
    return Items(first.length, rows[order], values), of_second[order]


def rank(codes: Int64s) -> Int64s:
    """Return the number of equal codes before each code."""
    order = np.argsort(codes, kind="stable")
    ordered = codes[order]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]]) if len(codes) else np.empty(0, dtype=np.int64)
    within = np.arange(len(codes)) - np.repeat(starts, np.diff(np.r_[starts, len(codes)]))
    result = np.empty(len(codes), dtype=np.int64)
    result[order] = within
    return result


def true_where(values: pa.Array) -> Mask:
    """Return a boolean array as a mask, in which a null is false."""
    mask: Mask = values.fill_null(False).to_numpy(zero_copy_only=False)
    return mask


def _numbers(values: pa.Array, groups: Int64s) -> Int64s:
    """Return a number for each value; two numbers are equal exactly if group and value are equal."""
    if pa.types.is_struct(values.type):
        groups = _paired(groups, values.is_valid().to_numpy(zero_copy_only=False).astype(np.int64))
        for child in values.flatten():
            groups = _numbers(child, groups)
        return groups
    encoded = values.dictionary_encode(null_encoding="encode")
    return _paired(groups, encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64))


def _paired(left: Int64s, right: Int64s) -> Int64s:
    if not len(left):
        return left
    return np.unique(left * (right.max() + 1) + right, return_inverse=True)[1].astype(np.int64)
