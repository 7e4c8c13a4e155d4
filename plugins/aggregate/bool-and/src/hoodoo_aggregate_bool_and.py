"""True where every value is true; nulls are skipped."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc
from attrs import frozen

from hoodoo.plugin import hookimpl
from hoodoo.record import Law

__version__ = "0.1.0"


@frozen
class BoolAnd:
    """Aggregate function `bool_and` of Paimon."""

    laws = frozenset({Law.ASSOCIATIVE, Law.IDEMPOTENT, Law.ORDER_INDEPENDENT, Law.REPLAY_SAFE})
    takes = "a boolean"

    def accepts(self, type_: pa.DataType) -> bool:
        """Return whether the type is boolean."""
        return bool(pa.types.is_boolean(type_))

    def add(self, older: pa.Array, newer: pa.Array) -> pa.Array:
        """Return true if both values are true; the other value if one is null."""
        return pc.coalesce(pc.and_(older, newer), older, newer)


@hookimpl
def hoodoo_aggregate() -> type[BoolAnd]:
    """Return the class of the function."""
    return BoolAnd
