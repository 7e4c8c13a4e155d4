"""One write of a table, from the moment at which it is inflight."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from types import TracebackType

from attrs import define, evolve, field

from hoodoo.errors import CommitConflict, CommitError, CommitStateUnknown, HoodooError, LockLost, StorageError
from hoodoo.properties import TableProperties, load_properties
from hoodoo.storage import AlreadyExists, Storage
from hoodoo.timeline import CommitMetadata, Instant, State, Timeline, WriteStat, next_instant_time
from hoodoo.txn.conflicts import NewKeys, Write, find_conflict
from hoodoo.txn.heartbeat import Heartbeat
from hoodoo.txn.instant_creation import create_file
from hoodoo.txn.locking.coordination import Coordination
from hoodoo.txn.locking.table_lock import TableLock, table_lock
from hoodoo.txn.markers import close_markers, delete_markers, drop_markers, list_markers
from hoodoo.txn.rollback.rollback import rollback
from hoodoo.txn.write_id import WRITE_ID_KEY, find_committed
from hoodoo.txn.written_files import lost_file

__all__ = ["WRITER_KEY", "Transaction"]

WRITER_KEY = "hoodoo.writer.token"
"""The entry of a commit's extra metadata that says which writer it is from."""

_LOCKS = 3
"""How often the table's lock is taken for one commit, where it is lost before the instant is completed."""

_log = logging.getLogger(__name__)


@define(eq=False)
class Transaction:
    """A write in progress. As a context manager it rolls back where the block raises, or ends without a commit.

    Attributes:
        storage: The table's files.
        timeline: What the write was planned by.
        instant: The instant, as it will be once completed.
        token: Which writer this is.
    """

    storage: Storage
    timeline: Timeline
    _current: Timeline
    instant: Instant
    token: str
    _coordination: Coordination
    _heartbeat: Heartbeat
    _properties: TableProperties | None = None
    _open: bool = field(default=True, init=False)

    @property
    def time(self) -> str:
        """The instant's time: the name under which tasks write."""
        return self.instant.time

    def committed_timeline(self) -> Timeline:
        """Return the timeline on which the instant was completed, with the instant; call it after `commit`."""
        return self._current.with_completed(self.instant)

    def take_current_timeline(self) -> Timeline:
        """Plan the write by the timeline as it was when the instant was put on it; commits on it count as seen.

        Call it before anything of the plan is read.
        """
        self.timeline = self._current
        return self.timeline

    def path_of(self, state: State) -> str:
        """The table-relative path of the instant's file in a state."""
        return self.timeline.path_of(self.instant.at(state))

    def __enter__(self) -> Transaction:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not self._open:
            return
        if error is None:
            self.rollback()
        else:
            self._rollback_after(error)

    def reconcile(self, stats: Iterable[WriteStat]) -> list[str]:
        """Delete data files of attempts that do not count: announced by a marker, and in no write stat.

        From then on no task may begin another data file for this instant.

        Returns:
            The table-relative paths that were deleted.
        """
        close_markers(self.storage, self.time)
        written = {stat.path for stat in stats}
        stray = sorted({path for path, _ in list_markers(self.storage, self.time)} - written)
        for path in stray:
            # the marker goes first: an attempt that is still writing then finds out that it lost
            delete_markers(self.storage, self.time, path)
            self.storage.delete(path)
        return stray

    def commit(self, metadata: CommitMetadata, *, bucketed: bool = False, new_keys: NewKeys | None = None) -> Instant:
        """Reconcile, check for conflicts, and complete the instant.

        Args:
            metadata: What was written.
            bucketed: The table has a bucket index: two new file groups of one bucket are a conflict.
            new_keys: Where a key that this write did not find, and inserted, must still be new: in its `partition`, in
                the whole `table` (a global index), or None for a bucket index and for writes that look for no keys.

        Returns:
            The completed instant. Where another attempt at the same write (its extra metadata has the same
            `hoodoo.write_id`) was completed meanwhile, it is that one's, and this one is rolled back.

        Raises:
            CommitConflict: Another writer was faster, upgraded the table, or removed a file of this write; this write
                is rolled back.
            CommitError: Another writer rolled this write back.
            CommitStateUnknown: The store does not say whether the instant is completed; nothing is deleted.
            LockTimeout: The table's lock was not obtained.
            LockLost: The table's lock ended before the instant was completed, several times.
            StorageError: The store failed before the instant was completed; the transaction can be rolled back.
        """
        if not self._open:
            raise CommitError(f"{self.instant.action} {self.time} is finished already")
        marked = evolve(metadata, extra_metadata={**metadata.extra_metadata, WRITER_KEY: self.token})
        self.reconcile(metadata.stats())
        try:
            twin = self._complete_locked(Write(self.instant, marked, bucketed, new_keys))
        except CommitConflict as conflict:
            self._rollback_after(conflict)
            raise
        except CommitStateUnknown:
            self._open = False
            self._heartbeat.release()
            raise
        if twin is not None:
            self._give_way()
            return twin
        self._open = False
        self._tidy()
        return self.instant

    def rollback(self) -> None:
        """Delete what was written and take the instant off the timeline; a compaction stays scheduled.

        Raises:
            CommitError: The instant is completed after all; nothing is deleted.
        """
        self._open = False
        try:
            rollback(self.storage, self.time, self.timeline, coordination=self._coordination)
        finally:
            self._heartbeat.release()

    def _give_way(self) -> None:
        try:
            self.rollback()
        except HoodooError as failure:
            _log.warning("rolling back %s failed, the next write will do it: %s", self.time, failure)

    def _rollback_after(self, error: BaseException) -> None:
        try:
            self.rollback()
        except HoodooError as failure:
            error.add_note(f"rolling back {self.time} failed as well, the next write will do it: {failure}")

    def _complete_locked(self, write: Write) -> Instant | None:
        """Take the table's lock and complete the instant; once more where the lock was lost before the instant was."""
        for _ in range(_LOCKS - 1):
            try:
                return self._complete_once(write)
            except LockLost as lost:
                _log.warning("%s %s takes the lock once more: %s", self.instant.action, self.time, lost)
        return self._complete_once(write)

    def _complete_once(self, write: Write) -> Instant | None:
        with table_lock(self.storage, self._coordination) as lock:
            return self._complete(write, lock)

    def _complete(self, write: Write, lock: TableLock) -> Instant | None:
        """Complete the instant, unless another attempt at the same write is completed, which is returned then."""
        self._check_version()
        current = self._current = self.timeline.reloaded(self.storage)
        if self.instant.at(State.INFLIGHT) not in current.pending:
            raise CommitError(f"{self.instant.action} {self.time} is no longer inflight: it was rolled back")
        seen = frozenset(self.timeline.commits)
        write_id = write.metadata.extra_metadata.get(WRITE_ID_KEY)
        if write_id is not None and (twin := find_committed(current, write_id, seen)) is not None:
            return twin
        conflict = find_conflict(current, seen, write)
        if conflict is not None:
            raise CommitConflict(str(conflict))
        lost = lost_file(self.storage, write.metadata.stats())
        if lost is not None:
            raise CommitConflict(
                f"{lost}, which this write wrote: another writer or tool removed or changed it; this write is rolled "
                "back, run it again"
            )
        if current.layout > 1:
            self.instant = evolve(self.instant, completion_time=next_instant_time(current, self._coordination.clock()))
        path = self.path_of(State.COMPLETED)
        lock.renew()
        try:
            create_file(self.storage, path, write.metadata.to_bytes(current.layout))
        except AlreadyExists as error:
            raise CommitStateUnknown(
                f"'{path}' holds the commit of another writer; the data files of this one were left in place"
            ) from error
        return None

    def _check_version(self) -> None:
        """Raise `CommitConflict` if another writer upgraded the table: readers look for commits elsewhere then."""
        if self._properties is None:
            return
        now = load_properties(self.storage)
        if (now.version, now.timeline_folder) != (self._properties.version, self._properties.timeline_folder):
            raise CommitConflict(
                f"another writer changed table version {self._properties.version} to {now.version} (timeline in "
                f"'{now.timeline_folder}'); this write is rolled back, run it again"
            )

    def _tidy(self) -> None:
        """Remove the markers and the heartbeat of the committed instant; the next write removes what stays."""
        try:
            drop_markers(self.storage, self.time)
            self._heartbeat.release(delete=True)
        except StorageError as error:
            # a heartbeat that stays shows the next write that markers may stay
            _log.warning("%s is committed, and its markers or heartbeat stay for now: %s", self.time, error)
        try:
            self._heartbeat.release()
        except StorageError as error:
            _log.warning("%s is committed, and its heartbeat could not be released: %s", self.time, error)
