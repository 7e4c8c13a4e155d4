"""What a clean deletes, as the timeline stores it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import frozen

from hoodoo.errors import CorruptTableError, StorageError
from hoodoo.format.file_names import BaseFileName, LogFileName
from hoodoo.storage import check_relative, join, name_of, parent_of
from hoodoo.timeline import Instant
from hoodoo.timeline.codec.avro_file import read_record, write_record
from hoodoo.timeline.codec.json_document import JsonShape
from hoodoo.timeline.codec.service_schemas import CLEAN_METADATA, CLEANER_PLAN

__all__ = ["CleanPlan"]

_VERSION = 2


@frozen
class CleanPlan:
    """The files that go, and the reason. Paths are relative to the table.

    Attributes:
        policy: The cleaner's policy, by Hudi's name.
        earliest: Time and action of the earliest commit that is retained; None where file versions are kept.
        last_commit: The time of the last commit that the plan knew.
        paths: Base files and logs.
    """

    policy: str
    earliest: tuple[str, str] | None
    last_commit: str
    paths: tuple[str, ...]

    def to_avro(self, uri: str) -> bytes:
        """The content of the requested file; Hudi stores files as absolute URIs."""
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
        """The content of the completed file, once all files are gone."""
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
        """Read a plan, ours or another writer's.

        Raises:
            CorruptTableError: It is no such file, or names what is no data file of the table.
        """
        shape = JsonShape(read_record(body, file), file)
        paths = []
        files = shape.object("filePathsToBeDeletedPerPartition")
        for partition in files.names():
            paths += [_checked(partition, info.text("filePath") or "", file) for info in files.objects(partition)]
        names = shape.object("filesToBeDeletedPerPartition")
        for partition in names.names():
            paths += [_checked(partition, name, file) for name in names.texts(partition)]
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


def _checked(partition: str, uri: str, file: str) -> str:
    # the table may have been moved since: the partition and the name count
    name = name_of(uri)
    try:
        path = check_relative(join(partition, name))
    except StorageError as error:
        raise CorruptTableError(f"'{file}' would delete {error}", file=file) from error
    if BaseFileName.parse(name) is None and LogFileName.parse(name) is None:
        raise CorruptTableError(f"'{file}' would delete '{path}', which is no data file", file=file)
    return path
