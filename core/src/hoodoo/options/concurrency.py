"""Options of the concurrency control of a write: other writers, and other attempts at the same write."""

from __future__ import annotations

from typing import Any

from attrs import frozen

from hoodoo.options.declare import option

__all__ = ["ConcurrencyOptions"]


@frozen
class ConcurrencyOptions:
    """Other writers, and other attempts."""

    concurrency_mode: str = option(
        "hoodie.write.concurrency.mode",
        default="single_writer",
        choices=("single_writer", "optimistic_concurrency_control"),
        refused={
            "non_blocking_concurrency_control": "commits that change one file group are a conflict here: the one that "
            "comes second is rolled back, and has to be run again; use optimistic_concurrency_control, for all writers "
            "of the table"
        },
        help="Whether Hudi may write to the table at the same time; `optimistic_concurrency_control` needs "
        "`lock_provider`. Other hoodoo writers may write at the same time in either mode.",
    )
    lock_provider: str | None = option(
        "hoodie.write.lock.provider",
        shown_default="none; the one of a lock file of Hudi that the table has",
        help="Lock provider plugin: a name, or Hudi's class name. Its lock is taken in either mode. See "
        "[concurrency.md](concurrency.md).",
    )
    lock_options: dict[str, Any] | None = option(
        kind="mapping",
        shown_default="none",
        help="Options of the lock provider; its `hoodie.write.lock.*` keys count as well, and keys of other providers "
        "have no effect.",
    )
    lock_wait_ms: int = option(
        "hoodie.write.lock.wait_time_ms",
        kind="integer",
        minimum=1,
        default=60_000,
        help="Milliseconds for which the lock of the provider is tried before a longer pause.",
    )
    lock_retry_ms: int = option(
        "hoodie.write.lock.wait_time_ms_between_retry",
        kind="integer",
        minimum=1,
        default=100,
        help="Milliseconds between the first two of these tries; the pause doubles with each try.",
    )
    lock_longest_retry_ms: int = option(
        "hoodie.write.lock.max_wait_time_ms_between_retry",
        kind="integer",
        minimum=1,
        default=1_000,
        help="Milliseconds that this pause grows to.",
    )
    lock_client_retries: int = option(
        "hoodie.write.lock.client.num_retries",
        kind="integer",
        minimum=0,
        default=50,
        help="How often the tries are taken up again after a longer pause; then the write fails (`LockTimeout`).",
    )
    lock_client_retry_ms: int = option(
        "hoodie.write.lock.client.wait_time_ms_between_retry",
        kind="integer",
        minimum=1,
        default=5_000,
        help="Milliseconds of this longer pause.",
    )

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
