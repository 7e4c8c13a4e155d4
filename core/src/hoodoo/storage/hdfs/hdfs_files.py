"""File objects of HDFS: random reads by ranges, and one streaming write."""

from __future__ import annotations

import io
from collections.abc import Callable
from contextlib import AbstractContextManager

from attrs import define, field
from hdfs_native import FileReader, FileWriter

__all__ = ["HdfsReader", "HdfsWriter"]

ErrorContext = Callable[[], AbstractContextManager[None]]

_READ_AHEAD = 256 * 1024


@define(eq=False)
class HdfsReader:
    """Reader of a closed file in ranges, with a minimum range size so that small reads share a request.

    Attributes:
        size: Size of the file in bytes.
    """

    _file: FileReader
    size: int
    _errors: ErrorContext
    closed: bool = field(default=False, init=False)
    _position: int = field(default=0, init=False)
    _start: int = field(default=0, init=False)
    _ahead: bytes = field(default=b"", init=False)

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
        """Set the position, which may be after the end, and return it."""
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
            self._start = min(self._position, max(0, self.size - _READ_AHEAD))
            stop = min(self.size, max(self._position + count, self._start + _READ_AHEAD))
            with self._errors():
                self._ahead = bytes(self._file.read_range(self._start, stop - self._start))
            offset = self._position - self._start
        body = self._ahead[offset : offset + count]
        self._position += len(body)
        return body

    def close(self) -> None:
        """Release the bytes that were read ahead."""
        self.closed, self._ahead = True, b""


@define(eq=False)
class HdfsWriter:
    """Writer of a file whose content is on the disks of its DataNodes when `close` returns."""

    _file: FileWriter
    _errors: ErrorContext
    closed: bool = field(default=False, init=False)
    _position: int = field(default=0, init=False)

    def writable(self) -> bool:
        """Return True."""
        return True

    def seekable(self) -> bool:
        """Return False."""
        return False

    def tell(self) -> int:
        """Return the number of bytes written."""
        return self._position

    def write(self, data: bytes) -> int:
        """Append a copy of the data, which the caller may change afterwards."""
        with self._errors():
            self._file.write(bytes(data))
        self._position += len(data)
        return len(data)

    def flush(self) -> None:
        """Do nothing: the file is complete when it is closed."""

    def close(self) -> None:
        """Complete the file. A second call does nothing, even if the first one failed."""
        if self.closed:
            return
        self.closed = True
        with self._errors():
            if self._position:
                self._file.hsync()
            self._file.close()
