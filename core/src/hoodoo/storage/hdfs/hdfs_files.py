"""File objects of HDFS: random reads by ranges, and one streaming write."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager

from attrs import define, field
from hdfs_native import FileReader, FileWriter

from hoodoo.storage.range_reader import RangeReader

__all__ = ["HdfsWriter", "reader_of"]

ErrorContext = Callable[[], AbstractContextManager[None]]

_READ_AHEAD = 256 * 1024


def reader_of(file: FileReader, errors: ErrorContext) -> RangeReader:
    """Return a reader of a file that its writer has closed.

    Args:
        file: The client's reader of the file.
        errors: Function that returns a context manager, which translates errors of reads.
    """

    def fetch(start: int, stop: int) -> bytes:
        with errors():
            return bytes(file.read_range(start, stop - start))

    return RangeReader(len(file), fetch, _READ_AHEAD)


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
        """Append a copy of the data, so that the caller may reuse the memory afterwards."""
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
