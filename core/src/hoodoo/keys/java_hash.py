"""Java's `String.hashCode()` of many strings at once, over UTF-16 units and in 32 bits."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pyarrow as pa
from attrs import frozen
from numpy.typing import NDArray

from hoodoo.errors import DataError

__all__ = ["Utf8Strings"]

_INVERSE_OF_31 = pow(31, -1, 1 << 32)


@frozen
class Utf8Strings:
    """Strings in one buffer of UTF-8 bytes; string i is `data[bounds[i]:bounds[i + 1]]`."""

    data: NDArray[np.uint8]
    bounds: NDArray[np.int64]

    @classmethod
    def of(cls, strings: pa.Array) -> Utf8Strings:
        """Return the strings of an Arrow array (`large_string`), without a copy of the bytes."""
        _, offsets, data = strings.buffers()
        bounds = np.frombuffer(offsets, dtype=np.int64)[strings.offset : strings.offset + len(strings) + 1]
        octets = np.frombuffer(data or b"", dtype=np.uint8)[bounds[0] : bounds[-1]]
        return cls(octets, bounds - bounds[0])

    def hashes(self, starts: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.uint32]:
        """Return Java's `String.hashCode()` of the string `data[starts[i]:ends[i]]` for each i, as an unsigned number.

        A string's hash is the sum of its units times falling powers of 31. With one running sum over all units,
        weighted by powers of 1/31 (31 is odd, so it has an inverse in 32 bits), every range costs one subtraction.

        Raises:
            DataError: The bytes are not valid UTF-8.
        """
        units, places = self._units()
        powers, inverses = _powers(1 << max(len(units), 1).bit_length())
        sums = np.zeros(len(units) + 1, dtype=np.uint32)
        np.cumsum(units * inverses[1 : len(units) + 1], dtype=np.uint32, out=sums[1:])
        if places is not None:
            starts, ends = places[starts], places[ends]
        return (sums[ends] - sums[starts]) * powers[ends]

    def _units(self) -> tuple[NDArray[np.uint32], NDArray[np.int64] | None]:
        """Return the UTF-16 units, and the number of units before each byte, which is None if all bytes are ASCII."""
        if not len(self.data) or int(self.data.max()) < 0x80:
            return self.data.astype(np.uint32), None
        try:
            encoded = self.data.tobytes().decode("utf-8").encode("utf-16-le")
        except UnicodeDecodeError as error:
            raise DataError(f"a record key is not valid UTF-8: {error}; correct the values of its columns") from None
        # the first byte of a character counts as one unit, or as two for a character outside the basic plane
        widths = ((self.data & 0xC0) != 0x80).astype(np.int64) + (self.data >= 0xF0)
        places = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(widths)))
        return np.frombuffer(encoded, dtype="<u2").astype(np.uint32), places


@lru_cache(maxsize=4)
def _powers(count: int) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """Return the powers of 31 and of its inverse modulo 2**32, for the exponents from 0 to `count`."""
    factors = np.ones(count + 1, dtype=np.uint32)
    factors[1:] = 31
    inverses = np.ones(count + 1, dtype=np.uint32)
    inverses[1:] = _INVERSE_OF_31
    return np.multiply.accumulate(factors, dtype=np.uint32), np.multiply.accumulate(inverses, dtype=np.uint32)
