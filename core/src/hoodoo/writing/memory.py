"""Giving memory back. A worker holds the rows that have come for a file group, or a partition, while it merges."""

from __future__ import annotations

import pyarrow as pa

__all__ = ["give_back"]

MUCH_BYTES = 80 * 1024 * 1024


def give_back() -> None:
    """Return freed memory to the system where the task holds much.

    What receiving, merging and encoding have used is scattered over the heap and of no use to larger columns. Small
    batches go without: it costs time.
    """
    pool = pa.default_memory_pool()
    if pool.bytes_allocated() > MUCH_BYTES:
        pool.release_unused()
