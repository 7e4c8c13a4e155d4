"""The last value to arrive, which may be null; a delete with data sets null."""

from __future__ import annotations

import pyarrow as pa
from attrs import frozen

from hoodoo.plugin import hookimpl
from hoodoo.record import Law

__version__ = "0.1.0"


@frozen
class LastValue:
    """Aggregate function `last_value` of Paimon."""

    laws = frozenset({Law.ASSOCIATIVE, Law.IDEMPOTENT, Law.REPLAY_SAFE})
    laws_of_retraction = laws
    takes = "values of any type"

    def accepts(self, type_: pa.DataType) -> bool:
        """Return True: the function works on every type."""
        return True

    def add(self, older: pa.Array, newer: pa.Array) -> pa.Array:
        """Return the newer value."""
        return newer

    def retract(self, older: pa.Array, newer: pa.Array) -> pa.Array:
        """Return null."""
        return pa.nulls(len(older), older.type)


@hookimpl
def hoodoo_aggregate() -> type[LastValue]:
    """Return the class of the function."""
    return LastValue
