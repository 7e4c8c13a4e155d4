"""Order of the values of a column, which is that of ordering values."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from hoodoo.errors import SchemaError
from hoodoo.record import Ordering, check_orderable

__all__ = ["compare", "is_orderable"]


def compare(one: pa.Array, other: pa.Array) -> NDArray[np.int8]:
    """Return -1, 0 or 1 for each row: the value of `one` is less than, equal to or greater than that of `other`.

    Both arrays have one type. A null is less than any other value.
    """
    return _ordering(one).compare(_ordering(other))


def is_orderable(type_: pa.DataType) -> bool:
    """Return whether an ordering column may have the type."""
    try:
        check_orderable("", type_)
    except SchemaError:
        return False
    return True


def _ordering(values: pa.Array) -> Ordering:
    return Ordering.of(("value",), (values,), len(values))
