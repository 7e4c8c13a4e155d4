"""A reader of ranges returns the bytes of the file, and small reads share a range."""

from __future__ import annotations

import io
import random

from hoodoo.storage.range_reader import RangeReader

BODY = bytes(random.Random(1).randbytes(1000))


def test_reads_are_those_of_a_file() -> None:
    chance, fetched = random.Random(2), []

    def fetch(start: int, stop: int) -> bytes:
        assert 0 <= start < stop <= len(BODY)
        fetched.append((start, stop))
        return BODY[start:stop]

    reader, file = RangeReader(len(BODY), fetch, 64), io.BytesIO(BODY)
    for _ in range(500):
        offset, whence = chance.randrange(-50, 1100), chance.choice([io.SEEK_SET, io.SEEK_END])
        at = offset if whence == io.SEEK_SET else offset - 1000
        position = max(0, at if whence == io.SEEK_SET else len(BODY) + at)
        file.seek(position)
        assert reader.seek(at, whence) == reader.tell() == position
        count = chance.choice([None, -1, 0, 1, 30, 300])
        assert reader.read(count) == file.read(count)
        assert reader.tell() == file.tell()
    assert all(stop - start >= 64 for start, stop in fetched)


def test_small_reads_share_a_range_and_the_bytes_that_are_known_need_none() -> None:
    fetched: list[tuple[int, int]] = []

    def fetch(start: int, stop: int) -> bytes:
        fetched.append((start, stop))
        return BODY[start:stop]

    reader = RangeReader(len(BODY), fetch, 100, start=900, ahead=BODY[900:])
    reader.seek(-8, io.SEEK_END)
    assert reader.read() == BODY[-8:]
    assert fetched == []
    reader.seek(10)
    assert reader.read(5) + reader.read(5) == BODY[10:20]
    assert fetched == [(10, 110)]
