"""Transaction of one write, from its inflight instant to the commit or the rollback."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from types import MappingProxyType, TracebackType

from attrs import define, evolve, field

from hoodoo.errors import CommitConflict, CommitError, CommitStateUnknown, HoodooError, LockLost, StorageError
from hoodoo.filegroup.located_log import LocatedLog
from hoodoo.properties import TableProperties, load_properties
from hoodoo.storage import HOODIE_FOLDER, AlreadyExists, Storage, listed_at_once
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
from hoodoo.txn.held_write import HeldWrite
from hoodoo.txn.instant_creation import create_file
from hoodoo.txn.locking.coordination import Coordination
from hoodoo.txn.locking.table_lock import TableLock, table_lock
from hoodoo.txn.markers import (
    close_markers,
    delete_files_with_markers,
    delete_markers,
    drop_markers,
    forget_markers,
    list_markers,
)
from hoodoo.txn.metadata.removal import has_metadata_table
from hoodoo.txn.rollback.rollback import roll_back_locked, rollback
from hoodoo.txn.write_id import WRITE_ID_KEY, find_committed
from hoodoo.txn.written_files import lost_file

__all__ = ["WRITER_KEY", "Transaction", "check_version"]

WRITER_KEY = "hoodoo.writer.token"
"""The entry of a commit's extra metadata that identifies its writer."""

_LOCKS = 3
"""Maximum attempts to take the table lock for one commit; an attempt fails if the lock is lost before completion."""

_log = logging.getLogger(__name__)


@define(eq=False)
class Transaction:
    """Write in progress. As a context manager it rolls back if the block raises, or ends without a commit.

    Attributes:
        storage: The table's files.
        timeline: The timeline with which the write was planned.
        instant: The instant in its completed state.
        token: Random text that identifies the writer, in the markers and in the extra metadata of the commit.
    """

    storage: Storage
    timeline: Timeline
    _current: Timeline
    instant: Instant
    token: str
    _coordination: Coordination
    _heartbeat: Heartbeat | None
    _properties: TableProperties | None = None
    _held: HeldWrite | None = field(default=None, init=False)
    _open: bool = field(default=True, init=False)

    @property
    def time(self) -> str:
        """Return the time of the instant, which tasks put into file names."""
        return self.instant.time

    def committed_timeline(self) -> Timeline:
        """Return the timeline on which the instant was completed, with the instant; call it after `commit`."""
        return self._current.with_completed(self.instant)

    @property
    def keeps_lock(self) -> bool:
        """Return whether the write has kept the table lock from its beginning; it may have been published since."""
        return self._held is not None

    def keep_lock(self, held: HeldWrite) -> None:
        """Keep the table lock until the commit or the rollback, or until the write is published."""
        self._held = held
        held.start()

    def take_current_timeline(self) -> Timeline:
        """Plan the write with the timeline that was current when the instant was created, and return that timeline.

        Commits on it are then not concurrent. Call this method before any file of the plan is read.
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
        written = {stat.path for stat in stats}
        if self._held is not None and not self._held.opened:
            strays = {path: kind for path, kind in self._held.files.items() if path not in written}
            delete_files_with_markers(self.storage, self.time, sorted(strays.items()))
            return sorted(strays)
        close_markers(self.storage, self.time)
        stray = sorted({path for path, _ in list_markers(self.storage, self.time)} - written)
        for path in stray:
            # the marker is deleted first, so that an attempt that still writes detects the loss
            delete_markers(self.storage, self.time, path)
            self.storage.delete(path)
        return stray

    def commit(
        self,
        metadata: CommitMetadata,
        *,
        bucketed: bool = False,
        new_keys: NewKeys | None = None,
        located: Mapping[str, LocatedLog] = MappingProxyType({}),
    ) -> Instant:
        """Reconcile, check for conflicts, and complete the instant.

        Args:
            metadata: The metadata of the commit.
            bucketed: Whether the table has a bucket index: two new file groups of one bucket are then a conflict.
            new_keys: The scope in which an inserted key must still be new: its `partition`, the whole `table` (a global
                index), or None for a bucket index and for writes that look up no keys.
            located: The logs whose keys the write found in its look-up, by path: their keys are not read again.

        Returns:
            The completed instant. If another attempt at the same write (one whose extra metadata has the same
            `hoodoo.write_id`) was completed first, this write is rolled back and the instant of that attempt returned.

        Raises:
            CommitConflict: Another writer committed a conflicting change, changed the version of the table, created a
                partition of the metadata table that hoodoo cannot update, or removed a file of this write; this write
                is rolled back.
            CommitError: Another writer rolled this write back, or this transaction is already committed or rolled back.
            CorruptTableError: A commit of another writer or the metadata table is damaged.
            UnsupportedTable: The metadata table is missing, lacks commits, or has an unsupported version.
            CommitStateUnknown: The store does not confirm whether the instant is completed, or another writer completed
                it; the files of the write are not deleted.
            LockTimeout: The table lock was not obtained.
            LockLost: The table lock ended before the instant was completed, in each attempt.
            StorageError: The store failed before the instant was completed; the transaction can be rolled back.
        """
        if not self._open:
            raise CommitError(
                f"{self.instant.action} {self.time} is already committed or rolled back; begin a new transaction"
            )
        marked = evolve(metadata, extra_metadata={**metadata.extra_metadata, WRITER_KEY: self.token})
        held = self._takes_held()
        self.reconcile(metadata.stats())
        write = Write(self.instant, marked, bucketed, new_keys, located)
        try:
            other_attempt = self._complete_held(held, write) if held is not None else self._complete_locked(write)
        except CommitConflict as conflict:
            self._rollback_after(conflict)
            raise
        except CommitStateUnknown:
            self._open = False
            self._end()
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
            CommitError: The instant is completed, or another writer holds the table lock for too long; nothing is
                deleted.
            CorruptTableError, UnsupportedTable, StorageError: As in `rollback_pending`; the next write repeats the
                rollback.
        """
        self._open = False
        held = self._takes_held()
        try:
            if held is None or not self._roll_back_held(held):
                done = rollback(self.storage, self.time, self.timeline, coordination=self._coordination)
                if not done and self._held is not None:
                    # another writer rolled the instant back, perhaps before the last file was written
                    delete_files_with_markers(self.storage, self.time, sorted(self._held.files.items()))
                    if self._held.opened:
                        self.reconcile(())
        finally:
            self._end()

    def _takes_held(self) -> HeldWrite | None:
        """Return the kept lock for the commit or the rollback; None without one, or if the write is published."""
        if self._held is None or self._held.take():
            return self._held
        self._heartbeat = self._held.heartbeat
        return None

    def _roll_back_held(self, held: HeldWrite) -> bool:
        """Roll back under the kept lock. Return False if the lock is lost, or the instant is not pending."""
        try:
            held.lock.renew()
        except LockLost as lost:
            _log.warning("the rollback of %s takes the lock again: %s", self.time, lost)
            held.end()
            return False
        current = self.timeline.reloaded(self.storage)
        for instant in current.pending:
            if instant == self.instant.at(State.INFLIGHT):
                announced = None if held.opened else tuple(held.files)
                roll_back_locked(self.storage, current, instant, self._coordination.clock, announced)
                return True
        if current.has_commit(self.time):
            raise CommitError(
                f"{self.instant.action} {self.time} of '{self.storage.uri}' is completed and cannot be rolled back; "
                "write the earlier rows again"
            )
        return False

    def _end(self) -> None:
        """End the heartbeat, or release the kept lock."""
        if self._held is not None:
            self._held.end()
        if self._heartbeat is not None:
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
            listing = listed_at_once(self.storage, HOODIE_FOLDER)
            properties = None if self._properties is None else check_version(listing, self._properties)
            current = self._current = evolve(self.timeline.reloaded(listing), storage=self.storage)
            if self.instant.at(State.INFLIGHT) not in current.pending:
                raise CommitError(
                    f"{self.instant.action} {self.time} was rolled back by another writer; run the write again"
                )
            self._check_files(write)
            return self._complete(write, lock, properties)

    def _complete_held(self, held: HeldWrite, write: Write) -> Instant | None:
        """Complete the instant under the lock of its begin. Since then, nothing was committed and no file removed."""
        self._current = self._current.with_pending(self.instant.at(State.INFLIGHT))
        try:
            return self._complete(write, held.lock, self._properties)
        except LockLost as lost:
            _log.warning("%s %s takes the lock again: %s", self.instant.action, self.time, lost)
            held.end()
        return self._complete_locked(write)

    def _check_files(self, write: Write) -> None:
        lost = lost_file(self.storage, write.metadata.stats())
        if lost is not None:
            raise CommitConflict(
                f"{lost}; this write created it, and another writer or tool removed or changed it; this write is "
                "rolled back; run it again"
            )

    def _complete(self, write: Write, lock: TableLock, properties: TableProperties | None) -> Instant | None:
        """Complete the instant, or return the instant of another completed attempt at the same write."""
        current = self._current
        seen = frozenset(self.timeline.commits)
        write_id = write.metadata.extra_metadata.get(WRITE_ID_KEY)
        if write_id is not None and (other_attempt := find_committed(current, write_id, seen)) is not None:
            return other_attempt
        conflict = find_conflict(current, seen, write)
        if conflict is not None:
            raise CommitConflict(str(conflict))
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
                f"'{path}' has the commit of another writer; the data files of this write were not deleted; check the "
                "timeline before you try again"
            ) from error
        return None

    def _keep_metadata(self, properties: TableProperties | None, current: Timeline, write: Write) -> str | None:
        """Complete the delta commit of the metadata table, and return its completion time.

        The result is None in timeline layout 1, and without a metadata table.
        """
        if properties is None or not has_metadata_table(properties):
            return None
        # a write without a metadata table does not import its modules
        from hoodoo.txn.metadata.delta_commit import change_of_commit, keep_current

        change = change_of_commit(self.storage, properties, current, self.time, write.metadata)
        change = evolve(change, located=write.located)
        return keep_current(self.storage, properties, current, change, self._coordination)

    def _tidy(self) -> None:
        """Delete the markers and the heartbeat of the committed instant; the next write deletes those that remain."""
        heartbeat = self._heartbeat
        if self._held is not None:
            self._held.end()
        try:
            if self._held is not None and not self._held.opened:
                # the next write finds the markers that remain in its first listing
                forget_markers(self.storage, self.time, sorted(self._held.files.items()))
                return
            drop_markers(self.storage, self.time)
            if heartbeat is not None:
                heartbeat.release(delete=True)
        except StorageError as error:
            # a heartbeat that remains shows the next write that markers may remain
            _log.warning("%s is committed, and its markers or heartbeat could not be deleted: %s", self.time, error)
        try:
            if heartbeat is not None:
                heartbeat.release()
        except StorageError as error:
            _log.warning("%s is committed, and its heartbeat could not be released: %s", self.time, error)


def check_version(storage: Storage, planned: TableProperties) -> TableProperties:
    """Check that the version of the table has not changed, and return the current properties.

    Args:
        storage: The table's files.
        planned: The properties with which the write was planned.

    Raises:
        CommitConflict: Another writer changed the version of the table, or the folder of its timeline.
    """
    now = load_properties(storage)
    if (now.version, now.timeline_folder) != (planned.version, planned.timeline_folder):
        version = f"table version {planned.version} to {now.version}"
        folder = f"the timeline folder '{planned.timeline_folder}' to '{now.timeline_folder}'"
        raise CommitConflict(
            f"another writer changed {version if now.version != planned.version else folder} in {storage.uri}; this "
            "write is rolled back; run it again"
        )
    return now
