"""Blocks of a log file: type, header and position, without the content."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum

from attrs import frozen

__all__ = ["BlockType", "CorruptBlock", "HeaderKey", "LogBlock"]


class BlockType(IntEnum):
    """Type of a block, with its number in the file."""

    COMMAND = 0
    DELETE = 1
    CORRUPT = 2
    AVRO_DATA = 3
    HFILE_DATA = 4
    PARQUET_DATA = 5
    CDC_DATA = 6


class HeaderKey(IntEnum):
    """Header entries of a block in Hudi, with their numbers in the file."""

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
    """Block of a log file, without its content.

    Attributes:
        file: Table-relative path of the log file.
        offset: Offset of the block in the file, in bytes.
        length: Length in bytes, from the start marker to the closing length.
        type: The type of the content.
        header: Header entries by number, see `HeaderKey`; unknown numbers are kept.
        content_offset: Offset of the content in the file, in bytes.
        content_length: Length of the content in bytes, without a checksum at its end.
        checksum: Checksum of the block, see `hoodoo.format.log.block_checksum`; None if it has none.
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
        """Return the offset of the first byte that the checksum covers: that of the format version."""
        return self.offset + 14

    @property
    def end(self) -> int:
        """Return the offset of the first byte after the block."""
        return self.offset + self.length

    @property
    def instant(self) -> str:
        """Return the instant that wrote the block; "" if the header has none, as in an archived timeline."""
        return self.header.get(HeaderKey.INSTANT_TIME, "")

    @property
    def target_instant(self) -> str | None:
        """Return the instant whose blocks a rollback command invalidates; None for other blocks."""
        return self.header.get(HeaderKey.TARGET_INSTANT_TIME)

    @property
    def is_partial(self) -> bool:
        """Return whether the records contain only the changed columns."""
        return self.header.get(HeaderKey.IS_PARTIAL, "").lower() == "true"

    @property
    def compacted_times(self) -> tuple[str, ...]:
        """Return the instants whose blocks this one replaces; empty except for log compaction."""
        text = self.header.get(HeaderKey.COMPACTED_BLOCK_TIMES, "")
        return tuple(time.strip() for time in text.split(",") if time.strip())

    @property
    def schema_text(self) -> str | None:
        """Return the Avro schema of the records, meta columns included; None if the header has none."""
        return self.header.get(HeaderKey.SCHEMA)


@frozen
class CorruptBlock:
    """Bytes of a log file that are not a complete block.

    Attributes:
        file: Table-relative path of the log file.
        offset: Offset of the bytes in the file.
        length: Number of bytes, up to the next block or the end of the file.
        reason: Reason why they are not a block, for messages.
    """

    file: str
    offset: int
    length: int
    reason: str
