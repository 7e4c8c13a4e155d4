"""The last value to arrive that is not null; a delete with a value sets null."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc
from attrs import frozen

from hoodoo.plugin import hookimpl
from hoodoo.record import Law

__version__ = "0.1.0"


@frozen
class LastNonNullValue:
    """Aggregate function `last_non_null_value` of Paimon."""

    laws = frozenset({Law.ASSOCIATIVE, Law.IDEMPOTENT, Law.REPLAY_SAFE})
    laws_of_retraction = frozenset({Law.IDEMPOTENT, Law.REPLAY_SAFE})
    takes = "values of any type"

    def accepts(self, type_: pa.DataType) -> bool:
        """Return True: the function works on every type."""
        return True

    def add(self, older: pa.Array, newer: pa.Array) -> pa.Array:
        """Return the newer value, or the older value if the newer one is null."""
        return pc.coalesce(newer, older)

    def retract(self, older: pa.Array, newer: pa.Array) -> pa.Array:
        """Return null, or the older value if the newer one is null."""
        return pc.if_else(newer.is_valid(), pa.scalar(None, older.type), older)


@hookimpl
def hoodoo_aggregate() -> type[LastNonNullValue]:
    """Return the class of the function."""
    return LastNonNullValue
