"""How large a bloom filter is, and how often a key is hashed for it."""

from __future__ import annotations

import math
from typing import Literal

from attrs import frozen

from hoodoo.errors import OptionError

__all__ = ["BloomShape"]

_MOST_BITS = (1 << 31) - 1


@frozen
class BloomShape:
    """What a new filter is made by.

    Attributes:
        entries: Keys that one row of the filter is made for.
        fpp: The share of strange keys that a full row takes for its own.
        kind: `SIMPLE` has one row, `DYNAMIC_V0` grows by rows of `entries` keys.
        max_entries: Keys beyond which no row is added.
    """

    entries: int = 60_000
    fpp: float = 1e-9
    kind: Literal["SIMPLE", "DYNAMIC_V0"] = "DYNAMIC_V0"
    max_entries: int = 100_000

    def __attrs_post_init__(self) -> None:
        if self.entries < 1 or not 0 < self.fpp < 1:
            raise OptionError(
                f"a bloom filter of {self.entries} entries with a false positive share of {self.fpp} cannot be; give "
                "'bloom_entries' of at least 1, and 'bloom_fpp' between 0 and 1"
            )
        if self.bits > _MOST_BITS:
            raise OptionError(
                f"a bloom filter of {self.entries} entries with a false positive share of {self.fpp} would need "
                f"{self.bits} bits, and {_MOST_BITS} is the most; lower 'bloom_entries' or raise 'bloom_fpp'"
            )

    @property
    def bits(self) -> int:
        """Bits of one row."""
        return math.ceil(self.entries * (-math.log(self.fpp) / (math.log(2) * math.log(2))))

    @property
    def text_size(self) -> int:
        """Bytes that a row takes in a footer."""
        return self.bits // 6

    @property
    def hashes(self) -> int:
        """Bits that a key sets in a row."""
        return math.ceil(math.log(2) * self.bits / self.entries)
