"""The clock of this machine, which a test moves forward in place of waiting."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from importlib.util import find_spec

import pytest
from attrs import define

from hoodoo.storage.object_store import lease_lock
from hoodoo.timeline import instant_time
from hoodoo.txn.locking import table_lock
from tests.reliability.clocks import datetime_of

__all__ = ["LaterClock"]

_PAUSE = 3.0
"""Seconds by which an attempt to get a lock moves the clock."""


@define(eq=False)
class LaterClock:
    """Clock that is ahead of that of the machine, by the time that a test let pass."""

    _ahead: timedelta = timedelta()

    def now(self) -> datetime:
        return datetime.now(UTC) + self._ahead

    def jump(self, ahead: timedelta) -> None:
        self._ahead += ahead

    def time(self) -> float:
        """Return the seconds since 1970."""
        return time.time() + self._ahead.total_seconds()

    def monotonic(self) -> float:
        return time.monotonic() + self._ahead.total_seconds()

    def sleep(self, seconds: float) -> None:
        """Move the clock by `_PAUSE` seconds instead of waiting; `seconds` is not used."""
        self.jump(timedelta(seconds=_PAUSE))

    @contextmanager
    def used(self) -> Iterator[None]:
        """Let instants, locks and their expiry use this clock."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(instant_time, "datetime", datetime_of(self.now))
            patch.setattr(table_lock, "time", self)
            patch.setattr(lease_lock, "_now", self.time)
            if find_spec("hdfs_native") is not None:
                patch.setattr("hoodoo.storage.hdfs.hdfs_lock.time", self)
                patch.setattr("hoodoo.storage.hdfs.hdfs_storage.time", self)
            yield
