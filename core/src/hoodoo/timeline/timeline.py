"""Active timeline of a table, from one listing of its folder."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta, tzinfo
from functools import cached_property
from itertools import pairwise
from typing import Protocol, TypeVar

from attrs import evolve, field, frozen

from hoodoo.errors import CorruptTableError, TableChanged, UnsupportedTable
from hoodoo.storage import HOODIE_FOLDER, FileInfo, Missing, Storage, join
from hoodoo.timeline.commit_metadata import CommitMetadata
from hoodoo.timeline.commit_outline import CommitOutline
from hoodoo.timeline.instant import COMMIT_ACTIONS, Instant
from hoodoo.timeline.listing import list_instants
from hoodoo.timeline.service_plans import clustering_groups, compaction_plan
from hoodoo.timeline.time_zone import writers_offsets, writers_zone

__all__ = ["ARCHIVE_FOLDERS", "TIMELINE_FOLDERS", "Archived", "Timeline", "completed_between"]

TIMELINE_FOLDERS = {1: HOODIE_FOLDER, 2: f"{HOODIE_FOLDER}/timeline"}
"""Default folder of the instants, by timeline layout; the table's properties may set another one."""

ARCHIVE_FOLDERS = {1: f"{TIMELINE_FOLDERS[1]}/archived", 2: f"{TIMELINE_FOLDERS[2]}/history"}
"""Default folder of archived instants, by timeline layout."""


_Form = TypeVar("_Form", CommitMetadata, CommitOutline)


class Archived(Protocol):
    """Archived instants of a timeline."""

    def find(self, instant: Instant) -> CommitMetadata | None:
        """Return the metadata of a commit, or None if the commit is not archived."""
        ...

    def find_by_extra(self, key: str, value: str) -> Instant | None:
        """Return an archived commit whose extra metadata has `value` under `key`; None if there is none."""
        ...


@frozen
class Timeline:
    """Instants of a table, each in its latest state, in the order of their times.

    Attributes:
        storage: The table's files.
        instants: Completed and pending instants.
        first_time: Time of the first commit of the active timeline, completed or pending; earlier commits are
            archived. Commits that a savepoint retains are ignored if there are others. None without commits.
        last_time: The latest time of all instants, including completion times, regardless of `as_of`; None for an empty
            timeline.
        layout: The timeline's layout version, 1 or 2.
        folder: Table-relative folder of the instants.
        archive_folder: Table-relative folder of the archived instants; `Archive` reads them.
        is_local: Whether instants are in the time zone of their writers instead of UTC.
        bound: The time of `as_of`; None for the complete timeline.
    """

    storage: Storage = field(repr=False)
    instants: tuple[Instant, ...]
    first_time: str | None
    last_time: str | None
    layout: int = 1
    folder: str = TIMELINE_FOLDERS[1]
    archive_folder: str = ARCHIVE_FOLDERS[1]
    is_local: bool = False
    bound: str | None = None
    _archive: Callable[[Timeline], Archived] | None = field(default=None, repr=False, eq=False)
    _requested: Mapping[str, int] = field(factory=dict, repr=False, eq=False)
    _files: Mapping[Instant, FileInfo] = field(factory=dict, repr=False, eq=False)
    _outlines: dict[Instant, CommitOutline] = field(factory=dict, repr=False, eq=False)

    @classmethod
    def load(
        cls,
        storage: Storage,
        layout: int = 1,
        folder: str | None = None,
        archive_folder: str | None = None,
        *,
        is_local: bool = False,
        archive: Callable[[Timeline], Archived] | None = None,
    ) -> Timeline:
        """Return the timeline from a listing of its folder; no instant is read.

        Args:
            storage: The table's files.
            layout: The timeline's layout version.
            folder: Table-relative folder of the instants; by default that of the layout.
            archive_folder: Table-relative folder of archived instants; by default that of the layout.
            is_local: Whether instants are in the time zone of their writers instead of UTC.
            archive: Function that returns the archive of a timeline, for commits that are archived after the listing.

        Raises:
            UnsupportedTable: The layout is not supported.
            CorruptTableError: An instant was completed twice, or `folder` is not the default one and does not exist.
        """
        if layout not in TIMELINE_FOLDERS:
            raise UnsupportedTable(
                f"'{storage.uri}' has timeline layout {layout}, not {' or '.join(map(str, TIMELINE_FOLDERS))}, and "
                "cannot be read; read it with the Hudi version that wrote it"
            )
        folder = TIMELINE_FOLDERS[layout] if folder is None else folder
        listing = list_instants(storage, layout, folder)
        if not listing.latest and folder != TIMELINE_FOLDERS[layout] and not storage.exists(folder):
            raise CorruptTableError(
                f"the timeline folder '{folder}' of hoodie.properties does not exist; restore the folder or "
                "hoodie.properties",
                file=folder,
            )
        ordered = sorted(listing.latest.values(), key=lambda entry: (entry[0].time, entry[0].action))
        instants = tuple(instant for instant, _ in ordered)
        for one, other in pairwise(i for i in instants if i.is_completed and i.action in COMMIT_ACTIONS):
            if one.time == other.time:
                raise CorruptTableError(
                    f"instant {one.time} was completed twice, by '{one.file_name}' and '{other.file_name}' in "
                    f"'{folder}'; remove the one whose data files are missing",
                    file=join(folder, other.file_name),
                )
        return cls(
            storage,
            instants,
            first_time=_first_time(instants),
            last_time=max((i.completed_at or i.time for i in (*instants, *listing.duplicates)), default=None),
            layout=layout,
            folder=folder,
            archive_folder=ARCHIVE_FOLDERS[layout] if archive_folder is None else archive_folder,
            is_local=is_local,
            archive=archive,
            requested=listing.requested,
            files=dict(ordered),
        )

    def reloaded(self, storage: Storage | None = None) -> Timeline:
        """Return the current timeline from a new listing of the same folders, optionally through another storage.

        Outlines of commits that were read are kept, because their metadata never changes. The bound of `as_of` is
        dropped. Errors are those of `load`.
        """
        loaded = Timeline.load(
            storage or self.storage,
            self.layout,
            self.folder,
            self.archive_folder,
            is_local=self.is_local,
            archive=self._archive,
        )
        return evolve(loaded, outlines=self._outlines)

    def with_completed(self, completed: Instant) -> Timeline:
        """Return the timeline after the completion of one of its pending instants.

        Args:
            completed: The instant in its completed state.
        """
        key = (completed.time, completed.completed_action)
        instants = tuple(completed if (i.time, i.completed_action) == key else i for i in self.instants)
        last = max(completed.completed_at or completed.time, self.last_time or "")
        return evolve(self, instants=instants, first_time=_first_time(instants), last_time=last)

    def with_pending(self, pending: Instant) -> Timeline:
        """Return the timeline after the creation of an instant, which is later than all others."""
        return evolve(self, instants=(*self.instants, pending), last_time=pending.time)

    @cached_property
    def zone(self) -> tzinfo | None:
        """Return the time zone of new instants; None is the zone of this machine."""
        return writers_zone(self._creations()) if self.is_local else UTC

    @cached_property
    def offsets(self) -> list[timedelta]:
        """Return the offsets from UTC of the writers of the newest instants, newest first; see `writers_offsets`."""
        return writers_offsets(self._creations())

    def _creations(self) -> Iterator[tuple[str, datetime]]:
        for time, created in self._requested.items():
            yield time, datetime.fromtimestamp(created / 1000, UTC)

    @cached_property
    def completed(self) -> tuple[Instant, ...]:
        """Return the completed instants of all actions."""
        return tuple(instant for instant in self.instants if instant.is_completed)

    @cached_property
    def pending(self) -> tuple[Instant, ...]:
        """Return the requested and inflight instants of all actions."""
        return tuple(instant for instant in self.instants if not instant.is_completed)

    @cached_property
    def commits(self) -> tuple[Instant, ...]:
        """Return the completed commits, delta commits and replace commits.

        Raises:
            CorruptTableError: The file of one of them is empty.
        """
        commits = tuple(instant for instant in self.completed if instant.action in COMMIT_ACTIONS)
        for instant in commits:
            if instant in self._files and self._files[instant].size == 0:
                file = self.path_of(instant)
                raise CorruptTableError(
                    f"completed instant '{file}' is empty; restore the file, or remove it to drop that commit",
                    file=file,
                )
        return commits

    @property
    def latest_commit(self) -> Instant | None:
        """Return the completed commit with the latest instant time; None without commits."""
        return self.commits[-1] if self.commits else None

    @cached_property
    def _completions(self) -> dict[str, str]:
        return {instant.time: instant.completed_at or instant.time for instant in self.commits}

    def has_commit(self, time: str) -> bool:
        """Return whether there is a completed commit of this time."""
        return time in self._completions

    def is_visible(self, time: str) -> bool:
        """Return whether files of an instant are committed: it is completed or older than the active timeline."""
        return time in self._completions or self._is_older(time)

    def completion_time_of(self, time: str) -> str | None:
        """Return the completion time of a commit; None if it is pending or unknown.

        For a commit without a recorded completion time, as in layout 1, and for a commit older than the active
        timeline, this is the commit's own time. The archive has the completion time of an older commit.
        """
        return self._completions.get(time) or (time if self._is_older(time) else None)

    def _is_older(self, time: str) -> bool:
        return self.first_time is not None and time < self.first_time

    def is_completed_after(self, commit: Instant, begun: Instant) -> bool:
        """Return whether a commit was completed after the request of a pending instant, whose plan then lacks it.

        Without a recorded completion time, as in layout 1, the modification times of the files are compared instead.
        The result is True if one of these is unknown.

        Args:
            commit: A completed commit of this timeline.
            begun: A pending instant.
        """
        if commit.completion_time is not None:
            return commit.completion_time > begun.time
        requested = self._requested.get(begun.time)
        return requested is None or commit not in self._files or self._files[commit].modified >= requested

    def commits_between(self, begin: str | None, end: str | None) -> tuple[Instant, ...]:
        """Return the completed commits of an incremental read, in the order of completion.

        Layout 1 compares instant times, layout 2 completion times. Archived commits are not included. `begin` is
        exclusive and `end` inclusive; None means no bound.
        """
        return completed_between(self.commits, begin, end)

    @cached_property
    def _pending_compactions(self) -> dict[tuple[str, str], str]:
        found: dict[tuple[str, str], str] = {}
        for instant in self.pending:
            if instant.action != "compaction":
                continue
            for operation in compaction_plan(self, instant).operations:
                group = (operation.partition, operation.file_id)
                if group in found:
                    raise CorruptTableError(
                        f"compactions {found[group]} and {instant.time} are both pending for file group '{group[1]}' "
                        f"in partition '{group[0]}'; roll one of them back",
                        file=self.path_of(instant),
                    )
                found[group] = instant.time
        return found

    def pending_compactions(self) -> Mapping[tuple[str, str], str]:
        """Return the time of the pending compaction of each file group that has one, by (partition, file id).

        Raises:
            CorruptTableError: A plan is corrupt, or two plans contain the same file group.
            UnsupportedTable: The codec of a plan is unknown.
            TableChanged: A plan was removed since the timeline was listed.
        """
        return self._pending_compactions

    @cached_property
    def _pending_clustering(self) -> frozenset[tuple[str, str]]:
        plans = (i for i in self.pending if i.action in ("clustering", "replacecommit"))
        return frozenset(group for instant in plans for group in clustering_groups(self, instant))

    def pending_clustering(self) -> frozenset[tuple[str, str]]:
        """Return (partition, file id) of the file groups that a pending clustering will replace.

        Readers include these groups; writers must not update them.

        Raises:
            CorruptTableError, UnsupportedTable: A plan is corrupt, or has an unknown codec.
            TableChanged: A plan was removed since the timeline was listed.
        """
        return self._pending_clustering

    def as_of(self, time: str) -> Timeline:
        """Return the timeline up to an instant time, inclusive; `first_time` and `last_time` stay the same.

        Args:
            time: 17 digits, see `parse_instant`. Completion times are not compared with it.
        """
        kept = tuple(instant for instant in self.instants if instant.time <= time)
        return evolve(self, instants=kept, bound=time)

    def path_of(self, instant: Instant) -> str:
        """Return the table-relative path of an instant's file."""
        return join(self.folder, instant.file_name)

    def read(self, instant: Instant) -> bytes:
        """Return the content of an instant's file.

        Raises:
            TableChanged: The instant was completed, archived or rolled back since the timeline was listed.
        """
        path = self.path_of(instant)
        try:
            return self.storage.read(path)
        except Missing as error:
            raise TableChanged(
                f"'{path}' of {self.storage.uri} was removed while the table was read: the instant was completed, "
                "archived or rolled back; read the table again"
            ) from error

    def commit_metadata(self, instant: Instant) -> CommitMetadata:
        """Return the metadata of a commit, from the archive if the commit has been archived since.

        Raises:
            CorruptTableError: The commit's file or the archive is corrupt.
            UnsupportedTable: The codec of the commit's file is not supported.
            TableChanged: The commit is neither on the timeline nor in the archive, for example after a restore.
        """
        return self._commit(instant, CommitMetadata)

    def commit_outline(self, instant: Instant) -> CommitOutline:
        """Return the short form of a commit's metadata, which is cached. Errors are those of `commit_metadata`."""
        if instant not in self._outlines:
            self._outlines[instant] = self._commit(instant, CommitOutline)
        return self._outlines[instant]

    def find_archived(self, key: str, value: str) -> Instant | None:
        """Return an archived commit whose extra metadata has `value` under `key`; None if there is none.

        The result is None, too, for a timeline that was loaded without an archive.

        Raises:
            CorruptTableError: The archive is corrupt.
            UnsupportedTable: The archive has an unknown form.
        """
        return None if self._archive is None else self._archive(self).find_by_extra(key, value)

    def _commit(self, instant: Instant, kind: type[_Form]) -> _Form:
        file = self.path_of(instant)
        read = kind.from_json if self.layout == 1 else kind.read
        try:
            body = self.read(instant)
        except TableChanged:
            archived = None if self._archive is None else self._archive(self.reloaded()).find(instant)
            if archived is None:
                raise
            return kind.of(archived)
        commit = read(body, file)
        if instant.action == "replacecommit" and commit.replaced is None:
            raise CorruptTableError(
                f"'{file}' lacks the replaced file ids (partitionToReplaceFileIds); restore the file", file=file
            )
        return commit


def _first_time(instants: Iterable[Instant]) -> str | None:
    """Return the time of the first commit of the active timeline; None without commits.

    Commits with a savepoint are ignored if there are others: archivers may skip a savepoint and archive later commits.
    """
    kept = {instant.time for instant in instants if instant.action == "savepoint"}
    commits = [instant.time for instant in instants if instant.completed_action in COMMIT_ACTIONS]
    return min((time for time in commits if time not in kept), default=min(commits, default=None))


def completed_between(instants: Iterable[Instant], begin: str | None, end: str | None) -> tuple[Instant, ...]:
    """Return the completed instants with `begin < completed_at <= end`, in the order of completion.

    A bound of None is unlimited.
    """
    chosen = [
        (completed, instant.time, instant)
        for instant in instants
        if (completed := instant.completed_at)
        and (begin is None or completed > begin)
        and (end is None or completed <= end)
    ]
    return tuple(instant for _, _, instant in sorted(chosen, key=lambda entry: entry[:2]))
