"""Checksum CRC-32C (Castagnoli), which HBase writes; `zlib` has only the other CRC-32.

A checksum without initial and final inversion is linear: the bytes are divided into strips, the checksums of all strips
are computed at once with numpy, and the checksum of two neighbours is that of the first one, advanced by the length of
a strip, combined with that of the second one.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

__all__ = ["chunk_checksums", "crc32c"]

_POLYNOMIAL = 0x82F63B78
_STRIP = 128
_SHORT = 2048
"""Number of bytes from which numpy is faster than a loop."""
_ALL = 0xFFFFFFFF

_Words = npt.NDArray[np.uint32]


def crc32c(data: bytes) -> int:
    """Return the CRC-32C of `data`; 0 for no bytes."""
    return chunk_checksums(data, max(len(data), 1))[0] if data else 0


def chunk_checksums(data: bytes, chunk: int) -> list[int]:
    """Return the checksum of each chunk of `chunk` bytes; the last chunk may be shorter."""
    whole = len(data) // chunk if min(chunk, len(data)) >= _SHORT else 0
    found = _checksums(np.frombuffer(data, np.uint8, whole * chunk).reshape(whole, chunk)) if whole else []
    for start in range(whole * chunk, len(data), chunk):
        rest = data[start : start + chunk]
        is_short = len(rest) < _SHORT
        found.append(_one_by_one(rest) if is_short else _checksums(np.frombuffer(rest, np.uint8)[np.newaxis])[0])
    return found


def _checksums(chunks: npt.NDArray[np.uint8]) -> list[int]:
    """Return the checksum of each row."""
    count, length = chunks.shape
    strips = -(-length // _STRIP)
    # zeros before the bytes do not change a checksum that begins with zero
    padded = np.zeros((count, strips * _STRIP), np.uint8)
    padded[:, strips * _STRIP - length :] = chunks
    # to begin with all bits set is the same as to invert the first four bytes
    padded[:, strips * _STRIP - length :][:, :4] ^= 0xFF
    table = _table()
    states = np.zeros(count * strips, np.uint32)
    for column in np.ascontiguousarray(padded.reshape(count * strips, _STRIP).T):
        states = table[(states ^ column) & 0xFF] ^ (states >> 8)
    advance = _advance()
    found = np.zeros(count, np.uint32)
    for state in states.reshape(count, strips).T:
        found = (
            advance[0][found & 0xFF]
            ^ advance[1][found >> 8 & 0xFF]
            ^ advance[2][found >> 16 & 0xFF]
            ^ advance[3][found >> 24]
            ^ state
        )
    return [int(value) ^ _ALL for value in found]


def _one_by_one(data: bytes) -> int:
    table, found = _numbers(), _ALL
    for byte in data:
        found = table[(found ^ byte) & 0xFF] ^ (found >> 8)
    return found ^ _ALL


@cache
def _numbers() -> list[int]:
    return [int(state) for state in _table()]


@cache
def _table() -> _Words:
    """Return the checksum of each single byte."""
    states = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        states = np.where(states & 1, states >> 1 ^ np.uint32(_POLYNOMIAL), states >> 1)
    return states


@cache
def _advance() -> tuple[_Words, ...]:
    """Return, for each byte of a checksum and each of its values, the checksum after a strip of zeros."""
    table = _table()
    advanced = []
    for place in range(4):
        states = np.arange(256, dtype=np.uint32) << np.uint32(8 * place)
        for _ in range(_STRIP):
            states = table[states & 0xFF] ^ (states >> 8)
        advanced.append(states)
    return tuple(advanced)
