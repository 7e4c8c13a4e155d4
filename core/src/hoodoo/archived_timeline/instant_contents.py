"""Contents of instants that are about to be archived."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from attrs import frozen

from hoodoo.storage import name_of
from hoodoo.timeline import Instant, State, Timeline

__all__ = ["ArchivableInstant", "archivable_instants"]


@frozen
class ArchivableInstant:
    """Completed instant to be archived.

    Attributes:
        instant: The instant in its completed state.
        states: Its files in the order of the states: the instant in that state, and the content.
    """

    instant: Instant
    states: tuple[tuple[Instant, bytes], ...]

    def body(self, state: State) -> bytes:
        """Return the content of the file of a state; empty if there is no such file."""
        return next((body for instant, body in self.states if instant.state is state), b"")

    def action(self, state: State) -> str:
        """Return the name of the action in a state; that of the completed state if there is no such file."""
        return next((i.action for i, _ in self.states if i.state is state), self.instant.action)


def archivable_instants(timeline: Timeline, instants: Iterable[Instant]) -> list[ArchivableInstant]:
    """Return completed instants with the contents of all their files.

    Raises:
        TableChanged: A file was removed since the listing.
    """
    files = _files(timeline)
    return [
        ArchivableInstant(
            instant,
            # without a file in the new listing, the read of the instant raises
            tuple(
                (state, timeline.read(state))
                for state in files.get((instant.time, instant.completed_action), (instant,))
            ),
        )
        for instant in instants
    ]


def _files(timeline: Timeline) -> Mapping[tuple[str, str], Sequence[Instant]]:
    """Return the states of each instant by time and completed action, the requested state first."""
    found: dict[tuple[str, str], list[Instant]] = {}
    for info in timeline.storage.list(timeline.folder):
        instant = Instant.parse(name_of(info.path), timeline.layout)
        if instant is not None:
            found.setdefault((instant.time, instant.completed_action), []).append(instant)
    for states in found.values():
        states.sort(key=lambda instant: instant.state.rank)
    return found
