"""One instant of the timeline, and the names of its files in timeline layout 1 (table version 6)."""

from __future__ import annotations

import re
from enum import Enum

from attrs import evolve, frozen

from hoodoo.errors import UnsupportedTable

__all__ = ["COMMIT_ACTIONS", "LAYOUT_FOLDERS", "Instant", "State"]

COMMIT_ACTIONS = frozenset({"commit", "deltacommit", "replacecommit"})
"""The actions of completed instants that change what a table holds."""

LAYOUT_FOLDERS = {1: ".hoodie"}
"""Where the instants of each supported timeline layout lie."""

_COMPLETED_AS = {"compaction": "commit", "logcompaction": "deltacommit", "clustering": "replacecommit"}
_ACTIONS = frozenset(
    {"commit", "deltacommit", "replacecommit", "clustering", "compaction", "logcompaction"}
    | {"clean", "rollback", "savepoint", "restore", "indexing"}
)
_NAME = re.compile(r"^(\d{14}|\d{17}|\d{20})\.([a-z.]+)$")


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
        time: When it was requested, `yyyyMMddHHmmssSSS`; 14 digits in old tables.
        action: As in the file's name; a compaction is called `commit` once it is completed.
        state: How far it has come.
        completion_time: When it was completed, in layouts that record it; None in layout 1.
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
    def file_name(self) -> str:
        """The name of the file that stands for this state, in layout 1."""
        if self.state is State.COMPLETED:
            return f"{self.time}.{self.completed_action}"
        if self.state is State.INFLIGHT and self.action == "commit":
            return f"{self.time}.inflight"
        return f"{self.time}.{self.action}.{self.state.value}"

    def at(self, state: State) -> Instant:
        """The same instant in another state."""
        return evolve(self, state=state)

    @classmethod
    def parse(cls, file_name: str, layout: int = 1) -> Instant | None:
        """The instant that a file name stands for, or None where the file is no instant.

        Raises `UnsupportedTable` for a layout other than 1.
        """
        if layout not in LAYOUT_FOLDERS:
            raise UnsupportedTable(f"timeline layout {layout} is not supported; supported: {sorted(LAYOUT_FOLDERS)}")
        match = _NAME.match(file_name)
        if match is None:
            return None
        time, rest = match.groups()
        if rest == "inflight":
            return cls(time, "commit", State.INFLIGHT)
        action, _, state = rest.partition(".")
        if action not in _ACTIONS or state not in ("", "requested", "inflight"):
            return None
        return cls(time, action, State(state) if state else State.COMPLETED)
