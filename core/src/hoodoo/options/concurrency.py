"""Options by which a write stands beside other writers, and beside itself when it is tried again."""

from __future__ import annotations

from attrs import frozen

from hoodoo.options.declare import option

__all__ = ["ConcurrencyOptions"]


@frozen
class ConcurrencyOptions:
    """Other writers, and other attempts."""

    write_id: str | None = option(
        shown_default="none",
        help="Name of this write. Where a write of that name is committed already, nothing is done and its commit "
        "returned, so that a job can be run again after a failure.",
    )
    heartbeat_interval_ms: int = option(
        "hoodie.client.heartbeat.interval_in_ms",
        kind="integer",
        minimum=1,
        default=60_000,
        help="Milliseconds between two signs of life of a writer.",
    )
    heartbeat_misses: int = option(
        "hoodie.client.heartbeat.tolerable.misses",
        kind="integer",
        minimum=1,
        default=2,
        help="Signs of life that another writer may miss before its write is rolled back.",
    )
