"""Functions that choose one of two values, and those of booleans."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc
from attrs import frozen

from hoodoo.record import Law

__all__ = ["BoolAnd", "BoolOr", "FirstNonNullValue", "FirstValue", "LastNonNullValue", "LastValue"]

_CHOOSES = frozenset({Law.ASSOCIATIVE, Law.IDEMPOTENT, Law.REPLAY_SAFE})


@frozen
class _AnyType:
    laws = _CHOOSES
    takes = "values of any type"

    def accepts(self, type_: pa.DataType) -> bool:
        """Every type."""
        return True


@frozen
class FirstValue(_AnyType):
    """The first value, a null as well."""

    def add(self, older: pa.Array, newer: pa.Array) -> pa.Array:
        """The older."""
        return older


@frozen
class FirstNonNullValue(_AnyType):
    """The first value that is not null."""

    def add(self, older: pa.Array, newer: pa.Array) -> pa.Array:
        """The older, unless it is null."""
        return pc.coalesce(older, newer)


@frozen
class LastValue(_AnyType):
    """The last value, a null as well; taken back it leaves null."""

    laws_of_retraction = _CHOOSES

    def add(self, older: pa.Array, newer: pa.Array) -> pa.Array:
        """The newer."""
        return newer

    def retract(self, older: pa.Array, newer: pa.Array) -> pa.Array:
        """Null."""
        return pa.nulls(len(older), older.type)


@frozen
class LastNonNullValue(_AnyType):
    """The last value that is not null; taken back it leaves null, and a null takes nothing back."""

    laws_of_retraction = frozenset({Law.IDEMPOTENT, Law.REPLAY_SAFE})

    def add(self, older: pa.Array, newer: pa.Array) -> pa.Array:
        """The newer, unless it is null."""
        return pc.coalesce(newer, older)

    def retract(self, older: pa.Array, newer: pa.Array) -> pa.Array:
        """Null where there is something to take back."""
        return pc.if_else(newer.is_valid(), pa.scalar(None, older.type), older)


@frozen
class _Boolean:
    laws = _CHOOSES | {Law.ORDER_INDEPENDENT}
    takes = "a boolean"

    def accepts(self, type_: pa.DataType) -> bool:
        """Booleans."""
        return bool(pa.types.is_boolean(type_))


@frozen
class BoolAnd(_Boolean):
    """True where every value is true; nulls are skipped."""

    def add(self, older: pa.Array, newer: pa.Array) -> pa.Array:
        """Whether both are true."""
        return pc.coalesce(pc.and_(older, newer), older, newer)


@frozen
class BoolOr(_Boolean):
    """True where any value is true; nulls are skipped."""

    def add(self, older: pa.Array, newer: pa.Array) -> pa.Array:
        """Whether one of both is true."""
        return pc.coalesce(pc.or_(older, newer), older, newer)
