"""Archive of a timeline in either layout, which is read on first use."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from attrs import define

from hoodoo.archived_timeline.extra_metadata import find_by_extra
from hoodoo.archived_timeline.layout1_reader import read_log_files
from hoodoo.archived_timeline.layout2_reader import read_history_files
from hoodoo.archived_timeline.reader_protocol import ArchivedInstants
from hoodoo.errors import CorruptTableError
from hoodoo.schema.consistency import looks_like
from hoodoo.storage import name_of
from hoodoo.timeline import COMMIT_ACTIONS, CommitMetadata, Instant, Timeline, completed_between
from hoodoo.timeline.timeline import ARCHIVE_FOLDERS

__all__ = ["Archive"]


@define(eq=False)
class Archive:
    """Completed instants that were archived, up to the time of `Timeline.as_of`.

    A snapshot query assumes that files older than the active timeline are committed. It reads the archive only to find
    file groups that archived commits replaced and whose files still exist, and for completion times of commits whose
    log files are in use.

    All methods raise `CorruptTableError` for corrupt files, and `UnsupportedTable` for unknown forms of them.

    Attributes:
        timeline: The active timeline, whole or up to an instant.
    """

    timeline: Timeline

    @cached_property
    def _entries(self) -> ArchivedInstants:
        return self._read()

    def _checked_folder(self) -> str:
        folder = self.timeline.archive_folder
        usual = ARCHIVE_FOLDERS[self.timeline.layout]
        # a missing folder is an empty archive, unless its name looks like a corrupt form of the default name
        if looks_like(name_of(folder), name_of(usual)) and not self.timeline.storage.exists(folder):
            raise CorruptTableError(
                f"the archive folder '{folder}' of hoodie.properties does not exist; restore the folder or "
                "hoodie.properties",
                file=folder,
            )
        return folder

    def _read(self, action: str | None = None) -> ArchivedInstants:
        storage, folder = self.timeline.storage, self._checked_folder()
        entries = (
            read_log_files(storage, folder, action)
            if self.timeline.layout == 1
            else read_history_files(storage, folder)
        )
        # an interrupted archiver leaves instants in both places
        active = {(instant.time, instant.action) for instant in self.timeline.completed}
        bound = self.timeline.bound
        return {
            instant: load
            for instant, load in entries.items()
            if (instant.time, instant.action) not in active and (bound is None or instant.time <= bound)
        }

    @cached_property
    def instants(self) -> tuple[Instant, ...]:
        """Return the archived instants of all actions, in the order of their times."""
        return tuple(sorted(self._entries, key=lambda instant: (instant.time, instant.action)))

    @cached_property
    def commits(self) -> tuple[Instant, ...]:
        """Return the archived commits, delta commits and replace commits."""
        return tuple(instant for instant in self.instants if instant.action in COMMIT_ACTIONS)

    def find(self, instant: Instant) -> CommitMetadata | None:
        """Return the metadata of a commit, or None if the commit is not archived."""
        for known, load in self._entries.items():
            if (known.time, known.action) == (instant.time, instant.action):
                return load()
        return None

    def find_by_extra(self, key: str, value: str) -> Instant | None:
        """Return an archived commit whose extra metadata has `value` under `key`; None if there is none.

        Repeated searches read only new files. The bound of `Timeline.as_of` is ignored.
        """
        return find_by_extra(self.timeline.storage, self.timeline.layout, self._checked_folder(), key, value)

    def commit_metadata(self, instant: Instant) -> CommitMetadata:
        """Return the metadata of one of `commits`; it is read again at each call."""
        return self._entries[instant]()

    def completion_time_of(self, time: str) -> str | None:
        """Return the completion time of an archived commit; None if the commit is not archived."""
        return self._completions.get(time)

    @cached_property
    def _completions(self) -> dict[str, str]:
        return {instant.time: instant.completed_at or instant.time for instant in self.commits}

    def commits_between(self, begin: str | None, end: str | None) -> tuple[Instant, ...]:
        """Return the archived commits of an incremental read; bounds as in `Timeline.commits_between`.

        Commits whose archive was removed leave no trace and are not included.
        """
        return completed_between(self.commits, begin, end)

    @cached_property
    def replaced(self) -> Mapping[tuple[str, str], str]:
        """Return the time of the archived replace commit that replaced each file group, by (partition, file id)."""
        found: dict[tuple[str, str], str] = {}
        # read only replace commits: archives grow, and every reader of a table with replaced groups needs this result
        entries = self._read("replacecommit")
        for instant in sorted(entries, key=lambda instant: instant.time):
            if instant.action == "replacecommit":
                for partition, file_ids in (entries[instant]().replaced or {}).items():
                    for file_id in file_ids:
                        found.setdefault((partition, file_id), instant.time)
        return found
