"""The largest value; nulls are skipped, and NaN is the largest number."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc
from attrs import frozen
from hoodoo_library_column_values.comparison import compare, is_orderable

from hoodoo.plugin import hookimpl
from hoodoo.record import Law

__version__ = "0.1.0"


@frozen
class Max:
    """Aggregate function `max` of Paimon. Values are compared as ordering values are."""

    laws = frozenset({Law.ASSOCIATIVE, Law.IDEMPOTENT, Law.ORDER_INDEPENDENT, Law.REPLAY_SAFE})
    takes = "values that have an order"

    def accepts(self, type_: pa.DataType) -> bool:
        """Return whether an ordering column may have the type."""
        return is_orderable(type_)

    def add(self, older: pa.Array, newer: pa.Array) -> pa.Array:
        """Return the larger value; the older one if both are equal, the other one if one is null."""
        return pc.if_else(pa.array(compare(newer, older) > 0), newer, older)


@hookimpl
def hoodoo_aggregate() -> type[Max]:
    """Return the class of the function."""
    return Max
