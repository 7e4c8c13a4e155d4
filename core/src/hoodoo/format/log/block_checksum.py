"""Checksums of blocks whose format has none.

Hudi's readers read the stated number of records of an Avro data block or of bytes of a delete block, and nothing of a
command block. They ignore later bytes, where hoodoo writes a mark and a CRC-32 of everything from the format version to
the mark. A Parquet data block has no such space, but its pages have checksums.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable

from hoodoo.format.log.block import BlockType

__all__ = ["CHECKSUMMED_TYPES", "TRAILER_BYTES", "checksum_of", "is_intact", "with_checksum"]

CHECKSUMMED_TYPES = frozenset({BlockType.AVRO_DATA, BlockType.DELETE, BlockType.COMMAND})
"""Types of blocks that hoodoo writes with a checksum."""

_MARK = b"#HOODOO\x01"
_CRC = struct.Struct(">I")
TRAILER_BYTES = len(_MARK) + _CRC.size
_PIECE = 1024 * 1024


def with_checksum(head: bytes, content: bytes) -> bytes:
    """Return the content of a block, followed by the mark and the checksum.

    Args:
        head: The block from its format version to the length of the content, which includes the checksum.
        content: The content without the checksum.
    """
    crc = zlib.crc32(_MARK, zlib.crc32(content, zlib.crc32(head)))
    return content + _MARK + _CRC.pack(crc)


def checksum_of(trailer: bytes) -> int | None:
    """Return the checksum in the last `TRAILER_BYTES` bytes of a block's content; None if they have no mark."""
    if len(trailer) != TRAILER_BYTES or not trailer.startswith(_MARK):
        return None
    checksum: int = _CRC.unpack_from(trailer, len(_MARK))[0]
    return checksum


def is_intact(read: Callable[[int, int], bytes], start: int, end: int, checksum: int) -> bool:
    """Return whether the CRC-32 of a log block and of the mark equals the stored checksum.

    Args:
        read: Function of an offset and a length that returns that many bytes of the file.
        start: Offset of the format version.
        end: Offset after the content, without mark and checksum.
        checksum: The checksum that is stored after the mark.
    """
    crc = 0
    for offset in range(start, end, _PIECE):
        crc = zlib.crc32(read(offset, min(_PIECE, end - offset)), crc)
    return zlib.crc32(_MARK, crc) == checksum
