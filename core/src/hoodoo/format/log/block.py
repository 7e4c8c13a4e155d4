"""The blocks of a log file: what each one says of itself, before its content is read."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum

from attrs import frozen

__all__ = ["BlockType", "CorruptBlock", "HeaderKey", "LogBlock"]


class BlockType(IntEnum):
    """What a block holds, by its number in the file."""

    COMMAND = 0
    DELETE = 1
    CORRUPT = 2
    AVRO_DATA = 3
    HFILE_DATA = 4
    PARQUET_DATA = 5
    CDC_DATA = 6


class HeaderKey(IntEnum):
    """The entries of a block's header that Hudi has, by their number in the file."""

    INSTANT_TIME = 0
    TARGET_INSTANT_TIME = 1
    SCHEMA = 2
    COMMAND_BLOCK_TYPE = 3
    COMPACTED_BLOCK_TIMES = 4
    RECORD_POSITIONS = 5
    BLOCK_IDENTIFIER = 6
    IS_PARTIAL = 7
    BASE_FILE_INSTANT_TIME_OF_RECORD_POSITIONS = 8


@frozen
class LogBlock:
    """One block, without its content.

    Attributes:
        file: Table-relative path of the log file.
        offset: Where the block starts, in bytes.
        length: Its bytes, from the start marker to the closing length.
        type: What it holds.
        header: Its entries by number; see `HeaderKey`. Numbers of later Hudi versions are kept.
        content_offset: Where the content starts.
        content_length: The bytes of the content, without a checksum at its end.
        checksum: Of the block, see `hoodoo.format.log.block_checksum`; None where its writer wrote none.
    """

    file: str
    offset: int
    length: int
    type: BlockType
    header: Mapping[int, str]
    content_offset: int
    content_length: int
    checksum: int | None = None

    def __str__(self) -> str:
        return f"the block at byte {self.offset} of log file '{self.file}'"

    @property
    def checked_offset(self) -> int:
        """The first byte that the checksum covers: that of the format version."""
        return self.offset + 14

    @property
    def end(self) -> int:
        """The first byte after the block."""
        return self.offset + self.length

    @property
    def instant(self) -> str:
        """The instant that wrote the block; "" in the files of an archived timeline, whose blocks have none."""
        return self.header.get(HeaderKey.INSTANT_TIME, "")

    @property
    def target_instant(self) -> str | None:
        """The instant whose blocks a rollback command takes back."""
        return self.header.get(HeaderKey.TARGET_INSTANT_TIME)

    @property
    def is_partial(self) -> bool:
        """Whether the records hold the changed columns only."""
        return self.header.get(HeaderKey.IS_PARTIAL, "").lower() == "true"

    @property
    def compacted_times(self) -> tuple[str, ...]:
        """The instants whose blocks this one replaces; empty but for log compaction."""
        text = self.header.get(HeaderKey.COMPACTED_BLOCK_TIMES, "")
        return tuple(time.strip() for time in text.split(",") if time.strip())

    @property
    def schema_text(self) -> str | None:
        """The Avro schema of the records, meta columns included."""
        return self.header.get(HeaderKey.SCHEMA)


@frozen
class CorruptBlock:
    """Bytes of a log file that are no whole block.

    Attributes:
        file: Table-relative path of the log file.
        offset: Where they start.
        length: How many there are, up to the next block or the end of the file.
        reason: What is wrong with them.
    """

    file: str
    offset: int
    length: int
    reason: str
