"""Giving memory back. A worker holds the rows that have come for a file group, or a partition, while it merges."""

from __future__ import annotations

import ctypes
import sys

import pyarrow as pa

__all__ = ["prefer_keeping", "prefer_returning", "release_unused"]

MUCH_BYTES = 80 * 1024 * 1024

_M_MMAP_THRESHOLD = -3
_MAPPED_BYTES = 1024 * 1024


def prefer_returning() -> None:
    """Let this process return memory rather than keep it for later.

    Arrow's first choice, mimalloc, keeps far more of what was freed between two batches of stored rows. The system's
    allocator is told that columns are mapped one by one, so that each goes back when it is freed: left to itself glibc
    raises the size from which it does that to that of the largest column freed so far. Other C libraries have no such
    knob and do without.
    """
    before = pa.default_memory_pool()
    if before.backend_name != "system":
        pa.set_memory_pool(pa.system_memory_pool())
        before.release_unused()
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if mallopt is not None:
        mallopt(_M_MMAP_THRESHOLD, _MAPPED_BYTES)


def prefer_keeping() -> None:
    """Let this process keep what it frees, as Arrow does by itself: whoever reads or compacts has batch after batch."""
    if "mimalloc" in pa.supported_memory_backends():
        pa.set_memory_pool(pa.mimalloc_memory_pool())


def release_unused() -> None:
    """Return freed memory to the system where the task holds much.

    What receiving, merging and encoding have used is scattered over the heap and of no use to larger columns. Small
    batches go without: it costs time.
    """
    pool = pa.default_memory_pool()
    if pool.bytes_allocated() > MUCH_BYTES:
        pool.release_unused()
