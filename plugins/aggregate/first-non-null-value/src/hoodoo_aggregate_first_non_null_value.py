"""The first value to arrive that is not null."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc
from attrs import frozen

from hoodoo.plugin import hookimpl
from hoodoo.record import Law

__version__ = "0.1.0"


@frozen
class FirstNonNullValue:
    """Aggregate function `first_non_null_value` of Paimon."""

    laws = frozenset({Law.ASSOCIATIVE, Law.IDEMPOTENT, Law.REPLAY_SAFE})
    takes = "values of any type"

    def accepts(self, type_: pa.DataType) -> bool:
        """Return True: the function works on every type."""
        return True

    def add(self, older: pa.Array, newer: pa.Array) -> pa.Array:
        """Return the older value, or the newer value if the older one is null."""
        return pc.coalesce(older, newer)


@hookimpl
def hoodoo_aggregate() -> type[FirstNonNullValue]:
    """Return the class of the function."""
    return FirstNonNullValue
