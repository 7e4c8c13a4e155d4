"""The plan of a rollback, in the form that the timeline stores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from attrs import field, frozen

from hoodoo.errors import CorruptTableError, StorageError
from hoodoo.format.file_names import LogFileName
from hoodoo.storage import check_relative, join, name_of, parent_of
from hoodoo.timeline import Instant
from hoodoo.txn.rollback.orphaned_files import is_own_file

__all__ = ["RollbackPlan"]


@frozen
class RollbackPlan:
    """Plan of a rollback: the failed instant and its files. Paths are relative to the table.

    Attributes:
        time: The time of the failed instant.
        action: Its action, as in the names of its pending files.
        files: The data files to delete.
        logs: The log files with blocks to roll back, with their size in bytes; 0 or less if it is unknown.
    """

    time: str
    action: str
    files: tuple[str, ...] = ()
    logs: Mapping[str, int] = field(factory=dict)

    @property
    def failed(self) -> Instant:
        """Return the failed instant; its state has no meaning."""
        return Instant(self.time, self.action)

    def check(self, rollback_time: str) -> None:
        """Raise `CorruptTableError` unless each file is in the table and can belong to the failed instant.

        `rollback_time` is the instant time of the rollback, for the message.
        """
        which = f"rollback {rollback_time} of {self.time}"
        advice = (
            f"nothing was deleted; correct or remove the plan of the rollback, '{rollback_time}.rollback.requested'"
        )
        for path in (*self.files, *self.logs):
            try:
                check_relative(path)
            except StorageError as error:
                raise CorruptTableError(
                    f"{which} has a corrupt plan: {error}; {advice}",
                    file=path,
                ) from error
        for path in self.files:
            # the blocks of a log that is named by its slice are read before it is deleted
            if not is_own_file(path, self.failed) and not self.is_shared(path):
                raise CorruptTableError(
                    f"{which} would delete '{path}', which that instant did not write; {advice}",
                    file=path,
                )
        for path in self.logs:
            if not self.is_shared(path):
                raise CorruptTableError(
                    f"{which} names blocks of '{path}', which is not a log file of a delta commit; {advice}",
                    file=path,
                )

    def is_shared(self, path: str) -> bool:
        """Return whether a file is a log of a delta commit, to which other instants may have written in layout 1."""
        return self.action == "deltacommit" and LogFileName.parse(name_of(path)) is not None

    def to_record(self, uri: str) -> dict[str, Any]:
        """Return the record of `<instant>.rollback.requested`; Hudi stores files as absolute URIs."""
        deletes = [_request(parent_of(path), files=[f"{uri}/{path}"]) for path in self.files]
        blocks = []
        for path, size in self.logs.items():
            name = _log_name(path)
            blocks.append(_request(parent_of(path), name.file_id, name.instant, logs={f"{uri}/{path}": size}))
        return {
            "instantToRollback": {"commitTime": self.time, "action": self.action},
            "RollbackRequests": deletes + blocks,
            "version": 1,
        }

    @classmethod
    def from_record(cls, record: Mapping[str, Any], file: str) -> RollbackPlan:
        """Return the plan in a record of any writer; raise `CorruptTableError` if it does not name an instant."""
        instant = record.get("instantToRollback")
        if not isinstance(instant, dict) or not instant.get("commitTime") or not instant.get("action"):
            raise CorruptTableError(f"'{file}' does not name the instant to roll back; restore the file", file=file)
        files: list[str] = []
        logs: dict[str, int] = {}
        for request in record.get("RollbackRequests") or ():
            # only the file name is used, because the table may have been moved after the plan was written
            partition = request["partitionPath"]
            files += [join(partition, name_of(uri)) for uri in request.get("filesToBeDeleted") or ()]
            blocks = request.get("logBlocksToBeDeleted") or {}
            logs |= {join(partition, name_of(uri)): size for uri, size in blocks.items()}
        return cls(instant["commitTime"], instant["action"], tuple(files), logs)

    def slices(self) -> Iterator[tuple[tuple[str, str, str], int]]:
        """Yield each slice with blocks to roll back, and the version of its last log in the plan.

        A slice is a tuple of partition, file id and instant.
        """
        last: dict[tuple[str, str, str], int] = {}
        for path in self.logs:
            name = _log_name(path)
            slice_ = (parent_of(path), name.file_id, name.instant)
            last[slice_] = max(last.get(slice_, 0), name.version)
        yield from sorted(last.items())

    def to_metadata(
        self, uri: str, rollback_time: str, milliseconds: int, commands: Mapping[str, int]
    ) -> dict[str, Any]:
        """Return the record of the completed `<instant>.rollback`.

        Args:
            uri: The URI of the table.
            rollback_time: The instant time of the rollback.
            milliseconds: The duration of the rollback.
            commands: The log files with command blocks that the rollback wrote, with their size in bytes.
        """
        partitions: dict[str, dict[str, Any]] = {}

        def of(path: str) -> dict[str, Any]:
            partition = parent_of(path)
            return partitions.setdefault(
                partition,
                {
                    "partitionPath": partition,
                    "successDeleteFiles": [],
                    "failedDeleteFiles": [],
                    "rollbackLogFiles": {},
                    "logFilesFromFailedCommit": {},
                },
            )

        for path in self.files:
            of(path)["successDeleteFiles"].append(f"{uri}/{path}")
        for path, size in self.logs.items():
            of(path)["logFilesFromFailedCommit"][f"{uri}/{path}"] = size
        for path, size in commands.items():
            of(path)["rollbackLogFiles"][f"{uri}/{path}"] = size
        return {
            "startRollbackTime": rollback_time,
            "timeTakenInMillis": milliseconds,
            "totalFilesDeleted": len(self.files),
            "commitsRollback": [self.time],
            "partitionMetadata": partitions,
            "version": 1,
            "instantsRollback": [{"commitTime": self.time, "action": self.action}],
        }


def _request(
    partition: str,
    file_id: str = "",
    base_instant: str = "",
    files: list[str] | None = None,
    logs: dict[str, int] | None = None,
) -> dict[str, Any]:
    return {
        "partitionPath": partition,
        "fileId": file_id,
        "latestBaseInstant": base_instant,
        "filesToBeDeleted": files or [],
        "logBlocksToBeDeleted": logs or {},
    }


def _log_name(path: str) -> LogFileName:
    name = LogFileName.parse(name_of(path))
    if name is None:
        raise CorruptTableError(
            f"'{path}' is not a log file, and a rollback names blocks of it; check the plan of the rollback", file=path
        )
    return name
