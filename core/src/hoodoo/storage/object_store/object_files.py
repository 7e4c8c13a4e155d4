"""File objects of object stores: random reads by ranges, and multipart writes."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager

import obstore
from attrs import define, field
from obstore.exceptions import GenericError
from obstore.store import AzureStore, ObjectStore

from hoodoo.storage.object_store.prefetch import PrefetchingReader

__all__ = ["ObjectWriter", "opened_reader"]

ErrorContext = Callable[[], AbstractContextManager[None]]

_READ_AHEAD = 512 * 1024
_PART_BYTES = 8 * 1024 * 1024
_PARTS_AT_ONCE = 4


def opened_reader(store: ObjectStore, key: str, errors: ErrorContext) -> PrefetchingReader:
    """Return a reader of an object. One request returns its size and its last bytes, in which a footer is expected.

    On Azure, the request returns only the size. Elsewhere, an empty object takes a second request.

    Args:
        store: The client of the bucket.
        key: The key of the object.
        errors: Function that returns a context manager, which translates errors of later reads.

    Raises:
        FileNotFoundError: There is no such object.
        obstore.exceptions.BaseError: The store failed.
    """

    def fetch(start: int, stop: int) -> bytes:
        with errors():
            return bytes(obstore.get_range(store, key, start=start, end=stop))

    if isinstance(store, AzureStore):
        # Azure has no ranges that count from the end
        return PrefetchingReader(obstore.head(store, key)["size"], fetch, _READ_AHEAD)
    try:
        found = obstore.get(store, key, options={"range": {"suffix": _READ_AHEAD}})
    except GenericError:
        # an empty object has no range
        size = obstore.head(store, key)["size"]
        if size:
            raise
        return PrefetchingReader(size, fetch, _READ_AHEAD)
    return PrefetchingReader(found.meta["size"], fetch, _READ_AHEAD, start=found.range[0], ahead=bytes(found.bytes()))


@define(eq=False)
class ObjectWriter:
    """Writer of a new object: one request for up to 8 MiB, concurrent parts for a larger object.

    The content is not visible before `close`.

    Attributes:
        store: The client of the bucket.
        key: The key of the object.
        errors: Function that returns a context manager, which translates errors of writes in parts.
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
        """Append a copy of the data, because the data is sent later, when the caller may have reused the memory."""
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
