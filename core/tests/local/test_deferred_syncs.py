"""Files that become durable while tasks write others."""

from __future__ import annotations

import threading

import pytest
from attrs import define, field

from hoodoo.errors import StorageError
from hoodoo.local.deferred_syncs import DeferredSyncs


@define
class Disk:
    """A storage that makes files durable once `ready` is set, and fails for the paths in `failing`."""

    failing: tuple[str, ...] = ()
    ready: threading.Event = field(factory=threading.Event)
    durable: list[str] = field(factory=list)

    def sync(self, path: str) -> None:
        assert self.ready.wait(30)
        if path in self.failing:
            raise StorageError(f"sync: {path}")
        self.durable.append(path)


def test_a_call_returns_before_the_file_is_durable_and_wait_after_it():
    disk = Disk()
    with DeferredSyncs() as sync:
        sync(disk, "a")
        sync(disk, "b")
        assert disk.durable == []
        disk.ready.set()
        sync.wait()
        assert disk.durable == ["a", "b"]


def test_a_file_that_cannot_be_made_durable_is_an_error():
    disk = Disk(failing=("a",))
    disk.ready.set()
    with DeferredSyncs() as sync:
        sync(disk, "a")
        sync(disk, "b")
        with pytest.raises(StorageError, match="sync: a"):
            sync.wait()


def test_after_an_error_waiting_files_are_left_and_no_call_runs():
    disk, begun = Disk(), threading.Event()

    class Slow(Disk):
        def sync(self, path: str) -> None:
            begun.set()
            super().sync(path)

    slow = Slow(ready=disk.ready, durable=disk.durable)

    def fail() -> None:
        with DeferredSyncs() as sync:
            sync(slow, "a")
            assert begun.wait(30)
            sync(disk, "b")
            threading.Timer(0.1, disk.ready.set).start()
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert disk.durable == ["a"]
