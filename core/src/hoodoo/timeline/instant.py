"""Instant of a timeline, and its file names in both timeline layouts."""

from __future__ import annotations

import re
from enum import Enum

from attrs import evolve, frozen

__all__ = ["COMMIT_ACTIONS", "Instant", "State"]

COMMIT_ACTIONS = frozenset({"commit", "deltacommit", "replacecommit"})
"""The actions of completed instants that commit data files."""

_COMPLETED_AS = {"compaction": "commit", "logcompaction": "deltacommit", "clustering": "replacecommit"}
_ACTIONS = frozenset(
    {"commit", "deltacommit", "replacecommit", "clustering", "compaction", "logcompaction"}
    | {"clean", "rollback", "savepoint", "restore", "indexing"}
)
_TIME = r"(\d{14}|\d{17}|\d{20})"
_NAME = re.compile(rf"{_TIME}(?:_{_TIME})?\.([a-z.]+)", re.ASCII)


class State(Enum):
    """State of an instant."""

    REQUESTED = "requested"
    INFLIGHT = "inflight"
    COMPLETED = "completed"

    @property
    def rank(self) -> int:
        """Return the position in the order of states: requested 0, inflight 1, completed 2."""
        return ("requested", "inflight", "completed").index(self.value)


@frozen
class Instant:
    """An action at a time, in one state.

    Attributes:
        time: Request time, `yyyyMMddHHmmssSSS`; 14 digits in old tables, 20 in metadata tables.
        action: The action in the file name; a completed compaction is a `commit`.
        state: Requested, inflight or completed.
        completion_time: Completion time in the file name; None for pending instants, in layout 1, and for instants that
            a table had before it was upgraded from layout 1.
    """

    time: str
    action: str
    state: State = State.COMPLETED
    completion_time: str | None = None

    @property
    def is_completed(self) -> bool:
        """Return whether the instant is completed."""
        return self.state is State.COMPLETED

    @property
    def completed_action(self) -> str:
        """Return the name of the action after completion."""
        return _COMPLETED_AS.get(self.action, self.action)

    @property
    def completed_at(self) -> str | None:
        """Return the completion time, or the instant's own time if none is recorded; None for a pending instant.

        For a file name without completion time Hudi uses the modification time of the file, which changes when a table
        is copied. Such instants were written one after the other, so their own times give their order.
        """
        return (self.completion_time or self.time) if self.is_completed else None

    @property
    def file_name(self) -> str:
        """Return the file name of the instant in this state."""
        if self.state is State.COMPLETED:
            completion = "" if self.completion_time is None else f"_{self.completion_time}"
            return f"{self.time}{completion}.{self.completed_action}"
        if self.state is State.INFLIGHT and self.action == "commit":
            return f"{self.time}.inflight"
        return f"{self.time}.{self.action}.{self.state.value}"

    def at(self, state: State) -> Instant:
        """Return the instant in another state; only a completed one keeps its completion time."""
        return evolve(self, state=state, completion_time=self.completion_time if state is State.COMPLETED else None)

    @classmethod
    def parse(cls, file_name: str, layout: int = 1) -> Instant | None:
        """Return the instant of a file name in a layout, or None if the file is not an instant."""
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
