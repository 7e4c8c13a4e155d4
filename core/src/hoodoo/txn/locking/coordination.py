"""Coordination of one writer with the other writers of a table."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from attrs import frozen

from hoodoo.timeline import utc_now
from hoodoo.txn.heartbeat import HeartbeatPace
from hoodoo.txn.locking.provider_lock import ProviderLock

__all__ = ["Coordination"]


@frozen
class Coordination:
    """Clock, heartbeat and lock of one writer.

    Attributes:
        clock: Function that returns the current time, with a zone.
        pace: The interval of this writer's heartbeat, and the age at which the heartbeat of a Hudi writer has expired.
        lock: The lock that Hudi writers of the table take as well; None without a lock provider.
        keeps_lock: Whether the write may keep the table lock instead of a heartbeat, see `HeldWrite`. No task then
            writes a file after the commit or rollback, and tasks in other processes write none before the publication.
        compact_metadata_after: Number of delta commits of the metadata table after which the writer compacts it.
    """

    clock: Callable[[], datetime] = utc_now
    pace: HeartbeatPace = HeartbeatPace()
    lock: ProviderLock | None = None
    keeps_lock: bool = False
    compact_metadata_after: int = 10
