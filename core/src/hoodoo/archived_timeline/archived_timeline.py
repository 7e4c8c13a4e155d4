"""The archive of a timeline, whichever layout it has; it is read when it is asked for, and at most once."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from attrs import define

from hoodoo.archived_timeline.layout1_reader import read_log_files
from hoodoo.archived_timeline.layout2_reader import read_history_files
from hoodoo.archived_timeline.reader_protocol import Entries
from hoodoo.errors import CorruptTableError
from hoodoo.schema.consistency import looks_like
from hoodoo.storage import name_of
from hoodoo.timeline import COMMIT_ACTIONS, CommitMetadata, Instant, Timeline, completed_between
from hoodoo.timeline.timeline import ARCHIVE_FOLDERS

__all__ = ["Archive"]


@define(eq=False)
class Archive:
    """The completed instants that are no longer on a timeline; none later than a cut of `Timeline.as_of`.

    Reading a snapshot needs it only to know what was replaced and has not been cleaned since, and when commits were
    completed whose log files still count: everything older than the active timeline is committed.

    Attributes:
        timeline: The timeline that the instants left.

    Everything raises `CorruptTableError` for damaged files, `UnsupportedTable` for forms of them that are not known.
    """

    timeline: Timeline

    @cached_property
    def _entries(self) -> Entries:
        return self._read()

    def _read(self, action: str | None = None) -> Entries:
        folder = self.timeline.archive_folder
        usual = ARCHIVE_FOLDERS[self.timeline.layout]
        # no folder is no archive, unless its name is the usual one with a letter damaged
        if looks_like(name_of(folder), name_of(usual)) and not self.timeline.storage.exists(folder):
            raise CorruptTableError(
                f"the archive's folder '{folder}', which hoodie.properties names, is not there; restore either",
                file=folder,
            )
        storage = self.timeline.storage
        entries = (
            read_log_files(storage, folder, action)
            if self.timeline.layout == 1
            else read_history_files(storage, folder)
        )
        # an archiver that was interrupted leaves instants in both places
        active = {(instant.time, instant.action) for instant in self.timeline.completed}
        bound = self.timeline.bound
        return {
            instant: load
            for instant, load in entries.items()
            if (instant.time, instant.action) not in active and (bound is None or instant.time <= bound)
        }

    @cached_property
    def instants(self) -> tuple[Instant, ...]:
        """The archived instants of every action, in the order of their times."""
        return tuple(sorted(self._entries, key=lambda instant: (instant.time, instant.action)))

    @cached_property
    def commits(self) -> tuple[Instant, ...]:
        """Those that changed what the table holds."""
        return tuple(instant for instant in self.instants if instant.action in COMMIT_ACTIONS)

    def find(self, instant: Instant) -> CommitMetadata | None:
        """Return what a commit wrote; None where the commit is not archived."""
        for known, load in self._entries.items():
            if (known.time, known.action) == (instant.time, instant.action):
                return load()
        return None

    def commit_metadata(self, instant: Instant) -> CommitMetadata:
        """What an archived commit wrote; read anew at each call."""
        return self._entries[instant]()

    def completion_time_of(self, time: str) -> str | None:
        """When an archived commit was completed; None for one that is not in the archive."""
        return self._completions.get(time)

    @cached_property
    def _completions(self) -> dict[str, str]:
        return {instant.time: instant.completed_at or instant.time for instant in self.commits}

    def commits_between(self, begin: str | None, end: str | None) -> tuple[Instant, ...]:
        """The archived part of an incremental read; bounds as in `Timeline.commits_between`."""
        return completed_between(self.commits, begin, end)

    def is_archived(self, begin: str | None) -> bool:
        """Whether an incremental read from `begin` (not included) on misses commits that were archived.

        That is so where the archive holds a commit after `begin`: by its time in layout 1, by its completion time in
        layout 2. Cleans, rollbacks and the like do not count, and neither do commits that were archived and whose
        archive was removed: nothing tells of those.
        """
        return bool(self.commits_between(begin, None))

    @cached_property
    def replaced(self) -> Mapping[tuple[str, str], str]:
        """The archived replace commit that hides each file group: its time by (partition, file id)."""
        found: dict[tuple[str, str], str] = {}
        # every reader of a table with old groups comes by here, and archives grow
        entries = self._read("replacecommit")
        for instant in sorted(entries, key=lambda instant: instant.time):
            if instant.action == "replacecommit":
                for partition, file_ids in (entries[instant]().replaced or {}).items():
                    for file_id in file_ids:
                        found.setdefault((partition, file_id), instant.time)
        return found
