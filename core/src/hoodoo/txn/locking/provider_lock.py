"""Lock of a lock provider, which is acquired with Hudi's waits and retries."""

from __future__ import annotations

import logging
import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from attrs import frozen

from hoodoo.errors import LockTimeout
from hoodoo.plugin import BaseLockProvider, HeldLock, LockProvider, LockTarget
from hoodoo.plugin.completion import completed
from hoodoo.plugin.faults import PluginCalls

__all__ = ["LockWait", "ProviderLock"]

T = TypeVar("T")

_log = logging.getLogger(__name__)


@frozen
class LockWait:
    """Waits and retries for a lock, in rounds of attempts with a longer pause between rounds. Times are in seconds.

    Attributes:
        round: The duration of a round.
        pause: The pause between the first two attempts of a round, of which a random 50 to 100 % is waited; it doubles
            with each attempt.
        longest_pause: The upper limit of the pause.
        rounds: The number of rounds, 1 or more.
        between: The pause between two rounds.
    """

    round: float = 60.0
    pause: float = 0.1
    longest_pause: float = 1.0
    rounds: int = 51
    between: float = 5.0

    @property
    def total(self) -> float:
        """Return the longest wait in seconds."""
        return self.rounds * self.round + (self.rounds - 1) * self.between


@frozen
class ProviderLock:
    """Lock provider of one writer, and the table that it locks.

    Attributes:
        label: The name of the provider in messages.
        provider: The instance of the plugin.
        target: The table and the writer.
        wait: The waits for other holders.
    """

    label: str
    provider: LockProvider
    target: LockTarget
    wait: LockWait = LockWait()

    @contextmanager
    def held(self) -> Iterator[_Held]:
        """Hold the lock during a `with` block; then release it and close the provider.

        Raises:
            LockTimeout: Other writers held the lock during the whole wait.
            PluginFault: The provider raised an exception that is not a `HoodooError`.
        """
        try:
            held = _Held(self.label, self._acquire())
            try:
                yield held
            finally:
                self._call_or_log("released", held.lock.release)
        finally:
            self._call_or_log("closed", completed(self.provider, BaseLockProvider).close)

    def _acquire(self) -> HeldLock:
        started = time.monotonic()
        for number in range(self.wait.rounds):
            if number:
                waited = time.monotonic() - started
                _log.warning("%s: still waiting for the lock after %.0f s: %s", self.label, waited, self._describe())
                time.sleep(self.wait.between)
            held = self._try_for_a_round()
            if held is not None:
                return held
        waited = float(f"{time.monotonic() - started:.3g}")
        raise LockTimeout(
            f"{self.label} did not obtain the lock of {self.target.uri} in {waited:g} s: "
            f"{self._describe()}; try again later, or wait longer (lock_wait_ms, lock_client_retries)"
        )

    def _try_for_a_round(self) -> HeldLock | None:
        deadline = time.monotonic() + self.wait.round
        pause = self.wait.pause
        while (held := self._calls.run("try_acquire", lambda: self.provider.try_acquire(self.target))) is None:
            left = deadline - time.monotonic()
            if left <= 0:
                return None
            # writers with equal pauses would collide again
            time.sleep(min(left, pause * random.uniform(0.5, 1.0)))  # noqa: S311 - no secret
            pause = min(2 * pause, self.wait.longest_pause)
        return held  # type: ignore[no-any-return]

    def _describe(self) -> str:
        return str(self._calls.run("describe", lambda: self.provider.describe(self.target)))

    @property
    def _calls(self) -> PluginCalls:
        return PluginCalls(self.label, self.provider)

    def _call_or_log(self, what: str, call: Callable[[], None]) -> None:
        """Call a function, and log a failure instead of raising it, because the work under the lock is done."""
        try:
            call()
        except Exception as error:  # noqa: BLE001 - logged, and the lock expires as the provider documents
            _log.warning("%s could not be %s: %s", self.label, what, error)


@frozen
class _Held:
    """Held lock of a provider."""

    label: str
    lock: HeldLock

    def renew(self) -> None:
        """Renew the lock, see `HeldLock.renew`."""
        PluginCalls(self.label, self.lock).run("renew", self.lock.renew)
