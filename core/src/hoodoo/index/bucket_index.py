"""Bucket index: Hudi's hash of a record key determines the number of the key's file group within the partition.

The number is the hash, without its sign bit, modulo the number of buckets. The hash is Java's `List<String>.hashCode()`
of the values of the index columns, over UTF-16 units and in 32 bits.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from attrs import frozen
from numpy.typing import NDArray

from hoodoo.errors import DataError, OptionError, TableError
from hoodoo.keys.java_hash import Utf8Strings

__all__ = ["bucket_file_id", "bucket_ids", "bucket_of"]

_FILE_ID = re.compile(r"(\d{8})-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}(-\d+)?")
_BLOCK_KEYS = 1 << 15
_COMMA, _COLON = ord(","), ord(":")
_PLACEHOLDERS = (b"__null__", b"__empty__")


def bucket_ids(
    record_keys: pa.Array, num_buckets: int, index_fields: Sequence[str] = (), key_fields: Sequence[str] = ()
) -> NDArray[np.int32]:
    """Return the bucket of every record key.

    A key with both `,` and `:` is parsed as `column:value,column:value`, and the values of the index columns are
    hashed, in the order of the key; the values `__null__` and `__empty__` have the hash 0. Any other key is hashed as a
    whole, as is a key that names none of the index columns.

    Args:
        record_keys: n record keys (string), without nulls.
        num_buckets: Buckets per partition.
        index_fields: The index columns (`hoodie.bucket.index.hash.field`); by default `key_fields`.
        key_fields: The record key columns; by default all columns that a key names.

    Returns:
        n numbers from 0 to `num_buckets` - 1.

    Raises:
        OptionError: There is no bucket, or an index column is not a record key column.
        DataError: A record key is null or not valid UTF-8.
    """
    if num_buckets < 1:
        raise OptionError(
            f"the number of buckets is {num_buckets}; set 'hoodie.bucket.index.num.buckets' to at least 1"
        )
    unknown = [field for field in index_fields if key_fields and field not in key_fields]
    if unknown:
        raise OptionError(
            f"'hoodie.bucket.index.hash.field' names {', '.join(unknown)}; name only record key columns "
            f"({', '.join(key_fields)})"
        )
    if record_keys.null_count:
        raise DataError(
            f"record keys that are null: {record_keys.null_count} of {len(record_keys)}; every record needs a key: "
            "fill the key columns, or drop such rows before writing",
            code="key_null_or_empty",
        )
    names = tuple(index_fields) or tuple(key_fields)
    keys = record_keys.cast(pa.large_string())
    hashes = np.empty(len(keys), dtype=np.uint32)
    for start in range(0, len(keys), _BLOCK_KEYS):
        block = keys.slice(start, _BLOCK_KEYS)
        hashes[start : start + len(block)] = _list_hashes(Utf8Strings.of(block), names)
    return ((hashes & np.uint32(0x7FFFFFFF)) % np.uint32(num_buckets)).astype(np.int32)


def bucket_file_id(bucket: int) -> str:
    """Return a new file id for a bucket: a random UUID whose first eight digits are the bucket's number, and `-0`."""
    return f"{bucket:08d}{str(uuid.uuid4())[8:]}-0"


def bucket_of(file_id: str) -> int:
    """Return the bucket of a file group.

    Raises:
        TableError: The file id does not begin with a bucket number.
    """
    match = _FILE_ID.fullmatch(file_id)
    if match is None:
        raise TableError(
            f"file id '{file_id}' does not begin with a bucket number of eight digits, so its file group was not"
            " written with a bucket index; write the table with the index with which it was created"
        )
    return int(match[1])


def _list_hashes(keys: Utf8Strings, names: tuple[str, ...]) -> NDArray[np.uint32]:
    starts, ends = keys.bounds[:-1], keys.bounds[1:]
    whole = np.uint32(31) + keys.hashes(starts, ends)
    marks = np.flatnonzero((keys.data == _COLON) | (keys.data == _COMMA))
    if not len(marks):
        return whole
    parts = _parts(keys, marks)
    chosen = _parts_of(keys, parts, names)
    if not len(chosen.key):
        return whole
    values = keys.hashes(chosen.colon + 1, chosen.end)
    for placeholder in _PLACEHOLDERS:
        values[_equal(keys, chosen.colon + 1, chosen.end, placeholder)] = 0
    result = np.ones(len(starts), dtype=np.uint32)
    _, firsts, counts = np.unique(chosen.key, return_index=True, return_counts=True)
    places = np.arange(len(chosen.key)) - np.repeat(firsts, counts)
    for place in range(int(counts.max())):
        at = places == place
        result[chosen.key[at]] = result[chosen.key[at]] * np.uint32(31) + values[at]
    plain = np.ones(len(starts), dtype=bool)
    plain[chosen.key] = False
    result[plain] = whole[plain]
    return result


@frozen
class _Parts:
    """`column:value` parts of keys, in order.

    Attributes:
        key: The number of the key.
        start: The byte offset of the start of the part.
        colon: The byte offset of its colon.
        end: The byte offset of its end.
    """

    key: NDArray[np.int64]
    start: NDArray[np.int64]
    colon: NDArray[np.int64]
    end: NDArray[np.int64]

    def where(self, mask: NDArray[np.bool_]) -> _Parts:
        return _Parts(self.key[mask], self.start[mask], self.colon[mask], self.end[mask])


def _parts(keys: Utf8Strings, marks: NDArray[np.int64]) -> _Parts:
    """Return the parts of all keys that contain both a comma and a colon; `marks` are their positions.

    Values are not escaped: a part ends at the last comma before the next colon.
    """
    owner = np.searchsorted(keys.bounds, marks, side="right") - 1
    is_colon = keys.data[marks] == _COLON
    count = len(keys.bounds) - 1
    colon_counts = np.bincount(owner[is_colon], minlength=count)
    comma_counts = np.bincount(owner[~is_colon], minlength=count)
    keep = ((colon_counts > 0) & (comma_counts > 0))[owner]
    marks, owner, is_colon = marks[keep], owner[keep], is_colon[keep]
    colons = np.flatnonzero(is_colon)
    heads, first_of_head = np.unique(owner[colons], return_index=True)
    first_colon = np.zeros(count, dtype=np.int64)
    first_colon[heads] = marks[colons[first_of_head]]
    before_colon = np.zeros(len(marks), dtype=bool)
    before_colon[:-1] = ~is_colon[:-1] & is_colon[1:] & (owner[:-1] == owner[1:])
    separators = np.flatnonzero(before_colon & (marks > first_colon[owner]))
    key = np.concatenate((heads, owner[separators]))
    start = np.concatenate((keys.bounds[heads], marks[separators] + 1))
    colon = np.concatenate((first_colon[heads], marks[separators + 1]))
    order = np.argsort(start, kind="stable")
    key, start, colon = key[order], start[order], colon[order]
    end = keys.bounds[key + 1]
    goes_on = np.flatnonzero(key[:-1] == key[1:])
    end[goes_on] = start[goes_on + 1] - 1
    return _Parts(key, start, colon, end)


def _parts_of(keys: Utf8Strings, parts: _Parts, names: tuple[str, ...]) -> _Parts:
    """Return the parts of the given columns; all parts if no columns are given."""
    if not names:
        return parts
    chosen = np.zeros(len(parts.key), dtype=bool)
    for name in names:
        chosen |= _equal(keys, parts.start, parts.colon, name.encode())
    return parts.where(chosen)


def _equal(keys: Utf8Strings, starts: NDArray[np.int64], ends: NDArray[np.int64], text: bytes) -> NDArray[np.bool_]:
    """Return a mask of the byte ranges that equal `text`."""
    same: NDArray[np.bool_] = (ends - starts) == len(text)
    rows = np.flatnonzero(same)
    spots = starts[rows][:, None] + np.arange(len(text))
    same[rows] = (keys.data[spots] == np.frombuffer(text, dtype=np.uint8)).all(axis=1)
    return same
