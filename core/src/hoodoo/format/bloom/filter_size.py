"""Size of a bloom filter and number of hashes per key."""

from __future__ import annotations

import math
from typing import Literal

from attrs import frozen

from hoodoo.errors import OptionError

__all__ = ["BloomShape"]

_MOST_BITS = (1 << 31) - 1


@frozen
class BloomShape:
    """Parameters of a new filter.

    Attributes:
        entries: Number of keys for which one row is sized.
        fpp: False positive rate of a full row.
        kind: `SIMPLE` has one row, `DYNAMIC_V0` grows by rows of `entries` keys.
        max_entries: Number of keys above which no row is added.

    Raises:
        OptionError: `entries` or `fpp` is out of range, or a row would have too many bits.
    """

    entries: int = 60_000
    fpp: float = 1e-9
    kind: Literal["SIMPLE", "DYNAMIC_V0"] = "DYNAMIC_V0"
    max_entries: int = 100_000

    def __attrs_post_init__(self) -> None:
        if self.entries < 1 or not 0 < self.fpp < 1:
            raise OptionError(
                f"a bloom filter with 'bloom_entries' {self.entries} and 'bloom_fpp' {self.fpp} is not possible; "
                "set 'bloom_entries' to at least 1, and 'bloom_fpp' to a number between 0 and 1"
            )
        if self.bits > _MOST_BITS:
            raise OptionError(
                f"a bloom filter of {self.entries} entries with a false positive rate of {self.fpp} would need "
                f"{self.bits} bits, more than {_MOST_BITS}; lower 'bloom_entries' or raise 'bloom_fpp'"
            )

    @property
    def bits(self) -> int:
        """Return the number of bits of one row."""
        return math.ceil(self.entries * (-math.log(self.fpp) / (math.log(2) * math.log(2))))

    @property
    def text_size(self) -> int:
        """Return the approximate number of bytes of a row in a footer, as base64."""
        return self.bits // 6

    @property
    def hashes(self) -> int:
        """Return the number of bits that a key sets in a row."""
        return math.ceil(math.log(2) * self.bits / self.entries)
