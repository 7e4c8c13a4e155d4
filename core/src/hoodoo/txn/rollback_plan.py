"""What a rollback deletes, as the timeline stores it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import frozen

from hoodoo.errors import CorruptTableError, StorageError, UnsupportedTable
from hoodoo.format.names import BaseFileName
from hoodoo.storage import check_relative, join, name_of, parent_of

__all__ = ["RollbackPlan"]


@frozen
class RollbackPlan:
    """The failed instant (time and action), and the table-relative paths of the data files that go."""

    time: str
    action: str
    files: tuple[str, ...]

    def check(self) -> None:
        """Raise `CorruptTableError` unless every file lies in the table and was written by the failed instant."""
        for path in self.files:
            try:
                check_relative(path)
            except StorageError as error:
                raise CorruptTableError(f"the rollback of {self.time} names {error}", file=path) from error
            name = BaseFileName.parse(name_of(path))
            if name is None or name.instant != self.time:
                raise CorruptTableError(
                    f"the rollback of {self.time} would delete '{path}', which that instant did not write", file=path
                )

    def to_record(self, uri: str) -> dict[str, Any]:
        """The record of `<instant>.rollback.requested`; Hudi stores files as absolute URIs."""
        return {
            "instantToRollback": {"commitTime": self.time, "action": self.action},
            "RollbackRequests": [
                {
                    "partitionPath": parent_of(path),
                    "fileId": None,
                    "latestBaseInstant": None,
                    "filesToBeDeleted": [f"{uri}/{path}"],
                    "logBlocksToBeDeleted": None,
                }
                for path in self.files
            ],
            "version": 1,
        }

    @classmethod
    def from_record(cls, record: Mapping[str, Any], file: str) -> RollbackPlan:
        """Read a plan, ours or another writer's.

        Raises:
            CorruptTableError: It names no instant.
            UnsupportedTable: It is about blocks in log files.
        """
        instant = record.get("instantToRollback")
        if not isinstance(instant, dict) or not instant.get("commitTime") or not instant.get("action"):
            raise CorruptTableError(f"'{file}' names no instant to roll back", file=file)
        if instant["action"] == "deltacommit":
            raise UnsupportedTable(
                f"'{file}' rolls back a delta commit, which is not supported; finish it with the writer that began it",
                code="rollback",
            )
        files = []
        for request in record.get("RollbackRequests") or ():
            if request.get("logBlocksToBeDeleted"):
                raise UnsupportedTable(
                    f"'{file}' rolls back blocks of log files, which is not supported; "
                    "finish it with the writer that began it",
                    code="rollback",
                )
            # the file's own folder is what counts: the table may have been moved since
            files += [join(request["partitionPath"], name_of(uri)) for uri in request.get("filesToBeDeleted") or ()]
        return cls(instant["commitTime"], instant["action"], tuple(files))

    def to_metadata(self, uri: str, rollback_time: str, milliseconds: int) -> dict[str, Any]:
        """The record of the completed `<instant>.rollback`."""
        partitions: dict[str, list[str]] = {}
        for path in self.files:
            partitions.setdefault(parent_of(path), []).append(f"{uri}/{path}")
        return {
            "startRollbackTime": rollback_time,
            "timeTakenInMillis": milliseconds,
            "totalFilesDeleted": len(self.files),
            "commitsRollback": [self.time],
            "partitionMetadata": {
                partition: {
                    "partitionPath": partition,
                    "successDeleteFiles": files,
                    "failedDeleteFiles": [],
                    "rollbackLogFiles": None,
                    "logFilesFromFailedCommit": None,
                }
                for partition, files in partitions.items()
            },
            "version": 1,
            "instantsRollback": [{"commitTime": self.time, "action": self.action}],
        }
