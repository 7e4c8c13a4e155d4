"""Options for concurrent writers and repeated attempts at a write."""

from __future__ import annotations

from typing import Any

from attrs import frozen

from hoodoo.options.parsing.declare import option

__all__ = ["ConcurrencyOptions"]


@frozen
class ConcurrencyOptions:
    """Locks, heartbeats and identity of a write."""

    concurrency_mode: str = option(
        "hoodie.write.concurrency.mode",
        default="single_writer",
        choices=("single_writer", "optimistic_concurrency_control"),
        unsupported={
            "non_blocking_concurrency_control": "hoodoo rolls back the second of two commits that change the same file "
            "group, and the write must be repeated; use optimistic_concurrency_control for all writers of the table"
        },
        help="Use `optimistic_concurrency_control`, with a `lock_provider`, if Hudi writes to the table at the same "
        "time. Other hoodoo writers may write at the same time in either mode.",
    )
    lock_provider: str | None = option(
        "hoodie.write.lock.provider",
        shown_default="none; if the table has a lock file of Hudi, its provider",
        help="Lock provider plugin: a name, or Hudi's class name. The lock is taken in either mode of "
        "`concurrency_mode`. See [concurrency.md](concurrency.md).",
    )
    lock_options: dict[str, Any] | None = option(
        kind="mapping",
        shown_default="none",
        help="Options of the lock provider. Its `hoodie.write.lock.*` keys are accepted as well; the keys of other "
        "providers have no effect.",
    )
    lock_wait_ms: int = option(
        "hoodie.write.lock.wait_time_ms",
        kind="integer",
        minimum=1,
        default=60_000,
        help="Milliseconds for which a write repeats its attempts to get the lock, before it makes a longer pause.",
    )
    lock_retry_ms: int = option(
        "hoodie.write.lock.wait_time_ms_between_retry",
        kind="integer",
        minimum=1,
        default=100,
        help="Pause between the first two attempts to get the lock, in milliseconds; the pause doubles after each "
        "attempt.",
    )
    lock_longest_retry_ms: int = option(
        "hoodie.write.lock.max_wait_time_ms_between_retry",
        kind="integer",
        minimum=1,
        default=1_000,
        help="Maximum pause between two attempts to get the lock, in milliseconds.",
    )
    lock_client_retries: int = option(
        "hoodie.write.lock.client.num_retries",
        kind="integer",
        minimum=0,
        default=50,
        help="Number of longer pauses, each followed by new attempts, before the write fails (`LockTimeout`).",
    )
    lock_client_retry_ms: int = option(
        "hoodie.write.lock.client.wait_time_ms_between_retry",
        kind="integer",
        minimum=1,
        default=5_000,
        help="Length of a longer pause, in milliseconds.",
    )

    write_id: str | None = option(
        shown_default="none",
        help="Name of this write. If a write of this name is committed already, nothing is written and its commit is "
        "returned, so that a job can be repeated after a failure. The archive of the timeline is searched too.",
    )
    heartbeat_interval_ms: int = option(
        "hoodie.client.heartbeat.interval_in_ms",
        kind="integer",
        minimum=1,
        default=60_000,
        help="Milliseconds between two heartbeats of a writer.",
    )
    heartbeat_misses: int = option(
        "hoodie.client.heartbeat.tolerable.misses",
        kind="integer",
        minimum=1,
        default=2,
        help="Number of heartbeats that another writer may miss before its write is rolled back.",
    )
