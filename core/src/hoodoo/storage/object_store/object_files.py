"""Objects as files: random reads by ranges, and writes in parts."""

from __future__ import annotations

import io
from collections.abc import Callable
from contextlib import AbstractContextManager

import obstore
from attrs import define, field
from obstore.store import ObjectStore

__all__ = ["ObjectReader", "ObjectWriter"]

Named = Callable[[], AbstractContextManager[None]]

_READ_AHEAD = 512 * 1024
_PART_BYTES = 8 * 1024 * 1024
_PARTS_AT_ONCE = 4


@define(eq=False)
class ObjectReader:
    """Reads an object in ranges: what is asked for, but at least so much that small reads need no request each.

    Attributes:
        size: Bytes of the object.
    """

    _store: ObjectStore
    _key: str
    size: int
    _named: Named
    closed: bool = field(default=False, init=False)
    _position: int = field(default=0, init=False)
    _start: int = field(default=0, init=False)
    _ahead: bytes = field(default=b"", init=False)

    def readable(self) -> bool:
        """Yes."""
        return True

    def seekable(self) -> bool:
        """Yes."""
        return True

    def tell(self) -> int:
        """The position."""
        return self._position

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Go to a position, which may lie behind the end."""
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self.size}[whence]
        self._position = max(0, base + offset)
        return self._position

    def read(self, count: int | None = -1) -> bytes:
        """So many bytes, fewer at the end."""
        left = max(0, self.size - self._position)
        count = left if count is None or count < 0 else min(count, left)
        if not count:
            return b""
        offset = self._position - self._start
        if offset < 0 or offset + count > len(self._ahead):
            # near the end one range holds the rest, and the footer with all that is in it
            self._start = min(self._position, max(0, self.size - _READ_AHEAD))
            stop = min(self.size, max(self._position + count, self._start + _READ_AHEAD))
            with self._named():
                self._ahead = bytes(obstore.get_range(self._store, self._key, start=self._start, end=stop))
            offset = self._position - self._start
        body = self._ahead[offset : offset + count]
        self._position += len(body)
        return body

    def close(self) -> None:
        """Let go of what was read ahead."""
        self.closed, self._ahead = True, b""


@define(eq=False)
class ObjectWriter:
    """Writes an object in parts, several at once; nothing of it can be seen before `close`."""

    _store: ObjectStore
    _key: str
    _named: Named
    closed: bool = field(default=False, init=False)
    _position: int = field(default=0, init=False)
    _parts: obstore.WritableFile = field(init=False)

    def __attrs_post_init__(self) -> None:
        with self._named():
            self._parts = obstore.open_writer(
                self._store, self._key, buffer_size=_PART_BYTES, max_concurrency=_PARTS_AT_ONCE
            )

    def writable(self) -> bool:
        """Yes."""
        return True

    def seekable(self) -> bool:
        """No."""
        return False

    def tell(self) -> int:
        """Bytes so far."""
        return self._position

    def write(self, data: bytes) -> int:
        """Append a copy: parts are sent later, and the memory is its owner's."""
        with self._named():
            count = self._parts.write(bytes(data))
        self._position += count
        return count

    def flush(self) -> None:
        """Nothing: what is written is there once the file is closed."""

    def close(self) -> None:
        """Make the object appear. A second call does nothing, also where the first one failed."""
        if not self.closed:
            self.closed = True
            with self._named():
                self._parts.close()
