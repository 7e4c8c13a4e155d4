"""Instants on their way into an archive: the contents of their files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from attrs import frozen

from hoodoo.storage import name_of
from hoodoo.timeline import Instant, State, Timeline

__all__ = ["Leaving", "leaving"]


@frozen
class Leaving:
    """A completed instant that is about to leave the timeline.

    Attributes:
        instant: It.
        states: Its files in the order in which they were written: the instant in that state, and the content.
    """

    instant: Instant
    states: tuple[tuple[Instant, bytes], ...]

    def body(self, state: State) -> bytes:
        """The content of the file of a state; empty where there is none."""
        return next((body for instant, body in self.states if instant.state is state), b"")

    def action(self, state: State) -> str:
        """What the action was called in a state; as once it was completed where there is no file."""
        return next((i.action for i, _ in self.states if i.state is state), self.instant.action)


def leaving(timeline: Timeline, instants: Iterable[Instant]) -> list[Leaving]:
    """Read all files of completed instants.

    Raises:
        Missing: One of them was removed meanwhile.
    """
    files = _files(timeline)
    return [
        Leaving(
            instant, tuple((state, timeline.read(state)) for state in files[instant.time, instant.completed_action])
        )
        for instant in instants
    ]


def _files(timeline: Timeline) -> Mapping[tuple[str, str], Sequence[Instant]]:
    """What is there of each instant, requested states first."""
    found: dict[tuple[str, str], list[Instant]] = {}
    for info in timeline.storage.list(timeline.folder):
        instant = Instant.parse(name_of(info.path), timeline.layout)
        if instant is not None:
            found.setdefault((instant.time, instant.completed_action), []).append(instant)
    for states in found.values():
        states.sort(key=lambda instant: instant.state.rank)
    return found
