"""A clock that a test moves, used instead of the machine's."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from attrs import define

from .store import EPOCH

__all__ = ["Clock", "datetime_of"]

_STEP = timedelta(milliseconds=7)


@define(eq=False)
class Clock:
    """Clock that moves a little with each read, and jumps when a test requests it."""

    _now: datetime = EPOCH + timedelta(days=1)

    def now(self) -> datetime:
        self._now += _STEP
        return self._now

    def jump(self, time: timedelta) -> None:
        self._now += time


def datetime_of(clock: Callable[[], datetime]) -> type[datetime]:
    """Return a subclass of `datetime` whose `now` reads a clock."""

    class Moved(datetime):
        @classmethod
        def now(cls, tz: Any = None) -> datetime:  # type: ignore[override]
            return clock().astimezone(tz or UTC)

    return Moved
