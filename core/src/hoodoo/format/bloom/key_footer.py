"""Information about record keys in the footer of a base file: bounds and bloom filter."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from attrs import frozen
from numpy.typing import NDArray

from hoodoo.format.bloom.bloom_filter import BloomFilter
from hoodoo.format.bloom.key_hash import KeyHashes

__all__ = ["KeyFooter", "filter_metadata", "stored_filter"]

_BLOOM, _KIND = "org.apache.hudi.bloomfilter", "hoodie_bloom_filter_type_code"
_LOW, _HIGH = "hoodie_min_record_key", "hoodie_max_record_key"


@frozen
class KeyFooter:
    """Bounds and bloom filter of a file's keys.

    `bounds` and `bloom` are None if the footer lacks them or has implausible ones. If both are None, a file with
    rows may contain any key.

    Attributes:
        rows: Number of rows of the file.
        bounds: The smallest and the largest key.
        bloom: The bloom filter of the keys.
    """

    rows: int
    bounds: tuple[str, str] | None
    bloom: BloomFilter | None

    @classmethod
    def of(cls, file: pq.ParquetFile) -> KeyFooter:
        """Return the key information of an open base file."""
        found = {key.decode("utf-8", "replace"): value for key, value in (file.metadata.metadata or {}).items()}
        rows = file.metadata.num_rows
        bloom = None
        if _BLOOM in found:
            bloom = BloomFilter.from_text(found[_BLOOM], found.get(_KIND, b"SIMPLE").decode("utf-8", "replace"))
        try:
            low, high = found[_LOW].decode(), found[_HIGH].decode()
        except (KeyError, UnicodeDecodeError):
            return cls(rows, None, bloom if bloom is not None and _is_plausible(bloom, rows) else None)
        if bloom is not None:
            ends = KeyHashes(pa.array([low, high], pa.string()))
            if not _is_plausible(bloom, rows) or not bloom.may_contain(ends).all():
                bloom = None
        return cls(rows, (low, high) if low <= high and _is_ordered(low + high) else None, bloom)

    def may_contain(self, keys: KeyHashes) -> NDArray[np.bool_]:
        """Return a mask of n keys: True if the file may contain a key."""
        if not self.rows:
            return np.zeros(len(keys.keys), dtype=bool)
        inside = np.ones(len(keys.keys), dtype=bool)
        if self.bounds is not None:
            low, high = self.bounds
            within = pc.and_(pc.greater_equal(keys.keys, low), pc.less_equal(keys.keys, high))
            inside = within.to_numpy(zero_copy_only=False)
        if self.bloom is None or not inside.any():
            return inside
        return self.bloom.may_contain(keys, None if inside.all() else inside)


def filter_metadata(bloom: BloomFilter) -> dict[str, str]:
    """Return the footer entries for a filter."""
    return {_BLOOM: bloom.to_text(), _KIND: bloom.kind}


def stored_filter(file: pq.ParquetFile) -> tuple[bytes, str] | None:
    """Return the text of the filter in the footer of an open base file, and its kind; None if there is no filter."""
    entries = file.metadata.metadata or {}
    text = entries.get(_BLOOM.encode())
    return None if text is None else (text, entries.get(_KIND.encode(), b"SIMPLE").decode("utf-8", "replace"))


def _is_plausible(bloom: BloomFilter, rows: int) -> bool:
    return bloom.count is None or bloom.count >= rows


def _is_ordered(text: str) -> bool:
    """Return whether strings of these characters have the same order in UTF-16 and in bytes; writers use either."""
    return not text or max(text) < "\ue000"
