"""Keys of statistics and bloom filters, which consist of hashes of names."""

from __future__ import annotations

import base64
import hashlib

import xxhash

__all__ = ["bloom_key", "column_prefix", "file_hash", "name_hash", "partition_identifier", "stats_key"]

# 0xdabadaba as a 32-bit number, extended to 64 bits with its sign
_SEED = 0xFFFFFFFFDABADABA


def partition_identifier(partition: str) -> str:
    """Return the name of a partition path in the metadata table: the path, or `.` if it is empty."""
    return partition or "."


def name_hash(name: str) -> str:
    """Return the 64-bit xxHash of the name of a column or of a partition, in Base64."""
    return base64.b64encode(xxhash.xxh64_digest(name.encode(), _SEED)).decode()


def file_hash(name: str) -> str:
    """Return the MD5 hash of a file name, in Base64."""
    return base64.b64encode(hashlib.md5(name.encode(), usedforsecurity=False).digest()).decode()


def column_prefix(column: str) -> bytes:
    """Return the prefix of the keys of a column's statistics."""
    return name_hash(column).encode()


def stats_key(column: str, partition: str, file: str | None = None) -> str:
    """Return the key of a column's statistics in a file, or in a partition if `file` is None."""
    return name_hash(column) + name_hash(partition_identifier(partition)) + ("" if file is None else file_hash(file))


def bloom_key(partition: str, file: str) -> str:
    """Return the key of the bloom filter of a file."""
    return name_hash(partition_identifier(partition)) + file_hash(file)
