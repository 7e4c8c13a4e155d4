"""Generated record keys that are random UUIDs, for rows that have no key."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from attrs import frozen
from numpy.typing import NDArray

from hoodoo.keys import partition_paths, path_qualifiers, positions
from hoodoo.plugin import hookimpl
from hoodoo.record import KeyConfig

__version__ = "0.1.0"

_LENGTH = 36
_DIGITS = [place for place in range(_LENGTH) if place not in (8, 13, 18, 23)]
_HEX = np.frombuffer(b"0123456789abcdef", dtype=np.uint8)

Words = NDArray[np.uint64]


@frozen
class UuidKeyGenerator:
    """Key generator UuidKeyGenerator of Hudi: UUIDs of version 4.

    A write requests the key of a row more than once, and a task may run again. The write therefore draws one random
    number, and the UUID of a row is mixed from that number and the position of the row in the input.
    """

    hudi_class = "org.apache.hudi.keygen.UuidKeyGenerator"
    generates_keys = True

    def record_keys(self, rows: pa.Table, config: KeyConfig) -> pa.Array:
        """Return a UUID per row; all calls of one write return the same UUID for a row."""
        seed = int(config.seed or "0", 16)
        place = positions(rows).astype(np.uint64)
        high, low = (_mixed(place ^ np.uint64(half)) for half in (seed >> 64, seed & (1 << 64) - 1))
        high = high & ~np.uint64(0xF000) | np.uint64(0x4000)
        low = low & np.uint64((1 << 62) - 1) | np.uint64(1 << 63)
        return _texts(high, low)

    def partition_paths(self, rows: pa.Table, config: KeyConfig) -> pa.Array:
        """Return the texts of the partition columns joined by `/`, in the style of `config`."""
        return partition_paths(rows, config)

    def path_qualifiers(self, rows: pa.Table, config: KeyConfig) -> pa.Array | None:
        """Return one text per row that distinguishes values with the same partition path; None if no row needs it."""
        return path_qualifiers(rows, config)


def _mixed(words: Words) -> Words:
    """Return each word mixed by the finalizer of SplitMix64, a bijection whose results look random."""
    with np.errstate(over="ignore"):
        words = words + np.uint64(0x9E3779B97F4A7C15)
        words = (words ^ words >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
        words = (words ^ words >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return words ^ words >> np.uint64(31)


def _texts(high: Words, low: Words) -> pa.Array:
    """Return 128 bits per row as text of 8-4-4-4-12 hexadecimal digits."""
    octets = np.stack([high, low], axis=1).astype(">u8").view(np.uint8)
    text = np.full((len(high), _LENGTH), ord("-"), dtype=np.uint8)
    text[:, _DIGITS] = _HEX[np.stack([octets >> 4, octets & 15], axis=2).reshape(len(high), 32)]
    offsets = np.arange(0, (len(high) + 1) * _LENGTH, _LENGTH, dtype=np.int32)
    return pa.StringArray.from_buffers(len(high), pa.py_buffer(offsets), pa.py_buffer(np.ascontiguousarray(text)))


@hookimpl
def hoodoo_keygen() -> type[UuidKeyGenerator]:
    """Return the class of the plugin."""
    return UuidKeyGenerator
