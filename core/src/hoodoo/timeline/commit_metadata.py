"""Metadata of a commit: JSON in timeline layout 1, Avro in layout 2."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from attrs import field, frozen

from hoodoo.errors import CorruptTableError
from hoodoo.storage import check_relative
from hoodoo.timeline.codec.avro_file import MAGIC, read_record, write_record
from hoodoo.timeline.codec.commit_schemas import COMMIT_METADATA, REPLACE_COMMIT_METADATA
from hoodoo.timeline.codec.json_document import JsonObject
from hoodoo.timeline.commit_paths import check_paths, path_errors_as_corruption, touched
from hoodoo.timeline.write_stat import WriteStat

__all__ = ["STATEMENT_KEY", "CommitMetadata"]

STATEMENT_KEY = "hoodoo.statement"
"""The entry of a commit's extra metadata with the text of its statement."""


@frozen
class CommitMetadata:
    """Metadata of a commit, delta commit or replace commit.

    Attributes:
        operation_type: Hudi's name of the operation: UPSERT, INSERT, BULK_INSERT, DELETE, INSERT_OVERWRITE, ...;
            UNKNOWN if the commit does not state it.
        write_stats: Files written, by partition path ("" in a table without partitions).
        extra_metadata: Texts by key; `schema` is the Avro schema of the data, without meta columns.
        replaced: File ids that a replace commit replaces, by partition path; None for other actions.
        compacted: Whether the commit is a compaction.
    """

    operation_type: str
    write_stats: Mapping[str, tuple[WriteStat, ...]] = field(factory=dict)
    extra_metadata: Mapping[str, str] = field(factory=dict)
    replaced: Mapping[str, tuple[str, ...]] | None = None
    compacted: bool = False

    def stats(self) -> Iterator[WriteStat]:
        """Yield the stats of all files written, partition by partition."""
        for stats in self.write_stats.values():
            yield from stats

    def touched(self) -> frozenset[tuple[str, str]]:
        """Return (partition path, file id) of each file group that was written or replaced."""
        return touched(self.write_stats, self.replaced)

    def to_json(self) -> bytes:
        """Return the content of the instant's file in layout 1."""
        document: dict[str, Any] = {
            "partitionToWriteStats": {p: [stat.to_json() for stat in stats] for p, stats in self.write_stats.items()},
            "compacted": self.compacted,
            "extraMetadata": dict(self.extra_metadata),
            "operationType": self.operation_type,
        }
        if self.replaced is not None:
            document["partitionToReplaceFileIds"] = {p: list(file_ids) for p, file_ids in self.replaced.items()}
        return json.dumps(document, indent=2, separators=(",", " : "), ensure_ascii=False).encode()

    def to_avro(self) -> bytes:
        """Return the content of the instant's file in layout 2; of a replace commit if `replaced` is not None."""
        return write_record(COMMIT_METADATA if self.replaced is None else REPLACE_COMMIT_METADATA, self.to_record())

    def to_record(self) -> dict[str, Any]:
        """Return the record `HoodieCommitMetadata`, or `HoodieReplaceCommitMetadata` if `replaced` is not None."""
        record: dict[str, Any] = {
            "partitionToWriteStats": {p: [stat.to_avro() for stat in stats] for p, stats in self.write_stats.items()},
            "compacted": self.compacted,
            "extraMetadata": dict(self.extra_metadata),
            "version": None,
            "operationType": self.operation_type,
        }
        if self.replaced is not None:
            record["partitionToReplaceFileIds"] = {p: list(file_ids) for p, file_ids in self.replaced.items()}
        return record

    def to_bytes(self, layout: int) -> bytes:
        """Return the content of the instant's file: JSON in timeline layout 1, Avro in layout 2."""
        return self.to_json() if layout == 1 else self.to_avro()

    @classmethod
    def of(cls, metadata: CommitMetadata) -> CommitMetadata:
        """Return the metadata unchanged, for code that calls `of` of either this class or `CommitOutline`."""
        return metadata

    @classmethod
    def read(cls, body: bytes, file: str) -> CommitMetadata:
        """Read the file of a completed instant, in JSON or Avro.

        Tables of layout 2 contain JSON as well: commits that Hudi wrote before it upgraded the table.

        Raises:
            CorruptTableError: As in `from_json` and `from_avro`.
            UnsupportedTable: As in `from_avro`.
        """
        return cls.from_avro(body, file) if body.startswith(MAGIC) else cls.from_json(body, file)

    @classmethod
    def from_json(cls, body: bytes, file: str) -> CommitMetadata:
        """Read the file of a completed instant of layout 1; unknown keys are ignored.

        Raises:
            CorruptTableError: The content is not commit metadata in JSON, or has a path outside the table.
        """
        try:
            document = json.loads(body)
        except (ValueError, RecursionError) as error:
            offset = error.pos if isinstance(error, json.JSONDecodeError) else None
            raise CorruptTableError(
                f"'{file}' is not commit metadata in JSON: {error}; restore the file", file=file, offset=offset
            ) from error
        return cls._from(JsonObject(document, file), WriteStat.from_json)

    @classmethod
    def from_avro(cls, body: bytes, file: str) -> CommitMetadata:
        """Read the file of a completed instant of layout 2; its schema may lack fields and have others.

        Raises:
            CorruptTableError: The content is not commit metadata in Avro, or has a path outside the table.
            UnsupportedTable: The codec is not supported.
        """
        return cls.from_record(read_record(body, file), file)

    @classmethod
    def from_record(cls, record: Mapping[str, Any], file: str) -> CommitMetadata:
        """Read a decoded `HoodieCommitMetadata` or `HoodieReplaceCommitMetadata`; errors as in `from_avro`."""
        return cls._from(JsonObject(record, file), WriteStat.from_avro)

    @classmethod
    def _from(cls, shape: JsonObject, stat: Callable[[Any, str, str], WriteStat]) -> CommitMetadata:
        shape.check_spelling("partitionToWriteStats", "extraMetadata")
        partitions = shape.object("partitionToWriteStats")
        stats = {
            partition: tuple(
                stat(item, shape.file, f"{partitions.where}.{partition}[{i}]")
                for i, item in enumerate(partitions.items(partition))
            )
            for partition in partitions.names()
        }
        replaced = None
        if shape.has("partitionToReplaceFileIds"):
            ids = shape.object("partitionToReplaceFileIds")
            replaced = {partition: ids.texts(partition) for partition in ids.names()}
        extra = shape.object("extraMetadata")
        extra.check_spelling("schema")
        metadata = cls(
            operation_type=shape.text("operationType") or "UNKNOWN",
            write_stats=stats,
            extra_metadata={name: text for name in extra.names() if (text := extra.text(name)) is not None},
            replaced=replaced,
            compacted=shape.boolean("compacted"),
        )
        check_paths(metadata.write_stats, metadata.replaced, shape.file)
        with path_errors_as_corruption(shape.file):
            for written in metadata.stats():
                for name in (written.base_file, *written.log_files):
                    check_relative(name or "", "file name")
        return metadata
