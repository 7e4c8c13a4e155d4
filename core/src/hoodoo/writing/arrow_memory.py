"""Release of unused memory by workers, which keep the rows of a file group or a partition during a merge."""

from __future__ import annotations

import ctypes
import sys

import pyarrow as pa

__all__ = ["prefer_keeping", "prefer_returning", "release_unused"]

MUCH_BYTES = 80 * 1024 * 1024

_M_MMAP_THRESHOLD = -3
_MAPPED_BYTES = 1024 * 1024

_returns = False
"""True if this process returns freed memory to the system, as a worker of Spark does, which runs one task at a time."""


def prefer_returning() -> None:
    """Configure this process to return freed memory rather than keep it for later.

    Arrow's default, mimalloc, keeps far more of the memory that was freed between two batches of stored rows. The
    allocator of the system maps each large column separately and returns it when it is freed. glibc raises the minimum
    size for this to that of the largest column freed so far, unless the minimum is set. Other C libraries have no such
    setting.
    """
    global _returns
    _returns = True
    before = pa.default_memory_pool()
    if before.backend_name != "system":
        pa.set_memory_pool(pa.system_memory_pool())
        before.release_unused()
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if mallopt is not None:
        mallopt(_M_MMAP_THRESHOLD, _MAPPED_BYTES)


def prefer_keeping() -> None:
    """Configure this process to keep freed memory, which is Arrow's default.

    Reads and compactions reuse this memory for each batch. If Arrow lacks mimalloc, the memory pool stays as it is.
    """
    global _returns
    _returns = False
    if "mimalloc" in pa.supported_memory_backends():
        pa.set_memory_pool(pa.mimalloc_memory_pool())


def release_unused() -> None:
    """Return freed memory to the system, if `_returns` is true and Arrow uses more than `MUCH_BYTES`.

    Memory that was used to receive, merge and encode rows is scattered over the heap, so that larger columns cannot
    reuse it. Small batches skip this step, because it takes time. In a process with several tasks in threads, it would
    delay all of them after each row group.
    """
    if not _returns:
        return
    pool = pa.default_memory_pool()
    if pool.bytes_allocated() > MUCH_BYTES:
        pool.release_unused()
