"""Trailer and file info of an HFile."""

from __future__ import annotations

import struct
from collections.abc import Mapping

from attrs import frozen

from hoodoo.errors import UnsupportedTable
from hoodoo.format.hfile.block import Codec, codec_of
from hoodoo.format.hfile.protobuf import decode_delimited, decode_message, encode_delimited, encode_message
from hoodoo.format.hfile.source import HFileDamage

__all__ = ["TRAILER_BYTES", "Trailer", "decode_info", "encode_info"]

TRAILER_BYTES = 4096
_MAGIC = b'TRABLK"$'
_VERSION = 3
_INFO_MAGIC = b"PBUF"
_COMPARATOR = b"org.apache.hudi.io.storage.HoodieHBaseKVComparator"
# numbers of the fields
_INFO, _LOAD, _INDEX_BYTES, _UNCOMPRESSED, _BLOCKS, _METAS, _ENTRIES, _LEVELS, _FIRST, _LAST, _BY, _CODEC = range(1, 13)


@frozen
class Trailer:
    """Last bytes of an HFile, which locate its parts. Positions are in bytes from the start of the HFile.

    Attributes:
        info_offset: Position of the file info.
        load_offset: Position of the root index; the index of the meta blocks follows it.
        blocks: Number of entries of the root index.
        metas: Number of meta blocks.
        entries: Number of cells.
        levels: Number of levels of the data index.
        codec: Compression of the blocks.
        data_bytes: Size of the data blocks in bytes, without compression.
        first: Position of the first data block; -1 if there is none.
        last: Position of the last data block; -1 if there is none.
    """

    info_offset: int
    load_offset: int
    blocks: int
    metas: int
    entries: int
    levels: int
    codec: Codec
    data_bytes: int = 0
    first: int = -1
    last: int = -1

    @classmethod
    def decode(cls, data: bytes, offset: int, what: str) -> Trailer:
        """Return the trailer in the last `TRAILER_BYTES` bytes of an HFile.

        Args:
            data: The bytes of the trailer.
            offset: Their position in the HFile, for errors.
            what: Description of the HFile for messages.

        Raises:
            HFileDamage: The bytes are not a trailer.
            UnsupportedTable: The HFile has another version, or an unsupported compression.
        """
        if not data.startswith(_MAGIC):
            raise HFileDamage("its last bytes are not a trailer: it is not complete, or is not an HFile", offset)
        (version,) = struct.unpack(">I", data[-4:])
        if version & 0xFFFFFF != _VERSION:
            raise UnsupportedTable(
                f"{what} is an HFile of version {version & 0xFFFFFF}; only version {_VERSION} is supported; disable "
                "the metadata table and create it again",
                code="hfile",
            )
        try:
            fields = decode_delimited(data[len(_MAGIC) : -4])
            numbers = {number: values[-1] for number, values in fields.items()}

            def number(field: int, default: int | None = None) -> int:
                value = numbers.get(field, default)
                if not isinstance(value, int):
                    raise ValueError(f"field {field} is missing")
                return value if value < 1 << 63 else value - (1 << 64)

            trailer = cls(
                info_offset=number(_INFO),
                load_offset=number(_LOAD),
                blocks=number(_BLOCKS, 0),
                metas=number(_METAS, 0),
                entries=number(_ENTRIES),
                levels=number(_LEVELS, 1),
                codec=codec_of(number(_CODEC, Codec.NONE), what),
                data_bytes=number(_UNCOMPRESSED, 0),
                first=number(_FIRST, -1),
                last=number(_LAST, -1),
            )
        except ValueError as error:
            raise HFileDamage(f"a trailer that cannot be decoded: {error}", offset) from error
        counts = (trailer.blocks, trailer.metas, trailer.entries)
        if min(counts) < 0 or not 1 <= trailer.levels <= 32:
            raise HFileDamage("a trailer with a negative count, or a number of index levels outside 1 to 32", offset)
        if not 0 <= trailer.load_offset <= trailer.info_offset <= offset:
            raise HFileDamage(
                f"a trailer whose positions {trailer.load_offset} (index) and {trailer.info_offset} (file info) are "
                "outside the HFile or in the wrong order",
                offset,
            )
        return trailer

    def encode(self) -> bytes:
        """Return the encoded trailer, which has `TRAILER_BYTES` bytes."""
        message = encode_message(
            [
                (_INFO, self.info_offset),
                (_LOAD, self.load_offset),
                (_INDEX_BYTES, self.data_bytes),
                (_BLOCKS, self.blocks),
                (_METAS, self.metas),
                (_ENTRIES, self.entries),
                (_LEVELS, self.levels),
                (_FIRST, self.first),
                (_LAST, self.last),
                (_BY, _COMPARATOR),
                (_CODEC, self.codec),
            ]
        )
        body = _MAGIC + encode_delimited(message)
        return body.ljust(TRAILER_BYTES - 4, b"\0") + struct.pack(">I", _VERSION)


def decode_info(content: bytes, offset: int) -> dict[str, bytes]:
    """Return the entries of the file info.

    Args:
        content: The content of the block of the file info.
        offset: Position of the block, for errors.

    Raises:
        HFileDamage: The content is not a file info.
    """
    if not content.startswith(_INFO_MAGIC):
        raise HFileDamage("a file info in an unknown form", offset)
    info: dict[str, bytes] = {}
    try:
        for entry in decode_delimited(content[len(_INFO_MAGIC) :]).get(1, []):
            if isinstance(entry, int):
                raise ValueError("an entry that is a number")
            ((name, value),) = _pairs(entry)
            info[name.decode()] = value
    except ValueError as error:
        raise HFileDamage(f"a file info that cannot be decoded: {error}", offset) from error
    return info


def _pairs(entry: bytes) -> list[tuple[bytes, bytes]]:
    fields = decode_message(entry)
    pairs = list(zip(fields.get(1, []), fields.get(2, []), strict=True))
    return [(name, value) for name, value in pairs if isinstance(name, bytes) and isinstance(value, bytes)]


def encode_info(info: Mapping[str, bytes]) -> bytes:
    """Return the content of the block of the file info."""
    entries = [(1, encode_message([(1, name.encode()), (2, value)])) for name, value in info.items()]
    return _INFO_MAGIC + encode_delimited(encode_message(entries))
