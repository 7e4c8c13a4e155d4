"""Prefetch of expected ranges of an object: near ranges share a request, and later ones arrive during decoding."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import pairwise

import pyarrow as pa
from attrs import define, field

from hoodoo.storage.range_reader import RangeReader

__all__ = ["MOST_AHEAD", "PrefetchingFile", "PrefetchingReader"]

MOST_AHEAD = 32 * 1024 * 1024
"""Maximum number of bytes of one open file that are requested in advance, besides a piece being read."""

_LARGEST_PIECE = 8 * 1024 * 1024
_LARGEST_GAP = 512 * 1024
"""Bytes between two ranges up to which one request for both takes less time than two."""

_AT_ONCE = 4


@define(eq=False)
class _Piece:
    """Part of a file that one request returns. `unread` is the number of expected bytes that were not read yet."""

    start: int
    stop: int
    unread: int
    body: Future[bytes] | None = None

    @property
    def size(self) -> int:
        return self.stop - self.start


@define(eq=False)
class PrefetchingReader(RangeReader):
    """Reader of ranges that requests expected ranges in advance, in the order of the file, in threads.

    At most `MOST_AHEAD` bytes and one piece of at most 8 MiB are requested and not yet read. Other ranges are read
    as by `RangeReader`.
    """

    _pieces: list[_Piece] = field(factory=list, init=False)
    _starts: list[int] = field(factory=list, init=False)
    _next: int = field(default=0, init=False)
    _held: int = field(default=0, init=False)
    _pool: ThreadPoolExecutor | None = field(default=None, init=False)

    def expect(self, ranges: Iterable[tuple[int, int]]) -> None:
        """Register the ranges that will be read, each once, as start and end offsets. Nothing is requested yet.

        A range that was read ahead is left out. If ranges overlap, none is registered. A second call replaces the
        ranges of the first one.
        """
        self._drop()
        inside = ((max(0, start), min(stop, self.size)) for start, stop in ranges)
        ahead = self._start, self._start + len(self._ahead)
        needed = sorted({each for each in inside if each[0] < each[1] and not _is_within(each, ahead)})
        # ranges overlap only if the footer is damaged
        if not any(following < stop for (_, stop), (following, _) in pairwise(needed)):
            self._pieces = list(_pieces(needed))
            self._starts = [piece.start for piece in self._pieces]

    def read(self, count: int | None = -1) -> bytes:
        """Return up to `count` bytes; all remaining bytes by default."""
        left = max(0, self.size - self._position)
        wanted = left if count is None or count < 0 else min(count, left)
        pieces = self._pieces_of(self._position, self._position + wanted)
        if not pieces:
            return super().read(count)
        parts = []
        for piece in pieces:
            start, stop = max(self._position, piece.start), min(self._position + wanted, piece.stop)
            parts.append(self._body(piece)[start - piece.start : stop - piece.start])
            piece.unread -= stop - start
            if piece.unread <= 0:
                piece.body = None
                self._held -= piece.size
            self._request_more()
        self._position += wanted
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def close(self) -> None:
        """Release the bytes that were read ahead, and cancel requests that have not started."""
        self._drop()
        super().close()

    def _pieces_of(self, start: int, stop: int) -> list[_Piece]:
        """Return the pieces that contain a range; an empty list if it is not expected, or has been read."""
        first = bisect_right(self._starts, start) - 1
        if first < 0 or start >= stop:
            return []
        found = []
        for place in range(first, len(self._pieces)):
            piece = self._pieces[place]
            if not piece.start <= start < piece.stop or piece.unread <= 0:
                return []
            found.append(piece)
            start = piece.stop
            if start >= stop:
                return found
        return []

    def _body(self, piece: _Piece) -> bytes:
        body = piece.body or self._request(piece)
        self._request_more()
        return body.result()

    def _request_more(self) -> None:
        while self._next < len(self._pieces):
            piece = self._pieces[self._next]
            if piece.body is None and piece.unread > 0:
                if self._held + piece.size > MOST_AHEAD:
                    return
                self._request(piece)
            self._next += 1

    def _request(self, piece: _Piece) -> Future[bytes]:
        if self._pool is None:
            self._pool = ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="prefetch")
        piece.body = self._pool.submit(self.fetch, piece.start, piece.stop)
        self._held += piece.size
        return piece.body

    def _drop(self) -> None:
        pool, self._pool = self._pool, None
        if pool is not None:
            pool.shutdown(wait=False, cancel_futures=True)
        self._pieces, self._starts, self._next, self._held = [], [], 0, 0


class PrefetchingFile(pa.PythonFile):  # type: ignore[misc]  # pyarrow has no types
    """File for pyarrow that reads with a `PrefetchingReader`."""

    def __init__(self, reader: PrefetchingReader, mode: str = "r") -> None:
        self._reader = reader

    def expect(self, ranges: Iterable[tuple[int, int]]) -> None:
        """Register the ranges that will be read, see `PrefetchingReader.expect`."""
        self._reader.expect(ranges)


def _pieces(ranges: Iterable[tuple[int, int]]) -> Iterator[_Piece]:
    """Yield pieces of sorted ranges without overlaps: near ranges share a piece, and a large range has several."""
    open_: _Piece | None = None
    for start, stop in ranges:
        if open_ is not None and start - open_.stop <= _LARGEST_GAP and stop - open_.start <= _LARGEST_PIECE:
            open_.stop = stop
            open_.unread += stop - start
            continue
        if open_ is not None:
            yield open_
            open_ = None
        while stop - start > _LARGEST_PIECE:
            yield _Piece(start, start + _LARGEST_PIECE, _LARGEST_PIECE)
            start += _LARGEST_PIECE
        open_ = _Piece(start, stop, stop - start)
    if open_ is not None:
        yield open_


def _is_within(inner: tuple[int, int], outer: tuple[int, int]) -> bool:
    return outer[0] <= inner[0] and inner[1] <= outer[1]
