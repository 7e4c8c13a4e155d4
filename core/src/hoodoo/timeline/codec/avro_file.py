"""Avro object container files of one record: commits of layout 2, and plans in every layout."""

from __future__ import annotations

import io
import zlib
from collections.abc import Mapping
from typing import Any

import fastavro

from hoodoo.__about__ import __version__
from hoodoo.errors import CorruptTableError, UnsupportedTable
from hoodoo.timeline.codec.avro_decoder import DAMAGE, Damaged, compile_schema, read_bytes, read_long

__all__ = ["MAGIC", "is_ours", "read_record", "write_record"]

MAGIC = b"Obj\x01"

_WRITER = "hoodoo.version"
"""The entry of a file's header that only our files have; readers of Avro pass over entries that they do not expect."""

_SYNC = 16
_MOST_EXPANSION = 200
_ALWAYS_ALLOWED = 16 << 20
_STEP = 1 << 20


def read_record(body: bytes, file: str) -> dict[str, Any]:
    """The one record of a file, by the schema in it; see `avro_record` for what stands for each type.

    Raises:
        CorruptTableError: It is no such file, it does not end with the record, or a length in it is impossible; `file`
            is the path that is named.
        UnsupportedTable: A codec other than null and deflate.
    """
    try:
        return _read(body, file)
    except DAMAGE as error:
        raise CorruptTableError(f"'{file}' is no whole Avro file of one record: {error}", file=file) from error


def write_record(schema: Mapping[str, Any], record: Mapping[str, Any]) -> bytes:
    """The file of one record, uncompressed as Hudi writes it."""
    body = io.BytesIO()
    metadata = {_WRITER: __version__}
    fastavro.writer(body, fastavro.parse_schema(dict(schema)), [record], codec="null", metadata=metadata)
    return body.getvalue()


def is_ours(body: bytes) -> bool:
    """Return whether `write_record` made the file; False for other files, whole or not."""
    try:
        return body[: len(MAGIC)] == MAGIC and _WRITER in _header(body, len(MAGIC))[0]
    except DAMAGE:
        return False


def _read(body: bytes, file: str) -> dict[str, Any]:
    if body[: len(MAGIC)] != MAGIC:
        raise Damaged(f"it begins with {body[:4]!r}")
    metadata, at = _header(body, len(MAGIC))
    sync = body[at : at + _SYNC]
    count, at = read_long(body, at + _SYNC)
    if count != 1:
        raise Damaged(f"a block of {count} records")
    block, at = read_bytes(body, at)
    if len(sync) < _SYNC or body[at:] != sync:
        raise Damaged(f"the block that ends at byte {at} is not followed by its mark and the end of the file")
    data = _decompressed(block, metadata.get("avro.codec", b"null").decode(), file)
    record, end = compile_schema(metadata["avro.schema"].decode()).read(data, 0)
    if end != len(data):
        raise Damaged(f"{len(data) - end} bytes are left after the record")
    if not isinstance(record, dict):
        raise Damaged(f"it holds a {type(record).__name__}")
    return record


def _header(body: bytes, at: int) -> tuple[dict[str, bytes], int]:
    metadata: dict[str, bytes] = {}
    while True:
        count, at = read_long(body, at)
        if count == 0:
            return metadata, at
        if count < 0:
            _, at = read_long(body, at)
        for _ in range(abs(count)):
            key, at = read_bytes(body, at)
            metadata[key.decode()], at = read_bytes(body, at)


def _decompressed(block: bytes, codec: str, file: str) -> bytes:
    if codec == "null":
        return block
    if codec != "deflate":
        raise UnsupportedTable(
            f"'{file}' is compressed with '{codec}'; Avro files with codec null or deflate are read", code="avro_codec"
        )
    inflater = zlib.decompressobj(-zlib.MAX_WBITS)
    parts: list[bytes] = []
    left = max(_ALWAYS_ALLOWED, _MOST_EXPANSION * len(block))
    try:
        # at once would take twice the memory, before it is known to be too much
        while left > 0 and not inflater.eof:
            part = inflater.decompress(inflater.unconsumed_tail if parts else block, min(left, _STEP + 8 * len(block)))
            if not part:
                break
            parts.append(part)
            left -= len(part)
    except zlib.error as error:
        raise Damaged(str(error)) from error
    # some writers leave a part of zlib's checksum behind the compressed data
    if not inflater.eof:
        raise Damaged("the compressed block is cut off, or expands beyond measure")
    return b"".join(parts)
