"""The active timeline of a table, as one listing of its folder shows it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from attrs import evolve, field, frozen

from hoodoo.errors import CorruptTableError, UnsupportedTable
from hoodoo.storage import Storage, join
from hoodoo.timeline.commit_metadata import CommitMetadata
from hoodoo.timeline.instant import COMMIT_ACTIONS, LAYOUT_FOLDERS, Instant

__all__ = ["Timeline"]


@frozen(slots=False)
class Timeline:
    """A table's instants, each at the furthest state that it has reached, in the order of their times.

    Attributes:
        storage: The table's files.
        instants: Completed and pending instants.
        first_time: The earliest commit of the active timeline, completed or not; what is older was archived.
            None without commits.
        last_time: The latest time of any instant, whatever the cut of `as_of`; None on an empty timeline.
        layout: The timeline's layout version.
        bound: Where `as_of` cut the timeline; None where it did not.
    """

    storage: Storage = field(repr=False)
    instants: tuple[Instant, ...]
    first_time: str | None
    last_time: str | None
    layout: int = 1
    bound: str | None = None
    sizes: Mapping[Instant, int] = field(factory=dict, repr=False, eq=False)
    _metadata: dict[Instant, CommitMetadata] = field(factory=dict, repr=False, eq=False)

    @classmethod
    def load(cls, storage: Storage, layout: int = 1) -> Timeline:
        """List the instants. Raises `UnsupportedTable` for a layout that is not supported."""
        folder = LAYOUT_FOLDERS.get(layout)
        if folder is None:
            raise UnsupportedTable(f"timeline layout {layout} is not supported; supported: {sorted(LAYOUT_FOLDERS)}")
        reached: dict[tuple[str, str], tuple[Instant, int]] = {}
        for info in storage.list(folder):
            instant = Instant.parse(info.path[len(folder) + 1 :], layout)
            if instant is None:
                continue
            key = (instant.time, instant.completed_action)
            if key not in reached or reached[key][0].state.rank < instant.state.rank:
                reached[key] = (instant, info.size)
        ordered = sorted(reached.values(), key=lambda entry: (entry[0].time, entry[0].action))
        instants = tuple(instant for instant, _ in ordered)
        commits = [instant.time for instant in instants if instant.completed_action in COMMIT_ACTIONS]
        return cls(
            storage,
            instants,
            first_time=min(commits, default=None),
            last_time=max((instant.time for instant in instants), default=None),
            layout=layout,
            sizes=dict(ordered),
        )

    @cached_property
    def completed(self) -> tuple[Instant, ...]:
        """The completed instants of every action."""
        return tuple(instant for instant in self.instants if instant.is_completed)

    @cached_property
    def pending(self) -> tuple[Instant, ...]:
        """The requested and inflight instants of every action."""
        return tuple(instant for instant in self.instants if not instant.is_completed)

    @cached_property
    def commits(self) -> tuple[Instant, ...]:
        """The completed instants that changed what the table holds.

        Raises `CorruptTableError` for one whose file is empty.
        """
        commits = tuple(instant for instant in self.completed if instant.action in COMMIT_ACTIONS)
        for instant in commits:
            if self.sizes.get(instant) == 0:
                file = self.path_of(instant)
                raise CorruptTableError(
                    f"completed instant '{file}' is empty; restore the file, or remove it to drop that commit",
                    file=file,
                )
        return commits

    @property
    def latest_commit(self) -> Instant | None:
        """The last completed commit, or None."""
        return self.commits[-1] if self.commits else None

    @cached_property
    def _visible(self) -> frozenset[str]:
        return frozenset(instant.time for instant in self.commits)

    def is_visible(self, time: str) -> bool:
        """Whether files of this instant are committed: it is completed, or older than the active timeline."""
        return time in self._visible or (self.first_time is not None and time < self.first_time)

    def as_of(self, time: str) -> Timeline:
        """The timeline up to a time, that time included; `first_time` and `last_time` stay.

        Args:
            time: 17 digits; `parse_instant` makes them.
        """
        kept = tuple(instant for instant in self.instants if instant.time <= time)
        return evolve(self, instants=kept, bound=time)

    def path_of(self, instant: Instant) -> str:
        """The table-relative path of an instant's file."""
        return join(LAYOUT_FOLDERS[self.layout], instant.file_name)

    def read(self, instant: Instant) -> bytes:
        """The content of an instant's file. Raises `Missing` where it was archived or rolled back meanwhile."""
        return self.storage.read(self.path_of(instant))

    def commit_metadata(self, instant: Instant) -> CommitMetadata:
        """What a commit wrote, read once. Raises `CorruptTableError` naming the file where it cannot be understood."""
        if instant not in self._metadata:
            self._metadata[instant] = CommitMetadata.from_json(self.read(instant), self.path_of(instant))
        return self._metadata[instant]
