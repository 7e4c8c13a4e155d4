"""Bloom filters of record keys, as they stand in the footers of base files: byte for byte Hudi's."""

from __future__ import annotations

from hoodoo.format.bloom.filter import BloomFilter
from hoodoo.format.bloom.footer import KeyFooter, filter_metadata
from hoodoo.format.bloom.hashing import KeyHashes
from hoodoo.format.bloom.shape import BloomShape

__all__ = ["BloomFilter", "BloomShape", "KeyFooter", "KeyHashes", "filter_metadata"]
