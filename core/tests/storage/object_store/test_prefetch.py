"""Reading ahead of expected ranges of a remote file: few requests, bounded memory, and the bytes of the file."""

from __future__ import annotations

import random
import threading
import time

import pytest

from hoodoo.errors import StorageError
from hoodoo.storage.object_store import prefetch
from hoodoo.storage.object_store.prefetch import PrefetchingReader

BODY = random.Random(1).randbytes(200_000)


class Remote:
    """File that records the requested ranges and the threads of the requests; each request takes `delay` seconds."""

    def __init__(self) -> None:
        self.requests: list[tuple[int, int]] = []
        self.threads: set[str] = set()
        self.delay = 0.0

    def fetch(self, start: int, stop: int) -> bytes:
        assert 0 <= start < stop <= len(BODY)
        self.requests.append((start, stop))
        self.threads.add(threading.current_thread().name.partition("_")[0])
        time.sleep(self.delay)
        return BODY[start:stop]


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Set small limits: pieces of 1,000 bytes, gaps of 100, 3,000 bytes ahead."""
    for name, value in {"_LARGEST_PIECE": 1000, "_LARGEST_GAP": 100, "MOST_AHEAD": 3000}.items():
        monkeypatch.setattr(prefetch, name, value)


def opened(remote: Remote) -> PrefetchingReader:
    return PrefetchingReader(len(BODY), remote.fetch, 64)


def read(reader: PrefetchingReader, start: int, stop: int) -> bytes:
    reader.seek(start)
    return bytes(reader.read(stop - start))


@pytest.mark.usefixtures("small")
def test_near_ranges_share_a_request_and_a_large_one_has_several() -> None:
    remote = Remote()
    reader = opened(remote)
    ranges = [(0, 300), (300, 600), (650, 900), (2000, 2100), (5000, 7500)]
    reader.expect(ranges)
    assert remote.requests == []
    for start, stop in ranges:
        assert read(reader, start, stop) == BODY[start:stop]
    assert sorted(remote.requests) == [(0, 900), (2000, 2100), (5000, 6000), (6000, 7000), (7000, 7500)]
    assert remote.threads == {"prefetch"}
    # a range that is read again is requested again
    assert read(reader, 0, 300) == BODY[:300]
    assert len(remote.requests) == 6
    reader.close()


@pytest.mark.usefixtures("small")
def test_later_ranges_arrive_while_the_first_is_used_within_the_limit() -> None:
    remote = Remote()
    reader = opened(remote)
    reader.expect((start, start + 1000) for start in range(0, 20_000, 2000))
    read(reader, 0, 1000)
    deadline = time.monotonic() + 10
    while len(remote.requests) < 4 and time.monotonic() < deadline:
        time.sleep(0.01)
    time.sleep(0.05)
    # one is read, and three are ahead
    assert sorted(remote.requests) == [(0, 1000), (2000, 3000), (4000, 5000), (6000, 7000)]
    reader.close()


@pytest.mark.usefixtures("small")
def test_random_reads_are_those_of_the_file() -> None:
    chance = random.Random(3)
    for _ in range(50):
        remote = Remote()
        reader = opened(remote)
        points = sorted(chance.sample(range(len(BODY)), 40))
        ranges = list(zip(points[::2], points[1::2], strict=True))
        reader.expect(ranges)
        chance.shuffle(ranges)
        for start, stop in ranges[:15]:
            assert read(reader, start, stop) == BODY[start:stop]
        for _ in range(10):
            start, stop = sorted(chance.sample(range(len(BODY) + 1), 2))
            assert read(reader, start, stop) == BODY[start:stop]
        assert sum(stop - start for start, stop in ranges[:15]) <= sum(stop - start for start, stop in remote.requests)
        reader.close()


@pytest.mark.usefixtures("small")
def test_what_was_read_ahead_is_not_requested_again() -> None:
    remote = Remote()
    reader = PrefetchingReader(len(BODY), remote.fetch, 64, start=150_000, ahead=BODY[150_000:])
    reader.expect([(150_000, 160_000), (199_000, 200_000)])
    assert read(reader, 150_000, 160_000) == BODY[150_000:160_000]
    assert remote.requests == []


def test_ranges_of_a_damaged_footer_are_not_prefetched() -> None:
    remote = Remote()
    reader = opened(remote)
    reader.expect([(0, 1000), (500, 1500)])
    assert read(reader, 0, 1000) == BODY[:1000]
    reader.expect([(-5, 10), (len(BODY) - 10, len(BODY) + 10**9), (70, 60)])
    assert read(reader, 0, 10) == BODY[:10]
    assert read(reader, len(BODY) - 10, len(BODY)) == BODY[-10:]


def test_a_failure_is_raised_by_the_read() -> None:
    def fetch(start: int, stop: int) -> bytes:
        raise StorageError("read 'a': the store returned 503")

    reader = PrefetchingReader(100, fetch, 10)
    reader.expect([(0, 50)])
    with pytest.raises(StorageError, match="503"):
        reader.read(50)
    reader.close()
