"""The sum of all values; nulls are skipped."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc
from attrs import frozen
from hoodoo_library_column_values.arithmetic import checked, is_number, total

from hoodoo.plugin import hookimpl
from hoodoo.record import Law

__version__ = "0.1.0"


@frozen
class Sum:
    """Aggregate function `sum` of Paimon. The value of a delete is subtracted, from zero if the older value is null."""

    laws = frozenset({Law.ASSOCIATIVE, Law.ORDER_INDEPENDENT})
    laws_of_retraction = laws
    takes = "a number"

    def accepts(self, type_: pa.DataType) -> bool:
        """Return whether the type is an integer, floating point or decimal type."""
        return is_number(type_)

    def add(self, older: pa.Array, newer: pa.Array) -> pa.Array:
        """Return the sum of both values; the other value if one is null.

        Raises:
            OverflowError: A sum does not fit the type.
        """
        return total(older, newer)

    def retract(self, older: pa.Array, newer: pa.Array) -> pa.Array:
        """Return the older value minus the newer one, with null as zero; null only if both are null.

        Raises:
            OverflowError: A difference does not fit the type.
        """
        zero = pa.array([0], pa.int8()).cast(newer.type)[0]
        return pc.coalesce(
            checked(pc.subtract_checked, older, newer),
            older,
            checked(pc.subtract_checked, pa.repeat(zero, len(newer)), newer),
        )


@hookimpl
def hoodoo_aggregate() -> type[Sum]:
    """Return the class of the function."""
    return Sum
