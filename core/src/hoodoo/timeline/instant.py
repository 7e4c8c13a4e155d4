"""One instant of the timeline, and the names of its files in both timeline layouts."""

from __future__ import annotations

import re
from enum import Enum

from attrs import evolve, frozen

__all__ = ["COMMIT_ACTIONS", "Instant", "State"]

COMMIT_ACTIONS = frozenset({"commit", "deltacommit", "replacecommit"})
"""The actions of completed instants that change what a table holds."""

_COMPLETED_AS = {"compaction": "commit", "logcompaction": "deltacommit", "clustering": "replacecommit"}
_ACTIONS = frozenset(
    {"commit", "deltacommit", "replacecommit", "clustering", "compaction", "logcompaction"}
    | {"clean", "rollback", "savepoint", "restore", "indexing"}
)
_TIME = r"(\d{14}|\d{17}|\d{20})"
_NAME = re.compile(rf"{_TIME}(?:_{_TIME})?\.([a-z.]+)", re.ASCII)


class State(Enum):
    """How far an instant has come."""

    REQUESTED = "requested"
    INFLIGHT = "inflight"
    COMPLETED = "completed"

    @property
    def rank(self) -> int:
        """0, 1, 2 in the order in which an instant passes through its states."""
        return ("requested", "inflight", "completed").index(self.value)


@frozen
class Instant:
    """An action at a time, in one state.

    Attributes:
        time: When it was requested, `yyyyMMddHHmmssSSS`; 14 digits in old tables, 20 in metadata tables.
        action: As in the file's name; a compaction is called `commit` once it is completed.
        state: How far it has come.
        completion_time: When it was completed, where the file's name says so: completed instants of layout 2, without
            those that a table had before it was upgraded from layout 1.
    """

    time: str
    action: str
    state: State = State.COMPLETED
    completion_time: str | None = None

    @property
    def is_completed(self) -> bool:
        """Whether the completed file is there."""
        return self.state is State.COMPLETED

    @property
    def completed_action(self) -> str:
        """What the action is called once it is completed."""
        return _COMPLETED_AS.get(self.action, self.action)

    @property
    def completed_at(self) -> str | None:
        """When it was completed: its own time where no completion time is recorded; None for a pending instant.

        Hudi takes the modification time of a file whose name lacks the completion time. A copy of the table changes
        that time, and such instants were written one after the other, so that their own times order them.
        """
        return (self.completion_time or self.time) if self.is_completed else None

    @property
    def file_name(self) -> str:
        """The name of the file that stands for this state."""
        if self.state is State.COMPLETED:
            completion = "" if self.completion_time is None else f"_{self.completion_time}"
            return f"{self.time}{completion}.{self.completed_action}"
        if self.state is State.INFLIGHT and self.action == "commit":
            return f"{self.time}.inflight"
        return f"{self.time}.{self.action}.{self.state.value}"

    def at(self, state: State) -> Instant:
        """The same instant in another state; only a completed one keeps its completion time."""
        return evolve(self, state=state, completion_time=self.completion_time if state is State.COMPLETED else None)

    @classmethod
    def parse(cls, file_name: str, layout: int = 1) -> Instant | None:
        """The instant that a file name stands for in a layout, or None where the file is no instant of it."""
        match = _NAME.fullmatch(file_name)
        if match is None:
            return None
        time, completion, rest = match.groups()
        if rest == "inflight":
            action, state = "commit", "inflight"
        else:
            action, _, state = rest.partition(".")
        if action not in _ACTIONS or state not in ("", "requested", "inflight"):
            return None
        if completion is not None and (layout == 1 or state):
            return None
        return cls(time, action, State(state) if state else State.COMPLETED, completion)
