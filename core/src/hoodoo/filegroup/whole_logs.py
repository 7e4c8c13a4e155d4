"""Small logs in a remote store, each of which is read by one request.

The reader of a log opens it several times and reads a few bytes at several positions: the frames of the blocks, their
columns, and their contents.
"""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa
from attrs import field, frozen

from hoodoo.storage import LocalStorage, ReadOnlyStorage, Storage

__all__ = ["with_whole_logs"]

_LARGEST = 8 * 1024 * 1024
_MOST = 32 * 1024 * 1024
"""Maximum number of bytes of all logs that are kept."""


def with_whole_logs(storage: Storage, logs: Mapping[str, int]) -> Storage:
    """Return a storage for reading, which reads each small log whole when it is opened first, and keeps it.

    The bytes are kept as long as the result. For local files the result is the storage itself.

    Args:
        storage: The table's files.
        logs: The sizes in bytes of logs, by table-relative path. Logs of more than 8 MiB, or beyond 32 MiB in total,
            are read in parts as before.
    """
    if isinstance(storage, LocalStorage):
        return storage
    kept, left = set(), _MOST
    for path, size in logs.items():
        if size <= min(_LARGEST, left):
            kept.add(path)
            left -= size
    return _WholeLogs(storage, frozenset(kept))


@frozen
class _WholeLogs(ReadOnlyStorage):
    """Storage that keeps the contents of some files from their first use on."""

    paths: frozenset[str]
    _bodies: dict[str, bytes] = field(factory=dict, init=False, repr=False, eq=False)

    def open_input(self, path: str) -> pa.NativeFile:
        """Open a file for random reads."""
        if path not in self.paths:
            return self.base.open_input(path)
        if path not in self._bodies:
            self._bodies[path] = self.base.read(path)
        return pa.BufferReader(self._bodies[path])
