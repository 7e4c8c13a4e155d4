"""Pace of writes to one object, for stores that refuse a second write of an object within a certain time."""

from __future__ import annotations

import random
import threading
import time
from collections import OrderedDict
from collections.abc import Mapping

from attrs import define, field, frozen

from hoodoo.errors import StorageError

__all__ = ["PacedWrites", "Throttled", "WritePace"]

_MOST_OBJECTS = 1024
_JITTER = 0.25
"""Maximum random addition to the wait after a write of another process, as a fraction of the interval."""


class Throttled(StorageError):
    """Error of a request that the store refused because of too many requests, after the retries of the client."""

    code = "throttled"


@frozen
class WritePace:
    """Least time between two writes of one object.

    Attributes:
        interval: Seconds from the end of a write, which may be a deletion, to the start of the next one; 0 for stores
            without such a limit.
    """

    interval: float = 0.0


@frozen
class _Write:
    """Last write of an object, or the next one if a thread waits for it."""

    version: Mapping[str, str] | None
    time: float
    is_planned: bool = False


@define(eq=False)
class PacedWrites:
    """Times of the last writes of objects: those of this process, and those that it found in the store.

    Times are those of `time.monotonic`. Objects whose store has no limit are not recorded.
    """

    _last: OrderedDict[tuple[str, str], _Write] = field(factory=OrderedDict, init=False)
    _mutex: threading.Lock = field(factory=threading.Lock, init=False)

    def wait(self, place: tuple[str, str], pace: WritePace) -> bool:
        """Wait until the next write of an object is allowed, and return whether this took time.

        The caller must write the object afterwards. Threads that wait for the same object return one interval apart.

        Args:
            place: The location of the table, and the path of the object.
            pace: The pace of the store.
        """
        if not pace.interval:
            return False
        return bool(self._wait(place, pace, alone=False))

    def wait_alone(self, place: tuple[str, str], pace: WritePace) -> bool | None:
        """Wait as `wait` does, but return None at once if another thread waits for the same object.

        Use this method for a write that would fail after the write of the other thread, and only delay later writes.
        """
        return self._wait(place, pace, alone=True) if pace.interval else False

    def _wait(self, place: tuple[str, str], pace: WritePace, *, alone: bool) -> bool | None:
        with self._mutex:
            now = time.monotonic()
            last = self._last.get(place)
            if alone and last is not None and last.is_planned and last.time > now:
                return None
            start = now if last is None else max(now, last.time + pace.interval)
            self._put(place, _Write(None if last is None else last.version, start, is_planned=True))
        if start == now:
            return False
        time.sleep(start - now)
        return True

    def written(self, place: tuple[str, str], pace: WritePace, version: Mapping[str, str] | None) -> None:
        """Record a write of this process that just ended, with the new version if it is known."""
        if pace.interval:
            with self._mutex:
                self._put(place, _Write(version, time.monotonic()))

    def found(self, place: tuple[str, str], pace: WritePace, version: Mapping[str, str]) -> None:
        """Record a version that another process may have written a moment ago.

        The age of the version counts from the first call with it, plus a random part of the interval.
        """
        if pace.interval:
            with self._mutex:
                last = self._last.get(place)
                if last is None or last.version != version:
                    # several processes wait for the same version
                    later = random.uniform(0, _JITTER * pace.interval)  # noqa: S311 - no secret
                    self._put(place, _Write(version, time.monotonic() + later))

    def _put(self, place: tuple[str, str], write: _Write) -> None:
        self._last[place] = write
        self._last.move_to_end(place)
        if len(self._last) > _MOST_OBJECTS:
            self._last.popitem(last=False)
