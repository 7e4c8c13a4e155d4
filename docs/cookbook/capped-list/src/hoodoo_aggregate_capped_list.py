"""The items of all lists in order of arrival, of which only the last ones are kept."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from attrs import frozen
from hoodoo_library_column_values.items import Items, joined, true_where
from numpy.typing import NDArray

from hoodoo.plugin import hookimpl, option
from hoodoo.record import Law

__version__ = "0.1.0"


def _positive(instance: Any, attribute: Any, value: int) -> None:
    if value < 1:
        raise ValueError(f"a list keeps at least 1 item, and 'most' is {value}")


@frozen
class CappedListFunction:
    """Function like `collect`, for lists that would grow without limit."""

    most: int = option(default=10, help="The number of items to keep.", validator=_positive)

    laws = frozenset({Law.ASSOCIATIVE})
    takes = "a list"

    def accepts(self, type_: pa.DataType) -> bool:
        """Return whether a type is a list, of any items."""
        return bool(pa.types.is_list(type_))

    def prepare(self, values: pa.Array) -> pa.Array:
        """Return incoming lists with their last items."""
        return self._last(Items.of(values), values.type, true_where(values.is_null()))

    def add(self, older: pa.Array, newer: pa.Array) -> pa.Array:
        """Return the last items of the older list followed by the newer one."""
        items, _ = joined(Items.of(older), Items.of(newer))
        return self._last(items, older.type, true_where(older.is_null()) & true_where(newer.is_null()))

    def _last(self, items: Items, type_: pa.DataType, nulls: NDArray[np.bool_]) -> pa.Array:
        ends = np.cumsum(np.bincount(items.rows, minlength=items.length))
        kept = items.keep(ends[items.rows] - np.arange(len(items.rows)) <= self.most)
        return pa.ListArray.from_arrays(kept.offsets(), kept.values, mask=pa.array(nulls)).cast(type_)


@hookimpl
def hoodoo_aggregate() -> type[CappedListFunction]:
    """Return the class of the function."""
    return CappedListFunction
