"""Encoding of the entries of a delete block, for all entries at once."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from hoodoo.errors import DataError
from hoodoo.format.avro.container import long
from hoodoo.format.avro.encoded_columns import encoded
from hoodoo.format.avro.logical_values import stored_values
from hoodoo.format.log.delete_schema import DEFAULT, UNION

__all__ = ["EncodedOrdering", "encode_deletes"]

_TEXT = b"\2"
"""Encoded branch of a string in the union of null and string."""

_PRESENT, _END = b"\2", b"\0"


def _branch(name: str) -> bytes:
    """Return the encoded branch of a wrapper in the union, whose first branch is null."""
    return long(1 + list(UNION).index(name))


_ARRAY = long(1 + len(UNION))
_UNCONDITIONAL = _branch("IntWrapper") + long(DEFAULT)


class EncodedOrdering:
    """Ordering values of deletes as Avro stores them, one column for each field.

    Raises:
        DataError: A value has a type that a delete cannot have, or is out of its range.
    """

    def __init__(self, columns: Sequence[pa.Array]) -> None:
        names = [_wrapper_of(column.type) for column in columns]
        self._branches = [_branch(name) for name in names]
        try:
            self._values = [
                stored_values(column.cast(UNION[name].arrow), UNION[name])
                for name, column in zip(names, columns, strict=True)
            ]
        except pa.ArrowInvalid as error:
            raise DataError(
                f"an ordering value cannot be written to a delete block: {error}; correct the value, or set "
                "'ordering' to another column"
            ) from error

    def present(self, rows: int) -> pa.Array:
        """Return a mask of the deletes that have a value of each field; False for all if there is no field."""
        mask = pa.repeat(pa.scalar(bool(self._values)), rows)
        for values in self._values:
            mask = pc.and_(mask, values.is_valid())
        return mask

    def encoded(self, mask: pa.Array) -> pa.Array:
        """Return the encoded values of the deletes that a mask selects; each delete must have a value of each field."""
        parts = [encoded(values.filter(mask)) for values in self._values]
        if len(parts) == 1:
            return pc.binary_join_element_wise(self._branches[0], parts[0], b"")
        pieces = [piece for pair in zip(self._branches, parts, strict=True) for piece in pair]
        return pc.binary_join_element_wise(_ARRAY + _PRESENT + long(len(parts)), *pieces, _END, b"")


def encode_deletes(keys: pa.Array, partitions: pa.Array, ordering: pa.Array | None) -> bytes:
    """Return the entries of a delete block.

    Args:
        keys: Record keys.
        partitions: Partition paths.
        ordering: The bytes of the ordering values, see `EncodedOrdering`; None for unconditional deletes.
    """
    if not len(keys):
        return _END
    tail = _UNCONDITIONAL if ordering is None else ordering
    entries = pc.binary_join_element_wise(_TEXT, encoded(keys), _TEXT, encoded(partitions), tail, b"")
    content = pc.binary_join(pa.ListArray.from_arrays([0, len(entries)], entries), b"")
    return b"".join([long(len(keys)), content[0].as_py(), _END])


def _wrapper_of(type_: pa.DataType) -> str:
    for name, wrapped in UNION.items():
        if wrapped.arrow == type_:
            return name
    for name, check in _OTHER.items():
        if check(type_):
            return name
    raise DataError(
        f"an ordering value of type {type_} cannot be written to a delete block; set 'ordering' to another column"
    )


_OTHER = {
    "IntWrapper": lambda type_: pa.types.is_integer(type_) and type_.bit_width < 32,
    "StringWrapper": pa.types.is_large_string,
    "BytesWrapper": pa.types.is_large_binary,
    "DecimalWrapper": pa.types.is_decimal,
    "TimestampMicrosWrapper": pa.types.is_timestamp,
}
