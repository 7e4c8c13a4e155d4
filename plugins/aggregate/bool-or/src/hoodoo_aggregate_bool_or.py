"""True where any value is true; nulls are skipped."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc
from attrs import frozen

from hoodoo.plugin import hookimpl
from hoodoo.record import Law

__version__ = "0.1.0"


@frozen
class BoolOr:
    """Aggregate function `bool_or` of Paimon."""

    laws = frozenset({Law.ASSOCIATIVE, Law.IDEMPOTENT, Law.ORDER_INDEPENDENT, Law.REPLAY_SAFE})
    takes = "a boolean"

    def accepts(self, type_: pa.DataType) -> bool:
        """Return whether the type is boolean."""
        return bool(pa.types.is_boolean(type_))

    def add(self, older: pa.Array, newer: pa.Array) -> pa.Array:
        """Return true if at least one of the two values is true; the other value if one is null."""
        return pc.coalesce(pc.or_(older, newer), older, newer)


@hookimpl
def hoodoo_aggregate() -> type[BoolOr]:
    """Return the class of the function."""
    return BoolOr
