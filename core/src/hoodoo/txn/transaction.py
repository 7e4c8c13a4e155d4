"""Transaction of one write, from its inflight instant to the commit or the rollback."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from types import TracebackType

from attrs import define, evolve, field

from hoodoo.errors import CommitConflict, CommitError, CommitStateUnknown, HoodooError, LockLost, StorageError
from hoodoo.properties import TableProperties, load_properties
from hoodoo.storage import AlreadyExists, Storage
from hoodoo.timeline import (
    CommitMetadata,
    Instant,
    State,
    Timeline,
    WriteStat,
    following_instant,
    next_instant_time,
)
from hoodoo.txn.conflicts import NewKeys, Write, find_conflict
from hoodoo.txn.heartbeat import Heartbeat
from hoodoo.txn.instant_creation import create_file
from hoodoo.txn.locking.coordination import Coordination
from hoodoo.txn.locking.table_lock import TableLock, table_lock
from hoodoo.txn.markers import close_markers, delete_markers, drop_markers, list_markers
from hoodoo.txn.metadata.removal import has_metadata_table
from hoodoo.txn.rollback.rollback import rollback
from hoodoo.txn.write_id import WRITE_ID_KEY, find_committed
from hoodoo.txn.written_files import lost_file

__all__ = ["WRITER_KEY", "Transaction"]

WRITER_KEY = "hoodoo.writer.token"
"""The entry of a commit's extra metadata that identifies its writer."""

_LOCKS = 3
"""Attempts to take the table lock for one commit, if the lock is lost before the instant is completed."""

_log = logging.getLogger(__name__)


@define(eq=False)
class Transaction:
    """Write in progress. As a context manager it rolls back if the block raises, or ends without a commit.

    Attributes:
        storage: The table's files.
        timeline: The timeline that the write was planned with.
        instant: The instant in its completed state.
        token: The identity of the writer.
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
        """Return the time of the instant, which tasks put into file names."""
        return self.instant.time

    def committed_timeline(self) -> Timeline:
        """Return the timeline on which the instant was completed, with the instant; call it after `commit`."""
        return self._current.with_completed(self.instant)

    def take_current_timeline(self) -> Timeline:
        """Return the timeline that was current when the instant was created; commits on it count as seen.

        Call it before any file of the plan is read.
        """
        self.timeline = self._current
        return self.timeline

    def path_of(self, state: State) -> str:
        """Return the table-relative path of the instant's file in a state."""
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
        """Delete the data files of failed task attempts: those that have a marker and no write stat.

        After this call no task may begin another data file for this instant.

        Returns:
            The table-relative paths of the deleted files.
        """
        close_markers(self.storage, self.time)
        written = {stat.path for stat in stats}
        stray = sorted({path for path, _ in list_markers(self.storage, self.time)} - written)
        for path in stray:
            # the marker is deleted first, so that an attempt that still writes detects the loss
            delete_markers(self.storage, self.time, path)
            self.storage.delete(path)
        return stray

    def commit(self, metadata: CommitMetadata, *, bucketed: bool = False, new_keys: NewKeys | None = None) -> Instant:
        """Reconcile, check for conflicts, and complete the instant.

        Args:
            metadata: The metadata of the commit.
            bucketed: Whether the table has a bucket index: two new file groups of one bucket are then a conflict.
            new_keys: The scope in which an inserted key must still be new: its `partition`, the whole `table` (a global
                index), or None for a bucket index and for writes that look up no keys.

        Returns:
            The completed instant. If another attempt at the same write (one whose extra metadata has the same
            `hoodoo.write_id`) was completed first, this write is rolled back and the instant of that attempt returned.

        Raises:
            CommitConflict: Another writer committed first, upgraded the table, or removed a file of this write; this
                write is rolled back.
            CommitError: Another writer rolled this write back.
            CommitStateUnknown: The store does not confirm whether the instant is completed; nothing is deleted.
            LockTimeout: The table lock was not obtained.
            LockLost: The table lock ended before the instant was completed, in each attempt.
            StorageError: The store failed before the instant was completed; the transaction can be rolled back.
        """
        if not self._open:
            raise CommitError(f"{self.instant.action} {self.time} is already committed or rolled back")
        marked = evolve(metadata, extra_metadata={**metadata.extra_metadata, WRITER_KEY: self.token})
        self.reconcile(metadata.stats())
        try:
            other_attempt = self._complete_locked(Write(self.instant, marked, bucketed, new_keys))
        except CommitConflict as conflict:
            self._rollback_after(conflict)
            raise
        except CommitStateUnknown:
            self._open = False
            self._heartbeat.release()
            raise
        if other_attempt is not None:
            self._roll_back_or_log()
            return other_attempt
        self._open = False
        self._tidy()
        return self.instant

    def rollback(self) -> None:
        """Delete the files of the write and remove its instant from the timeline; a compaction stays scheduled.

        Raises:
            CommitError: The instant is completed; nothing is deleted.
        """
        self._open = False
        try:
            rollback(self.storage, self.time, self.timeline, coordination=self._coordination)
        finally:
            self._heartbeat.release()

    def _roll_back_or_log(self) -> None:
        try:
            self.rollback()
        except HoodooError as failure:
            _log.warning("the rollback of %s failed; the next write repeats it: %s", self.time, failure)

    def _rollback_after(self, error: BaseException) -> None:
        try:
            self.rollback()
        except HoodooError as failure:
            error.add_note(f"the rollback of {self.time} failed too; the next write repeats it: {failure}")

    def _complete_locked(self, write: Write) -> Instant | None:
        """Complete the instant under the table lock; try again if the lock is lost before the instant is completed."""
        for _ in range(_LOCKS - 1):
            try:
                return self._complete_once(write)
            except LockLost as lost:
                _log.warning("%s %s takes the lock again: %s", self.instant.action, self.time, lost)
        return self._complete_once(write)

    def _complete_once(self, write: Write) -> Instant | None:
        with table_lock(self.storage, self._coordination) as lock:
            return self._complete(write, lock)

    def _complete(self, write: Write, lock: TableLock) -> Instant | None:
        """Complete the instant, or return the instant of another completed attempt at the same write."""
        properties = self._check_version()
        current = self._current = self.timeline.reloaded(self.storage)
        if self.instant.at(State.INFLIGHT) not in current.pending:
            raise CommitError(
                f"{self.instant.action} {self.time} was rolled back by another writer; run the write again"
            )
        seen = frozenset(self.timeline.commits)
        write_id = write.metadata.extra_metadata.get(WRITE_ID_KEY)
        if write_id is not None and (other_attempt := find_committed(current, write_id, seen)) is not None:
            return other_attempt
        conflict = find_conflict(current, seen, write)
        if conflict is not None:
            raise CommitConflict(str(conflict))
        lost = lost_file(self.storage, write.metadata.stats())
        if lost is not None:
            raise CommitConflict(
                f"{lost}; this write created it, and another writer or tool removed or changed it. This write is "
                "rolled back; run it again"
            )
        earlier = self._keep_metadata(properties, current, write)
        if current.layout > 1:
            time = next_instant_time(current, self._coordination.clock())
            if earlier is not None:
                time = max(time, following_instant(earlier))
            self.instant = evolve(self.instant, completion_time=time)
        path = self.path_of(State.COMPLETED)
        lock.renew()
        try:
            create_file(self.storage, path, write.metadata.to_bytes(current.layout))
        except AlreadyExists as error:
            raise CommitStateUnknown(
                f"'{path}' has the commit of another writer; the data files of this write were not deleted. Check the "
                "timeline before you try again"
            ) from error
        return None

    def _keep_metadata(self, properties: TableProperties | None, current: Timeline, write: Write) -> str | None:
        """Complete the delta commit of the metadata table, if there is one, and return its completion time."""
        if properties is None or not has_metadata_table(properties):
            return None
        # a write without a metadata table does not import its modules
        from hoodoo.txn.metadata.delta_commit import change_of_commit, keep_current

        change = change_of_commit(self.storage, properties, current, self.time, write.metadata)
        return keep_current(self.storage, properties, current, change, self._coordination)

    def _check_version(self) -> TableProperties | None:
        """Return the current properties, or None for a write without properties.

        Raises:
            CommitConflict: Another writer upgraded the table, since the timeline is then in another folder.
        """
        if self._properties is None:
            return None
        now = load_properties(self.storage)
        if (now.version, now.timeline_folder) != (self._properties.version, self._properties.timeline_folder):
            raise CommitConflict(
                f"another writer changed table version {self._properties.version} to {now.version} (timeline in "
                f"'{now.timeline_folder}'); this write is rolled back, run it again"
            )
        return now

    def _tidy(self) -> None:
        """Delete the markers and the heartbeat of the committed instant; the next write deletes those that remain."""
        try:
            drop_markers(self.storage, self.time)
            self._heartbeat.release(delete=True)
        except StorageError as error:
            # a heartbeat that remains shows the next write that markers may remain
            _log.warning("%s is committed, and its markers or heartbeat could not be deleted: %s", self.time, error)
        try:
            self._heartbeat.release()
        except StorageError as error:
            _log.warning("%s is committed, and its heartbeat could not be released: %s", self.time, error)
