"""Plan of a clean, as stored on the timeline."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import frozen

from hoodoo.errors import CorruptTableError, StorageError
from hoodoo.format.file_names import BaseFileName, LogFileName, hfile_name
from hoodoo.storage import check_relative, join, name_of, parent_of
from hoodoo.timeline import Instant
from hoodoo.timeline.codec.avro_file import read_record, write_record
from hoodoo.timeline.codec.json_document import JsonObject
from hoodoo.timeline.codec.service_schemas import CLEAN_METADATA, CLEANER_PLAN

__all__ = ["CleanPlan"]

_VERSION = 2


@frozen
class CleanPlan:
    """Plan of a clean: the files to delete, and the policy that chose them.

    Attributes:
        policy: Hudi's name of the cleaning policy.
        earliest: Time and action of the earliest commit to retain; None if a number of file versions is retained.
        last_commit: Time of the last commit when the plan was made.
        paths: Table-relative paths of the base files and log files to delete.
    """

    policy: str
    earliest: tuple[str, str] | None
    last_commit: str
    paths: tuple[str, ...]

    def to_avro(self, uri: str) -> bytes:
        """Return the content of the requested file, with the paths as URIs below `uri`, the table's location."""
        earliest = None
        if self.earliest is not None:
            time, action = self.earliest
            earliest = {"timestamp": time, "action": action, "state": "COMPLETED"}
        return write_record(
            CLEANER_PLAN,
            {
                "earliestInstantToRetain": earliest,
                "lastCompletedCommitTimestamp": self.last_commit,
                "policy": self.policy,
                "filesToBeDeletedPerPartition": {},
                "version": _VERSION,
                "filePathsToBeDeletedPerPartition": {
                    partition: [{"filePath": f"{uri}/{path}", "isBootstrapBaseFile": False} for path in paths]
                    for partition, paths in self._by_partition().items()
                },
                "partitionsToBeDeleted": [],
                "extraMetadata": {},
            },
        )

    def to_metadata(self, clean: Instant, milliseconds: int) -> bytes:
        """Return the content of the completed file of a clean that deleted all files and took `milliseconds`."""
        partitions: dict[str, dict[str, Any]] = {}
        for partition, paths in self._by_partition().items():
            names = [name_of(path) for path in paths]
            partitions[partition] = {
                "partitionPath": partition,
                "policy": self.policy,
                "deletePathPatterns": names,
                "successDeleteFiles": names,
                "failedDeleteFiles": [],
                "isPartitionDeleted": False,
            }
        return write_record(
            CLEAN_METADATA,
            {
                "startCleanTime": clean.time,
                "timeTakenInMillis": milliseconds,
                "totalFilesDeleted": len(self.paths),
                "earliestCommitToRetain": self.earliest[0] if self.earliest else "",
                "lastCompletedCommitTimestamp": self.last_commit,
                "partitionMetadata": partitions,
                "version": _VERSION,
                "bootstrapPartitionMetadata": {},
                "extraMetadata": {},
            },
        )

    @classmethod
    def from_avro(cls, body: bytes, file: str) -> CleanPlan:
        """Read a plan of hoodoo or another writer.

        Raises:
            CorruptTableError: The content is not a clean plan, or lists a path that is not a data file of the table.
            UnsupportedTable: The codec of the file is not supported.
        """
        shape = JsonObject(read_record(body, file), file)
        paths = []
        files = shape.object("filePathsToBeDeletedPerPartition")
        for partition in files.names():
            paths += [_check_path(partition, info.text("filePath") or "", file) for info in files.objects(partition)]
        names = shape.object("filesToBeDeletedPerPartition")
        for partition in names.names():
            paths += [_check_path(partition, name, file) for name in names.texts(partition)]
        earliest = None
        if shape.has("earliestInstantToRetain"):
            instant = shape.object("earliestInstantToRetain")
            earliest = instant.text("timestamp") or "", instant.text("action") or ""
        return cls(shape.text("policy") or "", earliest, shape.text("lastCompletedCommitTimestamp") or "", tuple(paths))

    def _by_partition(self) -> Mapping[str, list[str]]:
        partitions: dict[str, list[str]] = {}
        for path in self.paths:
            partitions.setdefault(parent_of(path), []).append(path)
        return partitions


def _check_path(partition: str, uri: str, file: str) -> str:
    # the table may have been moved since: use only the partition and the name
    name = name_of(uri)
    try:
        path = check_relative(join(partition, name))
    except StorageError as error:
        text = f"'{file}' lists a file to delete outside the table: {error}; restore the plan"
        raise CorruptTableError(text, file=file) from error
    if not (BaseFileName.parse(name) or LogFileName.parse(name) or hfile_name(name)):
        text = f"'{file}' lists '{path}' to delete, which is not a data file; restore the plan"
        raise CorruptTableError(text, file=file)
    return path
