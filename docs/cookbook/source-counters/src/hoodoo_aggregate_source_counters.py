"""A map with the running count of each source, of which the larger one stays: the total is the sum of the counts."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from attrs import frozen
from hoodoo_library_column_values.items import Items, joined, true_where
from numpy.typing import NDArray

from hoodoo.plugin import hookimpl
from hoodoo.record import Law

__version__ = "0.1.0"


@frozen
class SourceCountersFunction:
    """Grow-only counter, a value that any number of repeated and late updates leave correct.

    Entries are sorted by source, so that equal counters are equal maps.
    """

    laws = frozenset({Law.ASSOCIATIVE, Law.ORDER_INDEPENDENT, Law.IDEMPOTENT, Law.REPLAY_SAFE})
    takes = "a map of text to integers"

    def accepts(self, type_: pa.DataType) -> bool:
        """Return whether a type is a map whose values are integers."""
        return bool(pa.types.is_map(type_) and pa.types.is_integer(type_.item_type))

    def prepare(self, values: pa.Array) -> pa.Array:
        """Return incoming maps with sorted entries."""
        return _largest(Items.of(values), values.type, true_where(values.is_null()))

    def add(self, older: pa.Array, newer: pa.Array) -> pa.Array:
        """Return the larger count of each source."""
        entries, _ = joined(Items.of(older), Items.of(newer))
        return _largest(entries, older.type, true_where(older.is_null()) & true_where(newer.is_null()))


def _largest(entries: Items, type_: pa.DataType, nulls: NDArray[np.bool_]) -> pa.Array:
    """Return maps with the largest value of each key; a null is less than any value."""
    sources, counts = entries.values.flatten()
    columns = pa.table({"row": entries.rows, "source": sources, "count": counts})
    largest = columns.group_by(["row", "source"]).aggregate([("count", "max")])
    largest = largest.sort_by([("row", "ascending"), ("source", "ascending")])
    rows = largest["row"].to_numpy()
    offsets = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=entries.length))]).astype(np.int32)
    arrays = (largest[name].combine_chunks() for name in ("source", "count_max"))
    return pa.MapArray.from_arrays(pa.array(offsets), *arrays, mask=pa.array(nulls)).cast(type_)


@hookimpl
def hoodoo_aggregate() -> type[SourceCountersFunction]:
    """Return the class of the function."""
    return SourceCountersFunction
