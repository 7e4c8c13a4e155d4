"""Checksums of blocks whose format has none.

Hudi's readers take from the content of an Avro data block as many records as it states, from a delete block as many
bytes as it states, and from a command block nothing. What follows is room that they ignore: there a block of ours ends
with a mark and a CRC-32 of everything from the format version to the mark. A Parquet data block has no such room, and
its pages have checksums of their own.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable

from hoodoo.format.log.block import BlockType

__all__ = ["SEALED", "TRAILER_BYTES", "checksum_of", "is_intact", "sealed"]

SEALED = frozenset({BlockType.AVRO_DATA, BlockType.DELETE, BlockType.COMMAND})
"""Types of blocks that carry a checksum."""

_MARK = b"#HOODOO\x01"
_CRC = struct.Struct(">I")
TRAILER_BYTES = len(_MARK) + _CRC.size
_PIECE = 1024 * 1024


def sealed(head: bytes, content: bytes) -> bytes:
    """Return a content with its checksum.

    Args:
        head: The block from its format version to the length of the content, which counts the checksum.
        content: Without the checksum.
    """
    crc = zlib.crc32(_MARK, zlib.crc32(content, zlib.crc32(head)))
    return content + _MARK + _CRC.pack(crc)


def checksum_of(trailer: bytes) -> int | None:
    """Return the checksum that the last `TRAILER_BYTES` bytes of a content hold; None where they hold none."""
    if len(trailer) != TRAILER_BYTES or not trailer.startswith(_MARK):
        return None
    checksum: int = _CRC.unpack_from(trailer, len(_MARK))[0]
    return checksum


def is_intact(read: Callable[[int, int], bytes], start: int, end: int, checksum: int) -> bool:
    """Return whether the checksum of some bytes is the stored one.

    Args:
        read: Returns so many bytes of the file from an offset.
        start: The first byte of the format version.
        end: The first byte after the content, without mark and checksum.
        checksum: As stored.
    """
    crc = 0
    for offset in range(start, end, _PIECE):
        crc = zlib.crc32(read(offset, min(_PIECE, end - offset)), crc)
    return zlib.crc32(_MARK, crc) == checksum
