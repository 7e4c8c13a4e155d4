"""Actors that fail or are killed at their n-th call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, get_args

from attrs import define

from hoodoo.errors import StorageError
from hoodoo.storage import AlreadyExists

from .actors import Actor, acting_as
from .store import Files

__all__ = ["MODES", "Faulty", "Killed", "Mode", "killed_at"]

Mode = Literal["fail before", "fail after", "fail twice", "kill before", "kill after", "lose power"]
"""Kind of failure. `fail before`: the call has no effect and fails. `fail after`: it takes effect, but its answer is
lost. `fail twice`: the same, but a creation was sent again and fails because the file exists. `kill before`, `kill
after`: the process ends there. `lose power`: the process ends after the call, and files that were not made durable are
cut in half."""

MODES: tuple[Mode, ...] = get_args(Mode)


class Killed(BaseException):
    """Exception for a killed process, which no `except` of the process catches."""


@define(eq=False)
class Faulty:
    """An actor that fails or dies once.

    Attributes:
        files: The files of the table.
        number: The number of the failing call, from 1; 0 for none.
        mode: The kind of failure, see `Mode`.
        owner: The actor that holds its locks; None if it holds them itself.
        calls: The number of calls so far.
        hit: The call that failed; "" before that.
        is_dead: Whether it was killed.
    """

    files: Files
    number: int
    mode: Mode = "fail before"
    owner: Actor | None = None
    calls: int = 0
    hit: str = ""
    is_dead: bool = False

    def before(self, operation: str, path: str) -> None:
        if self.is_dead:
            raise Killed
        self.calls += 1
        if self.calls == self.number:
            self.hit = f"{operation} '{path}'"
            if self.mode == "fail before":
                raise StorageError(f"injected: {self.hit}")
            if self.mode == "kill before":
                self.is_dead = True
                raise Killed

    def after(self, operation: str, path: str) -> None:
        if self.calls != self.number or self.is_dead or self.mode in ("fail before", "kill before"):
            return
        if not self.mode.startswith("fail"):
            self.is_dead = True
            raise Killed
        if operation == "try_lock":
            # without an answer there is no holder
            self.files.lose_lock(path, self.owner or self)
        if self.mode == "fail twice" and operation in ("create", "open_output", "swap"):
            raise AlreadyExists(f"injected twice: {self.hit}")
        raise StorageError(f"injected: {self.hit}")

    def run(self, work: Callable[[], object]) -> BaseException | None:
        """Run the work as this actor, and free its locks; return the exception that the work raised, or None."""
        failure: BaseException | None = None
        with acting_as(self):
            try:
                work()
            except (Exception, Killed) as error:  # noqa: BLE001 - the test judges it
                failure = error
        self.files.free_locks(self)
        if self.mode == "lose power" and self.is_dead:
            self.files.lose_power()
        return failure


def killed_at(files: Files, work: Callable[[], object], is_there: Callable[[str, str], bool]) -> None:
    """Run work as a process that is killed before the first call that `is_there` selects, by operation and path."""
    actor = _KilledThere(files, 0, is_there=is_there)
    actor.run(work)
    assert actor.is_dead


@define(eq=False, kw_only=True)
class _KilledThere(Faulty):
    is_there: Callable[[str, str], bool] = lambda operation, path: False

    def before(self, operation: str, path: str) -> None:
        self.is_dead = self.is_dead or self.is_there(operation, path)
        super().before(operation, path)
