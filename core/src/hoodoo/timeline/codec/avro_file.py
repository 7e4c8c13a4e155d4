"""Avro object container files of one record: commits of layout 2, and plans in every layout."""

from __future__ import annotations

import io
import zlib
from collections.abc import Mapping
from typing import Any

import fastavro

from hoodoo.__about__ import __version__
from hoodoo.errors import CorruptTableError, UnsupportedTable
from hoodoo.timeline.codec.avro_decoder import DECODE_ERRORS, DecodeError, compile_schema, read_bytes, read_long

__all__ = ["MAGIC", "is_written_by_hoodoo", "read_record", "write_record"]

MAGIC = b"Obj\x01"

_WRITER = "hoodoo.version"
"""Header entry of files that hoodoo wrote; readers of Avro ignore unknown entries."""

_SYNC = 16
_MOST_EXPANSION = 200
_ALWAYS_ALLOWED = 16 << 20
_STEP = 1 << 20


def read_record(body: bytes, file: str) -> dict[str, Any]:
    """Return the only record of a file, decoded by the schema in it; see `avro_decoder` for the values of each type.

    Raises:
        CorruptTableError: The bytes are not an Avro file of one record, or state an impossible length.
        UnsupportedTable: The codec is neither null nor deflate.
    """
    try:
        return _read(body, file)
    except DECODE_ERRORS as error:
        reason = f": {error}" if isinstance(error, DecodeError) else ""
        raise CorruptTableError(
            f"'{file}' is not a complete Avro file of one record{reason}; restore the file", file=file
        ) from error


def write_record(schema: Mapping[str, Any], record: Mapping[str, Any]) -> bytes:
    """Return the file of one record, uncompressed, as Hudi writes it."""
    body = io.BytesIO()
    metadata = {_WRITER: __version__}
    fastavro.writer(body, fastavro.parse_schema(dict(schema)), [record], codec="null", metadata=metadata)
    return body.getvalue()


def is_written_by_hoodoo(body: bytes) -> bool:
    """Return whether `write_record` made the file; False for other or incomplete files."""
    try:
        return body[: len(MAGIC)] == MAGIC and _WRITER in _header(body, len(MAGIC))[0]
    except DECODE_ERRORS:
        return False


def _read(body: bytes, file: str) -> dict[str, Any]:
    if body[: len(MAGIC)] != MAGIC:
        raise DecodeError(f"its first {len(MAGIC)} bytes are not those of an Avro file")
    metadata, at = _header(body, len(MAGIC))
    sync = body[at : at + _SYNC]
    count, at = read_long(body, at + _SYNC)
    if count != 1:
        raise DecodeError(f"a block of {count} records")
    block, at = read_bytes(body, at)
    if len(sync) < _SYNC or body[at:] != sync:
        raise DecodeError(
            f"the block that ends at byte {at} is not followed by the sync marker and the end of the file"
        )
    data = _decompressed(block, metadata.get("avro.codec", b"null").decode(), file)
    record, end = compile_schema(metadata["avro.schema"].decode()).read(data, 0)
    if end != len(data):
        raise DecodeError(f"the record ends at byte {end} of {len(data)}")
    if not isinstance(record, dict):
        raise DecodeError("it contains a value that is not a record")
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
            f"'{file}' is compressed with '{codec}'; only the codecs null and deflate are supported; read the table "
            "with the Hudi version that wrote it",
            code="avro_codec",
        )
    inflater = zlib.decompressobj(-zlib.MAX_WBITS)
    parts: list[bytes] = []
    left = max(_ALWAYS_ALLOWED, _MOST_EXPANSION * len(block))
    try:
        # in steps: a single call would take twice the memory before the limit is checked
        while left > 0 and not inflater.eof:
            part = inflater.decompress(inflater.unconsumed_tail if parts else block, min(left, _STEP + 8 * len(block)))
            if not part:
                break
            parts.append(part)
            left -= len(part)
    except zlib.error as error:
        raise DecodeError(str(error)) from error
    # some writers append a part of zlib's checksum to the compressed data
    if not inflater.eof:
        raise DecodeError("the compressed block is truncated, or expands to more than 200 times its size and 16 MiB")
    return b"".join(parts)
