"""File object for random reads, which fetches ranges of a remote file."""

from __future__ import annotations

import io
from collections.abc import Callable

from attrs import define, field

__all__ = ["RangeReader"]


@define(eq=False)
class RangeReader:
    """Reader of a remote file in ranges, with a minimum range size so that small reads share a request.

    Attributes:
        size: Size of the file in bytes.
        fetch: Function that returns the bytes from a start offset to an end offset, which is exclusive.
        least: The minimum size of a range in bytes; a range is smaller only if the file is.
        start: The offset of `ahead`.
        ahead: Bytes of the file that were read before.
    """

    size: int
    fetch: Callable[[int, int], bytes]
    least: int
    _start: int = 0
    _ahead: bytes = b""
    closed: bool = field(default=False, init=False)
    _position: int = field(default=0, init=False)

    def readable(self) -> bool:
        """Return True."""
        return True

    def seekable(self) -> bool:
        """Return True."""
        return True

    def tell(self) -> int:
        """Return the position in bytes."""
        return self._position

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Set the position, which may be after the end but not before the start, and return it."""
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self.size}[whence]
        self._position = max(0, base + offset)
        return self._position

    def read(self, count: int | None = -1) -> bytes:
        """Return up to `count` bytes; all remaining bytes by default."""
        left = max(0, self.size - self._position)
        count = left if count is None or count < 0 else min(count, left)
        if not count:
            return b""
        offset = self._position - self._start
        if offset < 0 or offset + count > len(self._ahead):
            # near the end, read one range to the end: it contains the whole footer
            self._start = min(self._position, max(0, self.size - self.least))
            stop = min(self.size, max(self._position + count, self._start + self.least))
            self._ahead = self.fetch(self._start, stop)
            offset = self._position - self._start
        body = self._ahead[offset : offset + count]
        self._position += len(body)
        return body

    def close(self) -> None:
        """Release the bytes that were read ahead."""
        self.closed, self._ahead = True, b""
