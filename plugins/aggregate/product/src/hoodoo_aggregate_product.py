"""The product of all values; nulls are skipped."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc
from attrs import frozen
from hoodoo_library_column_values.arithmetic import checked, is_number

from hoodoo.plugin import hookimpl
from hoodoo.record import Law

__version__ = "0.1.0"


@frozen
class Product:
    """Aggregate function `product` of Paimon. A delete divides by its value, with integers rounded towards zero."""

    laws = frozenset({Law.ASSOCIATIVE, Law.ORDER_INDEPENDENT})
    takes = "a number"

    def accepts(self, type_: pa.DataType) -> bool:
        """Return whether the type is an integer, floating point or decimal type."""
        return is_number(type_)

    def add(self, older: pa.Array, newer: pa.Array) -> pa.Array:
        """Return the product of both values; the other value if one is null.

        Raises:
            OverflowError: A product does not fit the type, or a newer decimal has 38 digits.
        """
        return pc.coalesce(checked(pc.multiply_checked, older, newer), older, newer)

    def retract(self, older: pa.Array, newer: pa.Array) -> pa.Array:
        """Return the older value divided by the newer one; the older value if either is null.

        Raises:
            OverflowError: A newer value is zero, a result does not fit the type, or a decimal has 38 digits.
        """
        return pc.coalesce(checked(pc.divide_checked, older, newer), older)


@hookimpl
def hoodoo_aggregate() -> type[Product]:
    """Return the class of the function."""
    return Product
