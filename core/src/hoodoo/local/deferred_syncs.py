"""Synchronisation of written files to the disk in a separate thread, while tasks write other files."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType

from attrs import define, field

from hoodoo.storage import Storage

__all__ = ["DeferredSyncs"]


def _thread() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(1, thread_name_prefix="hoodoo-sync")


@define
class DeferredSyncs:
    """Files that a thread makes durable, at the latest when `wait` returns. The `with` block ends the thread.

    The thread waits for the disk and uses no processor. If tasks waited instead, their cores would be idle.
    """

    _pool: ThreadPoolExecutor = field(init=False, factory=_thread, repr=False)
    _files: list[Future[None]] = field(init=False, factory=list, repr=False)

    def __call__(self, storage: Storage, path: str) -> None:
        """Begin to make a file durable."""
        self._files.append(self._pool.submit(storage.sync, path))

    def wait(self) -> None:
        """Wait until all files are durable.

        Raises:
            StorageError: The store failed.
        """
        for file in self._files:
            file.result()

    def __enter__(self) -> DeferredSyncs:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._pool.shutdown(cancel_futures=True)
