"""The number of values that are not null."""

from __future__ import annotations

import pyarrow as pa
from attrs import frozen
from hoodoo_library_column_values.arithmetic import total

from hoodoo.plugin import hookimpl
from hoodoo.record import Law

__version__ = "0.1.0"


@frozen
class Count:
    """Aggregate function `count` of Paimon. Each incoming value is replaced by 1, and the column contains the sum."""

    laws = frozenset({Law.ASSOCIATIVE, Law.ORDER_INDEPENDENT})
    takes = "an integer column, which contains the count"

    def accepts(self, type_: pa.DataType) -> bool:
        """Return whether the type is an integer type."""
        return bool(pa.types.is_integer(type_))

    def prepare(self, values: pa.Array) -> pa.Array:
        """Return 1 for each incoming value, and 0 for a null."""
        return values.is_valid().cast(values.type)

    def add(self, older: pa.Array, newer: pa.Array) -> pa.Array:
        """Return the sum of both counts; the other count if one is null.

        Raises:
            OverflowError: A sum does not fit the type.
        """
        return total(older, newer)


@hookimpl
def hoodoo_aggregate() -> type[Count]:
    """Return the class of the function."""
    return Count
