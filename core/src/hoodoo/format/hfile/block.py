"""Blocks of an HFile: header, compressed content, and checksums."""

from __future__ import annotations

import struct
import zlib
from enum import IntEnum

from attrs import frozen

from hoodoo.errors import UnsupportedTable
from hoodoo.format.hfile.crc32c import chunk_checksums
from hoodoo.format.hfile.source import HFileDamage, HFileSource

__all__ = ["DATA", "FILE_INFO", "HEADER_BYTES", "INNER_INDEX", "LEAF_INDEX", "META", "ROOT_INDEX"]
__all__ += ["Block", "Codec", "codec_of", "compressed", "encode_block", "parse_block", "read_block"]

DATA, META, FILE_INFO = b"DATABLK*", b"METABLKc", b"FILEINF2"
ROOT_INDEX, INNER_INDEX, LEAF_INDEX = b"IDXROOT2", b"IDXINTE2", b"IDXLEAF2"

# kind; size on disk after the header; size of the content before compression; offset of the previous block of the kind;
# type of the checksums; bytes that a checksum covers; size on disk of header and content
_HEADER = struct.Struct(">8siiqBii")
HEADER_BYTES = _HEADER.size
_CHECKSUM = struct.Struct(">I")
_CHUNK = 16384
_NO_BLOCK = -1
_NO_CHECKSUM, _CRC32, _CRC32C = 0, 1, 2


class Codec(IntEnum):
    """Compression of the blocks, with its number in the trailer."""

    GZIP = 1
    NONE = 2


@frozen
class Block:
    """Block of an HFile.

    Attributes:
        offset: Position in the HFile, in bytes.
        kind: The first eight bytes, which identify the kind of block, such as `DATA`.
        content: The content, without compression.
        size: Size on disk in bytes, with header and checksums.
    """

    offset: int
    kind: bytes
    content: bytes
    size: int


def read_block(source: HFileSource, offset: int, kind: bytes, codec: Codec, size: int) -> Block:
    """Return the block to which an index entry refers.

    Args:
        source: The bytes of the HFile.
        offset: Position of the block in the HFile, in bytes.
        kind: The kind that the block must have.
        codec: Compression of the HFile.
        size: Size on disk according to the index, in bytes, with header and checksums.

    Raises:
        HFileDamage: There is no block of this kind and size at the offset, or the block is damaged.
    """
    block = parse_block(source.read(offset, size), 0, kind, codec, offset)
    if block.size != size:
        raise HFileDamage(f"a block of {block.size} bytes, for which the index states {size} bytes", offset)
    return block


def parse_block(data: bytes, at: int, kind: bytes, codec: Codec, offset: int) -> Block:
    """Return the block at position `at` of `data`; other arguments and errors are those of `read_block`."""
    if len(data) - at < HEADER_BYTES:
        raise HFileDamage(f"a block header with {len(data) - at} of {HEADER_BYTES} bytes", offset)
    found, on_disk, length, _, checksum_type, chunk, with_header = _HEADER.unpack_from(data, at)
    if found != kind:
        raise HFileDamage(f"the bytes {found.hex(' ')} instead of a block of kind '{kind.decode()}'", offset)
    if on_disk < 0 or length < 0 or chunk <= 0 or not HEADER_BYTES <= with_header <= HEADER_BYTES + on_disk:
        raise HFileDamage("a block with contradictory sizes", offset)
    checksums = -(-with_header // chunk) * _CHECKSUM.size
    if HEADER_BYTES + on_disk != with_header + checksums:
        raise HFileDamage("a block whose size does not include its checksums", offset)
    if HEADER_BYTES + on_disk > len(data) - at:
        raise HFileDamage(f"a block of {HEADER_BYTES + on_disk} bytes where {len(data) - at} are left", offset)
    stored = data[at + with_header : at + with_header + checksums]
    _check(data[at : at + with_header], checksum_type, chunk, stored, offset)
    content = _uncompressed(data[at + HEADER_BYTES : at + with_header], length, codec, offset)
    return Block(offset, kind, content, HEADER_BYTES + on_disk)


def encode_block(kind: bytes, content: bytes, length: int, previous: int = _NO_BLOCK) -> bytes:
    """Return a block with CRC-32 checksums, which HBase verifies and Hudi's reader ignores.

    Args:
        kind: The first eight bytes, such as `DATA`.
        content: The content as returned by `compressed`.
        length: The length of the content before compression.
        previous: Offset of the previous block of the kind; -1 if there is none.
    """
    with_header = HEADER_BYTES + len(content)
    checksums = -(-with_header // _CHUNK)
    on_disk = len(content) + checksums * _CHECKSUM.size
    body = _HEADER.pack(kind, on_disk, length, previous, _CRC32, _CHUNK, with_header) + content
    return body + b"".join(_CHECKSUM.pack(zlib.crc32(body[i : i + _CHUNK])) for i in range(0, len(body), _CHUNK))


def compressed(content: bytes, codec: Codec) -> bytes:
    """Return the content compressed with a codec."""
    if codec is Codec.NONE:
        return content
    # 31: gzip, the format of the codec's streams in Hadoop
    stream = zlib.compressobj(wbits=31)
    return stream.compress(content) + stream.flush()


def _check(covered: bytes, type_: int, chunk: int, stored: bytes, offset: int) -> None:
    """Raise if checksums are wrong or of unknown type. Zeros are ignored: a writer that computes none writes zeros."""
    if type_ == _NO_CHECKSUM or not any(stored):
        return
    if type_ == _CRC32C:
        found = chunk_checksums(covered, chunk)
    elif type_ == _CRC32:
        found = [zlib.crc32(covered[start : start + chunk]) for start in range(0, len(covered), chunk)]
    else:
        raise HFileDamage(f"a block with checksums of unknown type {type_}", offset)
    if b"".join(map(_CHECKSUM.pack, found)) != stored:
        raise HFileDamage("a block whose checksum does not match", offset)


def _uncompressed(content: bytes, length: int, codec: Codec, offset: int) -> bytes:
    if codec is Codec.GZIP:
        stream = zlib.decompressobj(wbits=31)
        try:
            # one byte more than stated shows a longer content; the end of the stream has another checksum
            found = stream.decompress(content, length + 1)
            found += stream.flush() if stream.eof else b""
        except zlib.error as error:
            raise HFileDamage(f"a block that cannot be decompressed: {error}", offset) from error
        if len(found) == length and not stream.eof:
            raise HFileDamage("a block whose compressed content is not complete", offset)
        content = found
    if len(content) != length:
        raise HFileDamage(f"a block whose content does not have the stated length {length}", offset)
    return content


def codec_of(number: int, what: str) -> Codec:
    """Return the codec for the number in a trailer.

    Raises:
        UnsupportedTable: hoodoo does not support the codec.
    """
    try:
        return Codec(number)
    except ValueError as error:
        raise UnsupportedTable(
            f"{what} has blocks with compression {number}; only gzip (1) and none (2) are supported; disable the "
            "metadata table and create it again",
            code="hfile",
        ) from error
