"""The first value to arrive, which may be null."""

from __future__ import annotations

import pyarrow as pa
from attrs import frozen

from hoodoo.plugin import hookimpl
from hoodoo.record import Law

__version__ = "0.1.0"


@frozen
class FirstValue:
    """Aggregate function `first_value` of Paimon."""

    laws = frozenset({Law.ASSOCIATIVE, Law.IDEMPOTENT, Law.REPLAY_SAFE})
    takes = "values of any type"

    def accepts(self, type_: pa.DataType) -> bool:
        """Return True: the function works on every type."""
        return True

    def add(self, older: pa.Array, newer: pa.Array) -> pa.Array:
        """Return the older value."""
        return older


@hookimpl
def hoodoo_aggregate() -> type[FirstValue]:
    """Return the class of the function."""
    return FirstValue
