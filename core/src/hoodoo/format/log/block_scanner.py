"""Scanner that finds the blocks of a log file by their framing."""

from __future__ import annotations

import struct
from collections.abc import Iterator

import pyarrow as pa

from hoodoo.errors import UnsupportedTable
from hoodoo.format.corruption import open_data_file, translate_read_errors
from hoodoo.format.log.block import BlockType, CorruptBlock, HeaderKey, LogBlock
from hoodoo.format.log.block_checksum import TRAILER_BYTES, checksum_of
from hoodoo.storage import Storage

__all__ = ["FORMAT_VERSION", "MAGIC", "ROLLBACK", "read_blocks", "torn_block_instant"]

MAGIC = b"#HUDI#"
FORMAT_VERSION = 1

ROLLBACK = "0"
_U32 = struct.Struct(">I")
_U64 = struct.Struct(">Q")
# start marker and block size; then format version, type, header, content length, footer and closing length, all empty
_FRAME = 14
_SMALLEST_SIZE = 4 + 4 + 4 + 8 + 4 + 8
_LONGEST_HEADER = 64 * 1024 * 1024
_MOST_ENTRIES = 1000
_READ_AHEAD = 64 * 1024
_AFTER_CONTENT = 4 + 8
"""Number of bytes of an empty footer and of the closing length."""
_TAIL = TRAILER_BYTES + _AFTER_CONTENT


def read_blocks(storage: Storage, path: str) -> Iterator[LogBlock | CorruptBlock]:
    """Yield the blocks of a log file in their order, without reading the contents.

    A block is complete if its two lengths agree and its parts fill it. All other bytes are returned as `CorruptBlock`,
    as are blocks that the writer marked as corrupt and rollback commands without a target or with a content. Hudi's
    reader also drops a complete block that is followed by other bytes; this one keeps it.

    Args:
        storage: The table's files.
        path: Table-relative path.

    Raises:
        CorruptTableError: The file is missing.
        UnsupportedTable: A complete block has an unknown log format, type or command.
    """
    what = f"log file '{path}'"
    with translate_read_errors(what, path), open_data_file(storage, path, what) as source:
        file = _Bytes(source)
        offset = 0
        damage: CorruptBlock | None = None
        while offset < file.size:
            try:
                block = _block_at(file, path, offset)
            except _NoBlockError as error:
                damage = damage or CorruptBlock(path, offset, 0, str(error))
                offset = error.resume or file.find(MAGIC, offset + 1)
                continue
            if damage is not None:
                yield CorruptBlock(path, damage.offset, offset - damage.offset, damage.reason)
                damage = None
            yield block
            offset = block.end
        if damage is not None:
            yield CorruptBlock(path, damage.offset, file.size - damage.offset, damage.reason)


def torn_block_instant(storage: Storage, path: str, damage: CorruptBlock) -> str | None:
    """Return the instant in the header of an incomplete block; None without a complete header or an instant in it.

    Args:
        storage: The table's files.
        path: Table-relative path of the log file.
        damage: Bytes of this file that `read_blocks` returned as corrupt.

    Raises:
        CorruptTableError: The file is missing.
    """
    what = f"log file '{path}'"
    with translate_read_errors(what, path), open_data_file(storage, path, what) as source:
        file = _Bytes(source)
        try:
            if file.read(damage.offset, len(MAGIC)) != MAGIC:
                return None
            header, _ = _entries(file, damage.offset + _FRAME + 8, damage.offset + damage.length)
        except _NoBlockError:
            return None
        return header.get(HeaderKey.INSTANT_TIME)


class _NoBlockError(Exception):
    """Error about bytes that are not a complete block; `resume` is the offset of a possible next block, or None."""

    def __init__(self, reason: str, resume: int | None = None) -> None:
        super().__init__(reason)
        self.resume = resume


class _Bytes:
    """Buffered access to the bytes of a file by offset."""

    def __init__(self, source: pa.NativeFile) -> None:
        self.size: int = source.size()
        self._source = source
        self._start = 0
        self._buffer = b""

    def read(self, offset: int, length: int) -> bytes:
        if not self._start <= offset <= offset + length <= self._start + len(self._buffer):
            self._fill(offset, length)
        start = offset - self._start
        return self._whole(self._buffer[start : start + length], offset, length)

    def u32(self, offset: int) -> int:
        value: int = _U32.unpack(self.read(offset, 4))[0]
        return value

    def u64(self, offset: int) -> int:
        value: int = _U64.unpack(self.read(offset, 8))[0]
        return value

    def far(self, start: int, end: int) -> bytes:
        """Return the bytes from `start` to `end` without moving the buffer."""
        return self._whole(self._source.read_at(end - start, start), start, end - start)

    def find(self, what: bytes, offset: int) -> int:
        """Return the next offset of `what` from `offset` on; the file's size if there is none."""
        while offset + len(what) <= self.size:
            if not self._start <= offset <= offset + len(what) <= self._start + len(self._buffer):
                self._fill(offset, len(what))
            found = self._buffer.find(what, offset - self._start)
            if found >= 0:
                return self._start + found
            # a match may cross the end of the buffer
            offset = max(self._start + len(self._buffer) - len(what), offset) + 1
        return self.size

    def _fill(self, offset: int, length: int) -> None:
        self._buffer = self._source.read_at(max(length, min(_READ_AHEAD, self.size - offset)), offset)
        self._start = offset

    def _whole(self, found: bytes, offset: int, length: int) -> bytes:
        if len(found) < length:
            raise _NoBlockError(f"the file ends at byte {offset + len(found)}")
        return found


def _block_at(file: _Bytes, path: str, offset: int) -> LogBlock:
    left = file.size - offset
    if left < _FRAME + _SMALLEST_SIZE:
        raise _NoBlockError(f"the file ends at byte {file.size}, before the end of a block")
    if file.read(offset, len(MAGIC)) != MAGIC:
        raise _NoBlockError("no block starts here")
    size = file.u64(offset + len(MAGIC))
    if not _SMALLEST_SIZE <= size <= left - _FRAME:
        raise _NoBlockError(f"a block of size {size}, which is not between {_SMALLEST_SIZE} and {left - _FRAME}")
    start, end = offset + _FRAME, offset + _FRAME + size
    tail = file.far(max(start, end - _TAIL), end)
    (closing,) = _U64.unpack(tail[-8:])
    if closing != size + len(MAGIC):
        raise _NoBlockError(f"a block of {size} bytes does not end with its length")
    version, type_ = file.u32(start), file.u32(start + 4)
    where = f"log file '{path}' has, at byte {offset},"
    if version != FORMAT_VERSION:
        raise UnsupportedTable(
            f"{where} a block of log format version {version}; only version {FORMAT_VERSION} is supported; read the "
            "table with the Hudi version that wrote it",
            code="log_block",
        )
    if type_ not in set(BlockType):
        raise UnsupportedTable(
            f"{where} a block of unknown type {type_}; read the table with the Hudi version that wrote it",
            code="log_block",
        )
    header, at = _entries(file, start + 8, end)
    if at + 8 > end:
        raise _NoBlockError("the header fills the whole block", end)
    content, length = at + 8, file.u64(at)
    if length > end - content:
        raise _NoBlockError(f"a content of length {length} in a block of {size} bytes", end)
    if _entries(file, content + length, end)[1] != end - 8:
        raise _NoBlockError("content and footer do not fill the block", end)
    checksum = None
    # for every type: the checksum also detects a corrupt type
    if content + length == end - _AFTER_CONTENT and length >= TRAILER_BYTES:
        checksum = checksum_of(tail[-_TAIL:-_AFTER_CONTENT])
    length -= 0 if checksum is None else TRAILER_BYTES
    block = LogBlock(path, offset, end - offset, BlockType(type_), header, content, length, checksum)
    _check(block, where)
    return block


def _check(block: LogBlock, where: str) -> None:
    """Raise if a complete block is marked as corrupt, or has an invalid or unknown command."""
    if block.type is BlockType.CORRUPT:
        raise _NoBlockError("a block that its writer marked as corrupt", block.end)
    if block.type is BlockType.COMMAND:
        command = block.header.get(HeaderKey.COMMAND_BLOCK_TYPE)
        if command != ROLLBACK:
            kind = "without a type" if command is None else f"of unknown type '{command}'"
            raise UnsupportedTable(
                f"{where} a command {kind}; read the table with the Hudi version that wrote it",
                code="log_block",
            )
        if block.target_instant is None:
            raise _NoBlockError("a rollback command without a target", block.end)
        if block.content_length:
            raise _NoBlockError("a rollback command with a content", block.end)


def _entries(file: _Bytes, offset: int, end: int) -> tuple[dict[int, str], int]:
    """Return the entries of a header or footer, and the offset after it."""
    limit = min(end, offset + _LONGEST_HEADER)
    if offset + 4 > limit:
        raise _NoBlockError("the block ends within its header or footer", end)
    count = file.u32(offset)
    offset += 4
    if count > _MOST_ENTRIES:
        raise _NoBlockError(f"a header or footer of {count} entries; the limit is {_MOST_ENTRIES}", end)
    entries = {}
    for _ in range(count):
        if offset + 8 > limit:
            raise _NoBlockError("the block ends within its header or footer", end)
        key, length = file.u32(offset), file.u32(offset + 4)
        offset += 8
        if length > limit - offset:
            raise _NoBlockError(f"a header or footer entry of length {length}, which does not fit", end)
        try:
            entries[key] = file.read(offset, length).decode()
        except UnicodeDecodeError as error:
            raise _NoBlockError("a header or footer entry that is not text", end) from error
        offset += length
    return entries, offset
