"""Limit of the memory of this process: the memory of the machine or of its container."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["default_batch_memory", "machine_memory"]

CONTAINER_LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
"""Files with the limit of a container in bytes, for versions 2 and 1 of control groups."""

SHARE = 4
"""Divisor of the memory: the rows of a batch use at most 1 / SHARE of it; merging and encoding need the rest."""

UNKNOWN_BYTES = 4 * 1024**3
"""Assumed bytes of memory of a machine that does not report them."""


def machine_memory(limits: tuple[str, ...] = CONTAINER_LIMITS) -> int:
    """Return the bytes of memory of this machine, or of the container if it has a smaller limit.

    `UNKNOWN_BYTES` stands for the memory of a machine that does not report it.

    Args:
        limits: Files that may contain a limit in bytes.
    """
    found = [_physical_memory()]
    for name in limits:
        path = Path(name)
        if path.is_file() and (text := path.read_text(encoding="ascii").strip()).isdigit():
            found.append(int(text))
    return min(found)


def default_batch_memory() -> int:
    """Return the default of the option `batch_memory` in bytes: a quarter of the memory."""
    return machine_memory() // SHARE


def _physical_memory() -> int:
    if "SC_PHYS_PAGES" not in getattr(os, "sysconf_names", {}):
        return UNKNOWN_BYTES
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
