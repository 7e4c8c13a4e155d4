"""Bloom filters of record keys in the footers of base files, byte for byte like Hudi's."""

from __future__ import annotations

from hoodoo.format.bloom.bloom_filter import BloomFilter
from hoodoo.format.bloom.filter_size import BloomShape
from hoodoo.format.bloom.key_footer import KeyFooter, filter_metadata
from hoodoo.format.bloom.key_hash import KeyHashes

__all__ = ["BloomFilter", "BloomShape", "KeyFooter", "KeyHashes", "filter_metadata"]
