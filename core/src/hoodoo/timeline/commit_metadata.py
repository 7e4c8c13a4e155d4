"""What a commit wrote, as the JSON of timeline layout 1 says it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from attrs import field, frozen

from hoodoo.errors import CorruptTableError, StorageError
from hoodoo.storage import check_relative, name_of
from hoodoo.timeline.json_shape import JsonShape

__all__ = ["CommitMetadata", "WriteStat"]

NO_PREVIOUS_COMMIT = "null"


@frozen
class WriteStat:
    """One file that a commit wrote. Sizes are bytes, times milliseconds; `path` is relative to the table.

    `prev_commit` is the base instant that the file replaces, the text "null" for a new file group.
    `extra` holds keys that are not known here (those of log files, for one), as they were read.
    """

    file_id: str
    path: str | None
    partition_path: str | None
    prev_commit: str = NO_PREVIOUS_COMMIT
    num_writes: int = 0
    num_deletes: int = 0
    num_update_writes: int = 0
    num_inserts: int = 0
    total_write_bytes: int = 0
    total_write_errors: int = 0
    file_size_in_bytes: int = 0
    min_event_time: int | None = None
    max_event_time: int | None = None
    total_upsert_time: int = 0
    total_create_time: int = 0
    total_scan_time: int = 0
    extra: Mapping[str, Any] = field(factory=dict)

    def to_json(self) -> dict[str, Any]:
        """The object that Hudi writes, all keys in its order."""
        return {
            "fileId": self.file_id,
            "path": self.path,
            "cdcStats": None,
            "prevCommit": self.prev_commit,
            "numWrites": self.num_writes,
            "numDeletes": self.num_deletes,
            "numUpdateWrites": self.num_update_writes,
            "numInserts": self.num_inserts,
            "totalWriteBytes": self.total_write_bytes,
            "totalWriteErrors": self.total_write_errors,
            "tempPath": None,
            "partitionPath": self.partition_path,
            "totalLogRecords": 0,
            "totalLogFilesCompacted": 0,
            "totalLogSizeCompacted": 0,
            "totalUpdatedRecordsCompacted": 0,
            "totalLogBlocks": 0,
            "totalCorruptLogBlock": 0,
            "totalRollbackBlocks": 0,
            "fileSizeInBytes": self.file_size_in_bytes,
            "minEventTime": self.min_event_time,
            "maxEventTime": self.max_event_time,
            "runtimeStats": {
                "totalScanTime": self.total_scan_time,
                "totalUpsertTime": self.total_upsert_time,
                "totalCreateTime": self.total_create_time,
            },
            **self.extra,
        }

    @classmethod
    def from_json(cls, shape: JsonShape) -> WriteStat:
        """Read one object of `partitionToWriteStats`; keys that are missing or null get the defaults."""
        runtime = shape.object("runtimeStats")
        return cls(
            file_id=shape.text("fileId") or "",
            path=shape.text("path"),
            partition_path=shape.text("partitionPath"),
            prev_commit=shape.text("prevCommit") or NO_PREVIOUS_COMMIT,
            num_writes=shape.integer("numWrites") or 0,
            num_deletes=shape.integer("numDeletes") or 0,
            num_update_writes=shape.integer("numUpdateWrites") or 0,
            num_inserts=shape.integer("numInserts") or 0,
            total_write_bytes=shape.integer("totalWriteBytes") or 0,
            total_write_errors=shape.integer("totalWriteErrors") or 0,
            file_size_in_bytes=shape.integer("fileSizeInBytes") or 0,
            min_event_time=shape.integer("minEventTime"),
            max_event_time=shape.integer("maxEventTime"),
            total_scan_time=runtime.integer("totalScanTime") or 0,
            total_upsert_time=runtime.integer("totalUpsertTime") or 0,
            total_create_time=runtime.integer("totalCreateTime") or 0,
            extra=_extra(shape),
        )


_DEFAULTS = WriteStat("", None, None).to_json()
_FIELD_KEYS = frozenset(_DEFAULTS) - {
    # zero or null for base files; `extra` keeps what a log or a compaction filled in
    "cdcStats",
    "tempPath",
    "totalLogRecords",
    "totalLogFilesCompacted",
    "totalLogSizeCompacted",
    "totalUpdatedRecordsCompacted",
    "totalLogBlocks",
    "totalCorruptLogBlock",
    "totalRollbackBlocks",
}


def _extra(shape: JsonShape) -> dict[str, Any]:
    rest = shape.rest(_FIELD_KEYS)
    return {key: value for key, value in rest.items() if key not in _DEFAULTS or value != _DEFAULTS[key]}


@frozen
class CommitMetadata:
    """What one commit, delta commit or replace commit did.

    Attributes:
        operation_type: Hudi's word for the operation: UPSERT, INSERT, BULK_INSERT, DELETE, INSERT_OVERWRITE, ...
        write_stats: Files written, by partition path ("" in a table without partitions).
        extra_metadata: Texts by name; `schema` is the Avro schema of the data, without meta fields.
        replaced: File ids that a replace commit hides, by partition path; None for other actions.
        compacted: Whether this was a compaction.
    """

    operation_type: str
    write_stats: Mapping[str, tuple[WriteStat, ...]] = field(factory=dict)
    extra_metadata: Mapping[str, str] = field(factory=dict)
    replaced: Mapping[str, tuple[str, ...]] | None = None
    compacted: bool = False

    @property
    def schema(self) -> str | None:
        """The Avro schema of the data, or None where the commit does not carry one."""
        return self.extra_metadata.get("schema") or None

    def stats(self) -> Iterator[WriteStat]:
        """All files written, partition after partition."""
        for stats in self.write_stats.values():
            yield from stats

    def touched(self) -> frozenset[tuple[str, str]]:
        """(partition path, file id) of every file group that was written or replaced."""
        groups = {(partition, stat.file_id) for partition, stats in self.write_stats.items() for stat in stats}
        for partition, file_ids in (self.replaced or {}).items():
            groups.update((partition, file_id) for file_id in file_ids)
        return frozenset(groups)

    def to_json(self) -> bytes:
        """The content of the instant's file in layout 1."""
        document: dict[str, Any] = {
            "partitionToWriteStats": {p: [stat.to_json() for stat in stats] for p, stats in self.write_stats.items()},
            "compacted": self.compacted,
            "extraMetadata": dict(self.extra_metadata),
            "operationType": self.operation_type,
        }
        if self.replaced is not None:
            document["partitionToReplaceFileIds"] = {p: list(file_ids) for p, file_ids in self.replaced.items()}
        return json.dumps(document, indent=2, separators=(",", " : "), ensure_ascii=False).encode()

    @classmethod
    def from_json(cls, body: bytes, file: str) -> CommitMetadata:
        """Read a completed instant's file; unknown keys are fine.

        Raises:
            CorruptTableError: It is no such JSON, or names a path outside the table; `file` is the path that is named.
        """
        try:
            document = json.loads(body)
        except (ValueError, RecursionError) as error:
            offset = error.pos if isinstance(error, json.JSONDecodeError) else None
            raise CorruptTableError(
                f"'{file}' is no commit metadata in JSON: {error}", file=file, offset=offset
            ) from error
        shape = JsonShape(document, file)
        stats = {
            partition: tuple(
                WriteStat.from_json(stat) for stat in shape.object("partitionToWriteStats").objects(partition)
            )
            for partition in shape.object("partitionToWriteStats").names()
        }
        replaced = None
        if shape.has("partitionToReplaceFileIds"):
            ids = shape.object("partitionToReplaceFileIds")
            replaced = {partition: ids.texts(partition) for partition in ids.names()}
        extra = shape.object("extraMetadata")
        metadata = cls(
            operation_type=shape.text("operationType") or "UNKNOWN",
            write_stats=stats,
            extra_metadata={name: text for name in extra.names() if (text := extra.text(name)) is not None},
            replaced=replaced,
            compacted=shape.boolean("compacted"),
        )
        metadata._check_paths(file)
        return metadata

    def _check_paths(self, file: str) -> None:
        """Refuse a file that would make us open or delete something outside the table."""
        try:
            for partition in (*self.write_stats, *(self.replaced or {})):
                check_relative(partition, "partition path")
            for stat in self.stats():
                check_relative(stat.path or "")
                check_relative(stat.partition_path or "", "partition path")
            for _, file_id in self.touched():
                if name_of(file_id) != file_id or "\0" in file_id:
                    raise StorageError(f"file id {file_id!r} is refused: it holds a '/' or NUL")
        except StorageError as error:
            raise CorruptTableError(f"'{file}': {error}", file=file) from error
