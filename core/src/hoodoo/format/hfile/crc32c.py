"""Checksum CRC-32C (Castagnoli), which HBase writes; `zlib` has only the other CRC-32.

A checksum without initial and final inversion is linear: the bytes are divided into strips, the checksums of all strips
are computed at once with numpy, and the checksum of two neighbours is that of the first one, advanced by the length of
a strip, combined with that of the second one.
"""

from __future__ import annotations

import struct
from functools import cache

import numpy as np
import numpy.typing as npt

__all__ = ["crc32c"]

_POLYNOMIAL = 0x82F63B78
_STRIP = 128
_ALL = 0xFFFFFFFF

_Words = npt.NDArray[np.uint32]


def crc32c(data: bytes) -> int:
    """Return the checksum of some bytes."""
    if len(data) < 4:
        return _short(data)
    # to begin with all bits set is the same as to invert the first four bytes
    (first,) = struct.unpack_from("<I", data)
    strips = -(-len(data) // _STRIP)
    padded = np.zeros(strips * _STRIP, np.uint8)
    # zeros before the bytes do not change a checksum that begins with zero
    start = len(padded) - len(data)
    padded[start:] = np.frombuffer(data, np.uint8)
    padded[start : start + 4] = np.frombuffer(struct.pack("<I", first ^ _ALL), np.uint8)
    columns = np.ascontiguousarray(padded.reshape(strips, _STRIP).T)
    table = _table()
    states = np.zeros(strips, np.uint32)
    for column in columns:
        states = table[(states ^ column) & 0xFF] ^ (states >> 8)
    advance = _advance()
    found = 0
    for state in states.tolist():
        found = (
            advance[0][found & 0xFF]
            ^ advance[1][found >> 8 & 0xFF]
            ^ advance[2][found >> 16 & 0xFF]
            ^ advance[3][found >> 24]
            ^ state
        )
    return found ^ _ALL


def _short(data: bytes) -> int:
    table, found = _table(), _ALL
    for byte in data:
        found = int(table[(found ^ byte) & 0xFF]) ^ (found >> 8)
    return found ^ _ALL


@cache
def _table() -> _Words:
    """Return the checksum of each single byte."""
    states = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        states = np.where(states & 1, states >> 1 ^ np.uint32(_POLYNOMIAL), states >> 1)
    return states


@cache
def _advance() -> tuple[list[int], ...]:
    """Return, for each byte of a checksum and each of its values, the checksum after a strip of zeros."""
    table = _table()
    advanced = []
    for place in range(4):
        states = np.arange(256, dtype=np.uint32) << np.uint32(8 * place)
        for _ in range(_STRIP):
            states = table[states & 0xFF] ^ (states >> 8)
        advanced.append(states.tolist())
    return tuple(advanced)
