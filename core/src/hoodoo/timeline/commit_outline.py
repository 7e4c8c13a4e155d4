"""Short form of commit metadata for readers and planners, decoded ten times faster than complete metadata."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import msgspec
from attrs import field, frozen

from hoodoo.timeline.codec.avro_file import MAGIC, read_record
from hoodoo.timeline.commit_metadata import CommitMetadata
from hoodoo.timeline.commit_paths import check_paths, touched
from hoodoo.timeline.write_stat import WriteStat

__all__ = ["CommitOutline", "WrittenFile"]

_KEYS = {
    "file_id": "fileId",
    "partition_path": "partitionPath",
    "size": "fileSizeInBytes",
    "rows": "numWrites",
    "bytes_written": "totalWriteBytes",
    "log_offset": "logOffset",
}


class WrittenFile(msgspec.Struct, frozen=True, gc=False, rename=_KEYS):
    """File that a commit wrote.

    Attributes:
        file_id: The id of the file group.
        path: Table-relative path; None or "" if a write of the group produced no file.
        partition_path: Partition path of the file, as recorded in the commit; None if it is not recorded.
        size: Size in bytes; for an appended log file, at the end of the commit.
        rows: Number of records that the commit wrote to the file.
        bytes_written: Number of bytes that the commit wrote to the file; less than `size` if it appended to a log file.
        log_offset: Offset in bytes of the commit's first block in an appended log file; None if it is not recorded.
    """

    file_id: str = ""
    path: str | None = None
    partition_path: str | None = None
    size: int = 0
    rows: int = 0
    bytes_written: int = 0
    log_offset: int | None = None


class _Document(
    msgspec.Struct,
    rename={
        "files": "partitionToWriteStats",
        "replaced": "partitionToReplaceFileIds",
        "extra": "extraMetadata",
        "operation": "operationType",
    },
):
    """Part of a commit's file that an outline needs."""

    files: dict[str, tuple[WrittenFile, ...]]
    extra: dict[str, str | None]
    operation: str | None = None
    replaced: dict[str, tuple[str, ...]] | None = None


@frozen
class CommitOutline:
    """Short form of the metadata of a commit.

    Attributes:
        operation_type: As in `CommitMetadata`.
        files: Files written, by partition path.
        extra_metadata: As in `CommitMetadata`.
        replaced: As in `CommitMetadata`.
    """

    operation_type: str
    files: Mapping[str, tuple[WrittenFile, ...]] = field(factory=dict)
    extra_metadata: Mapping[str, str] = field(factory=dict)
    replaced: Mapping[str, tuple[str, ...]] | None = None

    @property
    def schema(self) -> str | None:
        """Return the Avro schema of the data, or None if the commit does not have one."""
        return self.extra_metadata.get("schema") or None

    def written(self) -> Iterator[WrittenFile]:
        """Yield all files written, partition by partition."""
        for files in self.files.values():
            yield from files

    def touched(self) -> frozenset[tuple[str, str]]:
        """Return (partition path, file id) of each file group that was written or replaced."""
        return touched(self.files, self.replaced)

    @classmethod
    def of(cls, metadata: CommitMetadata) -> CommitOutline:
        """Return the short form of complete metadata."""
        files = {partition: tuple(map(_file, stats)) for partition, stats in metadata.write_stats.items()}
        return cls(metadata.operation_type, files, metadata.extra_metadata, metadata.replaced)

    @classmethod
    def read(cls, body: bytes, file: str) -> CommitOutline:
        """Read the file of a completed instant, in JSON or Avro.

        Args:
            body: The content of the file.
            file: Table-relative path of the file, for errors.

        Raises:
            CorruptTableError: As in `CommitMetadata.read`.
            UnsupportedTable: The codec of an Avro file is not supported.
        """
        if not body.startswith(MAGIC):
            return cls.from_json(body, file)
        record = read_record(body, file)
        document = _decode_document(msgspec.convert, record)
        return cls._from(document, file) if document else cls.of(CommitMetadata.from_record(record, file))

    @classmethod
    def from_json(cls, body: bytes, file: str) -> CommitOutline:
        """Read the file of a completed instant of layout 1; see `read`, and `CommitMetadata.from_json` for errors."""
        document = _decode_document(msgspec.json.decode, body)
        return cls._from(document, file) if document else cls.of(CommitMetadata.from_json(body, file))

    @classmethod
    def _from(cls, document: _Document, file: str) -> CommitOutline:
        check_paths(document.files, document.replaced, file)
        return cls(
            document.operation or "UNKNOWN",
            document.files,
            {name: text for name, text in document.extra.items() if text is not None},
            document.replaced,
        )


def _decode_document(decode: Callable[..., _Document], source: Any) -> _Document | None:
    """Return the decoded document; None if it has nulls, lacks keys or is corrupt: `CommitMetadata` then reads it."""
    try:
        document = decode(source, type=_Document)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None
    return document if "schema" in document.extra else None


def _file(stat: WriteStat) -> WrittenFile:
    offset = stat.extra.get("logOffset")
    return WrittenFile(
        stat.file_id,
        stat.path,
        stat.partition_path,
        stat.file_size_in_bytes,
        stat.num_writes,
        stat.total_write_bytes,
        offset if isinstance(offset, int) else None,
    )
