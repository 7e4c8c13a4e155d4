"""What readers and planners need of a commit: the stats of many files are understood in a tenth of the time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import msgspec
from attrs import field, frozen

from hoodoo.timeline.codec.avro_file import MAGIC, read_record
from hoodoo.timeline.commit_metadata import CommitMetadata
from hoodoo.timeline.commit_paths import check_paths, touched
from hoodoo.timeline.write_stat import WriteStat

__all__ = ["CommitSummary", "WrittenFile"]

_KEYS = {
    "file_id": "fileId",
    "partition_path": "partitionPath",
    "size": "fileSizeInBytes",
    "rows": "numWrites",
    "bytes_written": "totalWriteBytes",
    "log_offset": "logOffset",
}


class WrittenFile(msgspec.Struct, frozen=True, gc=False, rename=_KEYS):
    """A file that a commit wrote.

    Attributes:
        file_id: Its file group.
        path: Table-relative path; None or "" where a write of the group came to nothing.
        partition_path: The partition that the file itself is said to lie in.
        size: Its bytes; of a log that is appended to, those at the end of the commit.
        rows: Records written.
        bytes_written: Bytes written.
        log_offset: Where in an appended log the commit begins.
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
    """The part of a commit's file that a summary is made of."""

    files: dict[str, tuple[WrittenFile, ...]]
    extra: dict[str, str | None]
    operation: str | None = None
    replaced: dict[str, tuple[str, ...]] | None = None


@frozen
class CommitSummary:
    """A commit in short.

    Attributes:
        operation_type: As of `CommitMetadata`.
        files: Files written, by partition path.
        extra_metadata: As of `CommitMetadata`.
        replaced: As of `CommitMetadata`.
    """

    operation_type: str
    files: Mapping[str, tuple[WrittenFile, ...]] = field(factory=dict)
    extra_metadata: Mapping[str, str] = field(factory=dict)
    replaced: Mapping[str, tuple[str, ...]] | None = None

    @property
    def schema(self) -> str | None:
        """The Avro schema of the data, or None where the commit does not carry one."""
        return self.extra_metadata.get("schema") or None

    def written(self) -> Iterator[WrittenFile]:
        """All files written, partition after partition."""
        for files in self.files.values():
            yield from files

    def touched(self) -> frozenset[tuple[str, str]]:
        """(partition path, file id) of every file group that was written or replaced."""
        return touched(self.files, self.replaced)

    @classmethod
    def of(cls, metadata: CommitMetadata) -> CommitSummary:
        """The summary of a commit that is known as a whole."""
        files = {partition: tuple(map(_file, stats)) for partition, stats in metadata.write_stats.items()}
        return cls(metadata.operation_type, files, metadata.extra_metadata, metadata.replaced)

    @classmethod
    def read(cls, body: bytes, file: str) -> CommitSummary:
        """Read a completed instant's file in whichever of the two forms it is.

        Args:
            body: Its content.
            file: Its table-relative path.

        Raises:
            CorruptTableError, UnsupportedTable: as `CommitMetadata.read`.
        """
        if not body.startswith(MAGIC):
            return cls.from_json(body, file)
        record = read_record(body, file)
        document = _understood(msgspec.convert, record)
        return cls._from(document, file) if document else cls.of(CommitMetadata.from_record(record, file))

    @classmethod
    def from_json(cls, body: bytes, file: str) -> CommitSummary:
        """Read the file of a completed instant of layout 1; arguments and errors as `read`."""
        document = _understood(msgspec.json.decode, body)
        return cls._from(document, file) if document else cls.of(CommitMetadata.from_json(body, file))

    @classmethod
    def _from(cls, document: _Document, file: str) -> CommitSummary:
        check_paths(document.files, document.replaced, file)
        return cls(
            document.operation or "UNKNOWN",
            document.files,
            {name: text for name, text in document.extra.items() if text is not None},
            document.replaced,
        )


def _understood(decode: Callable[..., _Document], source: Any) -> _Document | None:
    """None where nulls or missing keys are fine, or where there is damage: `CommitMetadata` tells these apart."""
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
