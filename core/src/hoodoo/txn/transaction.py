"""One write of a table, from its instant's first file to its last."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Callable, Iterable
from datetime import datetime
from types import TracebackType

from attrs import define, evolve, field

from hoodoo.errors import CommitConflict, CommitError, CommitStateUnknown, HoodooError, StorageError
from hoodoo.storage import AlreadyExists, Lock, Missing, Storage
from hoodoo.timeline import (
    CommitMetadata,
    Instant,
    State,
    Timeline,
    WriteStat,
    following_instant,
    next_instant_time,
    utc_now,
)
from hoodoo.txn.avro_files import encode
from hoodoo.txn.conflict import find_conflict
from hoodoo.txn.lock import start_heartbeat, table_lock
from hoodoo.txn.markers import close_markers, delete_markers, drop_markers, list_markers, open_markers
from hoodoo.txn.rollback import rollback
from hoodoo.txn.schemas import REQUESTED_REPLACE

__all__ = ["WRITER_KEY", "Transaction", "begin"]

WRITER_KEY = "hoodoo.writer.token"
"""The entry of a commit's extra metadata that says which writer it is from."""

_log = logging.getLogger(__name__)
_ATTEMPTS = 5


def begin(
    storage: Storage,
    timeline: Timeline,
    action: str = "commit",
    operation: str = "UPSERT",
    clock: Callable[[], datetime] = utc_now,
) -> Transaction:
    """Put a new instant on the timeline, requested and inflight, and open its markers.

    Failed writes of others stay as they are; call `rollback_pending` before the timeline is loaded.

    Args:
        storage: The table's files.
        timeline: What the write was planned by: commits that are not on it count as concurrent.
        action: `commit` or `replacecommit`.
        operation: Hudi's word for the operation, in capitals.
        clock: Gives the time, with a zone.

    Raises:
        CommitError: Another writer holds the table's lock for too long, or keeps taking the instants.
        StorageError: What was written so far is rolled back by the next write.
    """
    if action not in ("commit", "replacecommit"):
        raise ValueError(f"a transaction is a commit or a replacecommit, not {action!r}")
    token = uuid.uuid4().hex
    with table_lock(storage):
        current = Timeline.load(storage, timeline.layout)
        time = next_instant_time(current, clock())
        for _ in range(_ATTEMPTS):
            heartbeat = start_heartbeat(storage, time)
            if heartbeat is not None:
                transaction = Transaction(storage, timeline, Instant(time, action), token, clock, heartbeat)
                try:
                    transaction._announce(operation)
                    return transaction
                except AlreadyExists:
                    # a writer that does not share our lock took this millisecond, or a response got lost
                    heartbeat.release()
                except BaseException:
                    heartbeat.release(delete=True)
                    raise
            time = following_instant(time)
    raise CommitError(f"other writers took {_ATTEMPTS} instants up to {time}; try again")


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
    instant: Instant
    token: str
    _clock: Callable[[], datetime]
    _heartbeat: Lock
    _open: bool = field(default=True, init=False)

    @property
    def time(self) -> str:
        """The instant's time: the name under which tasks write."""
        return self.instant.time

    def __enter__(self) -> Transaction:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not self._open:
            return
        if error is None:
            self.rollback()
            return
        try:
            self.rollback()
        except HoodooError as failure:
            error.add_note(f"rolling back {self.time} failed as well, the next write will do it: {failure}")

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

    def commit(self, metadata: CommitMetadata, *, bucketed: bool = False) -> Instant:
        """Reconcile, check for conflicts, and complete the instant.

        Args:
            metadata: What was written.
            bucketed: The table has a bucket index: two new file groups of one bucket are a conflict.

        Returns:
            The completed instant.

        Raises:
            CommitConflict: Another writer changed one of the file groups; this write is rolled back.
            CommitError: This write was rolled back by somebody else.
            CommitStateUnknown: The store does not say whether the instant is completed; nothing is deleted.
            StorageError: The store failed before the instant was completed; the transaction can be rolled back.
        """
        if not self._open:
            raise CommitError(f"{self.instant.action} {self.time} is finished already")
        marked = evolve(metadata, extra_metadata={**metadata.extra_metadata, WRITER_KEY: self.token})
        self.reconcile(metadata.stats())
        try:
            with table_lock(self.storage):
                self._complete(marked, bucketed)
        except CommitConflict as conflict:
            try:
                self.rollback()
            except HoodooError as failure:
                conflict.add_note(f"rolling back {self.time} failed as well, the next write will do it: {failure}")
            raise
        except CommitStateUnknown:
            self._open = False
            self._heartbeat.release()
            raise
        self._open = False
        self._tidy()
        return self.instant

    def rollback(self) -> None:
        """Delete what was written and take the instant off the timeline.

        Raises:
            CommitError: The instant is completed after all; nothing is deleted.
        """
        self._open = False
        try:
            rollback(self.storage, self.time, layout=self.timeline.layout, clock=self._clock)
        finally:
            self._heartbeat.release()

    def _announce(self, operation: str) -> None:
        requested = encode(REQUESTED_REPLACE, {}) if self.instant.action == "replacecommit" else b""
        inflight = CommitMetadata(operation, extra_metadata={WRITER_KEY: self.token})
        self.storage.create(self._path(State.REQUESTED), requested)
        self.storage.create(self._path(State.INFLIGHT), inflight.to_json())
        open_markers(self.storage, self.time, self.token)

    def _complete(self, metadata: CommitMetadata, bucketed: bool) -> None:
        current = Timeline.load(self.storage, self.timeline.layout)
        if self.instant.at(State.INFLIGHT) not in current.pending:
            raise CommitError(f"{self.instant.action} {self.time} is no longer inflight: it was rolled back")
        seen = frozenset(self.timeline.commits)
        conflict = find_conflict(current, seen, metadata.touched(), bucketed=bucketed)
        if conflict is not None:
            raise CommitConflict(
                f"{conflict.instant.action} {conflict.instant.time} changed file group '{conflict.file_id}' "
                f"in partition '{conflict.partition}' while this write did; it is rolled back, "
                "run it again on the new state"
            )
        self._publish(metadata.to_json())

    def _publish(self, body: bytes) -> None:
        path = self._path(State.COMPLETED)
        try:
            self.storage.create(path, body)
        except StorageError as failure:
            # an answer that got lost looks like a failure, and like a name taken where the store tried twice
            try:
                stored = self.storage.read(path)
            except Missing:
                raise failure from None
            except StorageError as unreadable:
                raise CommitStateUnknown(
                    f"whether '{path}' was created is unknown ({failure}; {unreadable}); "
                    "look at the timeline before trying again"
                ) from failure
            if stored != body:
                raise CommitStateUnknown(
                    f"'{path}' holds the commit of another writer; the data files of this one were left in place"
                ) from failure

    def _tidy(self) -> None:
        try:
            drop_markers(self.storage, self.time)
            self._heartbeat.release(delete=True)
        except (StorageError, OSError) as error:
            # the commit stands, and leftovers of a completed instant mislead nobody
            _log.warning("commit %s stands, but its markers could not be removed: %s", self.time, error)
        finally:
            self._heartbeat.release()

    def _path(self, state: State) -> str:
        return self.timeline.path_of(self.instant.at(state))
