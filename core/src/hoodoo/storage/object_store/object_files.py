"""File objects of object stores: random reads by ranges, and multipart writes."""

from __future__ import annotations

import io
from collections.abc import Callable
from contextlib import AbstractContextManager

import obstore
from attrs import define, field
from obstore.exceptions import GenericError
from obstore.store import AzureStore, ObjectStore

__all__ = ["ObjectReader", "ObjectWriter"]

ErrorContext = Callable[[], AbstractContextManager[None]]

_READ_AHEAD = 512 * 1024
_PART_BYTES = 8 * 1024 * 1024
_PARTS_AT_ONCE = 4


@define(eq=False)
class ObjectReader:
    """Reader of an object in ranges, with a minimum range size so that small reads share a request.

    Attributes:
        size: Size of the object in bytes.
    """

    _store: ObjectStore
    _key: str
    size: int
    _errors: ErrorContext
    _start: int = 0
    _ahead: bytes = b""
    closed: bool = field(default=False, init=False)
    _position: int = field(default=0, init=False)

    @classmethod
    def opened(cls, store: ObjectStore, key: str, errors: ErrorContext) -> ObjectReader:
        """Return a reader of an object. One request returns the size and the end of the object, which has its footer.

        Args:
            store: The store.
            key: The key of the object.
            errors: The context that translates errors of later reads.

        Raises:
            FileNotFoundError: There is no such object.
        """
        if isinstance(store, AzureStore):
            # Azure has no ranges that count from the end
            return cls(store, key, obstore.head(store, key)["size"], errors)
        try:
            found = obstore.get(store, key, options={"range": {"suffix": _READ_AHEAD}})
        except GenericError:
            # an empty object has no range
            size = obstore.head(store, key)["size"]
            if size:
                raise
            return cls(store, key, size, errors)
        return cls(store, key, found.meta["size"], errors, start=found.range[0], ahead=bytes(found.bytes()))

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
                self._ahead = bytes(obstore.get_range(self._store, self._key, start=self._start, end=stop))
            offset = self._position - self._start
        body = self._ahead[offset : offset + count]
        self._position += len(body)
        return body

    def close(self) -> None:
        """Release the bytes that were read ahead."""
        self.closed, self._ahead = True, b""


@define(eq=False)
class ObjectWriter:
    """Writer of a new object: one request for a small object, concurrent parts for a large one.

    The content is not visible before `close`.

    Attributes:
        create: Function that creates the object with all of its content, or raises `AlreadyExists`.
        claim: Function that reserves the name of a large object, because parts replace an existing object; raises
            `AlreadyExists`.
    """

    _store: ObjectStore
    _key: str
    _errors: ErrorContext
    _create: Callable[[bytes], None]
    _claim: Callable[[], None]
    closed: bool = field(default=False, init=False)
    _position: int = field(default=0, init=False)
    _head: bytearray = field(factory=bytearray, init=False)
    _parts: obstore.WritableFile | None = field(default=None, init=False)

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
        """Append a copy of the data: it is sent later, when the caller may have reused the memory."""
        count = len(data)
        if self._parts is None and len(self._head) + count <= _PART_BYTES:
            self._head += data
        else:
            with self._errors():
                self._opened_parts().write(bytes(data))
        self._position += count
        return count

    def flush(self) -> None:
        """Do nothing: the content becomes visible when the file is closed."""

    def close(self) -> None:
        """Complete the object. A second call does nothing, even if the first one failed."""
        if self.closed:
            return
        self.closed = True
        if self._parts is None:
            body, self._head = bytes(self._head), bytearray()
            self._create(body)
            return
        with self._errors():
            self._parts.close()

    def _opened_parts(self) -> obstore.WritableFile:
        if self._parts is None:
            self._claim()
            self._parts = obstore.open_writer(
                self._store, self._key, buffer_size=_PART_BYTES, max_concurrency=_PARTS_AT_ONCE
            )
            self._parts.write(bytes(self._head))
            self._head = bytearray()
        return self._parts
