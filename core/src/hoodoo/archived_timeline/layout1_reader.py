"""Reader of the archive of timeline layout 1: log files with Avro blocks, one record per state of an instant."""

from __future__ import annotations

import logging
import re
import struct
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from hoodoo.archived_timeline.reader_protocol import ArchivedInstants
from hoodoo.errors import CorruptTableError, UnsupportedTable
from hoodoo.format.log import BlockType, CorruptBlock, LogBlock, read_blocks, read_content
from hoodoo.storage import FileInfo, Storage, name_of
from hoodoo.timeline import COMMIT_ACTIONS, CommitMetadata, Instant
from hoodoo.timeline.codec.avro_decoder import DECODE_ERRORS, CompiledType, DecodeError, compile_schema
from hoodoo.timeline.codec.json_document import JsonObject

__all__ = ["extra_values_of_log_file", "log_files", "read_log_files"]

_log = logging.getLogger(__name__)

_NAME = re.compile(r"\.commits_\.archive\.\d+(_\d+-\d+-\d+)?")
_CONTENT_VERSION = 3
_METADATA = {"replacecommit": "hoodieReplaceCommitMetadata"}
_COUNT = struct.Struct(">II")
_LENGTH = struct.Struct(">I")


def read_log_files(storage: Storage, folder: str, action: str | None = None) -> ArchivedInstants:
    """Return the completed instants in the files of a folder.

    With an action, blocks in which it does not occur are not decoded; the result may contain other actions. Bytes that
    are not a block are skipped with a warning: an interrupted archiver wrote them, and the instants are still on the
    active timeline.

    Raises:
        CorruptTableError: A file is missing, or a complete block has a wrong checksum or corrupt records.
        UnsupportedTable: A block has another type, log format or content version.
    """
    found: dict[Instant, Callable[[], CommitMetadata]] = {}
    for info in log_files(storage, folder):
        for block in _blocks(storage, info.path):
            if action is not None and action.encode() not in read_content(storage, block):
                continue
            for number, record in enumerate(_records(storage, block)):
                instant = _completed(JsonObject(record, block.file))
                if instant is not None:
                    # the metadata may be large and is rarely needed: decode it on demand
                    found[instant] = partial(_metadata, storage, block, number, instant.action)
    return found


def log_files(storage: Storage, folder: str) -> list[FileInfo]:
    """Return the files of an archive, in the order of their names."""
    found = [info for info in storage.list(folder) if _NAME.fullmatch(name_of(info.path))]
    return sorted(found, key=lambda info: info.path)


def extra_values_of_log_file(storage: Storage, path: str, key: str) -> Iterator[tuple[str, Instant]]:
    """Yield the values of a key in the extra metadata of the commits of a file, each with its commit.

    Raises:
        CorruptTableError: As in `read_log_files`.
        UnsupportedTable: As in `read_log_files`.
    """
    for block in _blocks(storage, path):
        # blocks are not compressed
        if key.encode() not in read_content(storage, block):
            continue
        for record in _records(storage, block):
            entry = JsonObject(record, block.file)
            instant = _completed(entry)
            if instant is None or instant.action not in COMMIT_ACTIONS:
                continue
            metadata = entry.object(_METADATA.get(instant.action, "hoodieCommitMetadata"))
            value = metadata.object("extraMetadata").text(key)
            if value is not None:
                yield value, instant


def _blocks(storage: Storage, path: str) -> Iterator[LogBlock]:
    for block in read_blocks(storage, path):
        if isinstance(block, CorruptBlock):
            end = block.offset + block.length
            _log.warning("archive '%s': corrupt bytes at offset %d to %d were skipped", block.file, block.offset, end)
        else:
            yield block


def _completed(entry: JsonObject) -> Instant | None:
    """Return the instant of an entry; None unless it is completed. Old writers omit the state of completed instants."""
    time, action = entry.text("commitTime"), entry.text("actionType")
    if time is None or action is None or (entry.text("actionState") or "COMPLETED").upper() != "COMPLETED":
        return None
    return Instant(time, Instant(time, action).completed_action)


def _metadata(storage: Storage, block: LogBlock, number: int, action: str) -> CommitMetadata:
    record = next(record for at, record in enumerate(_records(storage, block)) if at == number)
    metadata = JsonObject(record, block.file).object(_METADATA.get(action, "hoodieCommitMetadata"))
    return CommitMetadata.from_record(metadata.value, block.file)


def _records(storage: Storage, block: LogBlock) -> Iterator[dict[str, Any]]:
    if block.type is not BlockType.AVRO_DATA:
        raise UnsupportedTable(
            f"{block} is of type {block.type.name}, not an Avro block; read the table with the Hudi version that "
            "wrote it",
            code="archive",
        )
    content = read_content(storage, block)
    try:
        schema = compile_schema(block.schema_text or "")
        version, count = _COUNT.unpack_from(content)
        if version != _CONTENT_VERSION:
            raise UnsupportedTable(
                f"{block} has content version {version}; only version {_CONTENT_VERSION} is supported; read the table "
                "with the Hudi version that wrote it",
                code="archive",
            )
        yield from _decoded(content, count, schema)
    except DECODE_ERRORS as error:
        reason = str(error) if isinstance(error, DecodeError) else "its records do not match their schema"
        raise CorruptTableError(
            f"{block} is damaged: {reason}; restore the file", file=block.file, offset=block.offset
        ) from error


def _decoded(content: bytes, count: int, schema: CompiledType) -> Iterator[dict[str, Any]]:
    at = _COUNT.size
    for _ in range(count):
        (length,) = _LENGTH.unpack_from(content, at)
        start, at = at + _LENGTH.size, at + _LENGTH.size + length
        if at > len(content):
            raise DecodeError(f"a record of length {length}, but a remaining length of {len(content) - start}")
        record, end = schema.read(content[start:at], 0)
        if end != length or not isinstance(record, dict):
            raise DecodeError(f"the bytes at {start} to {at} are not exactly one record")
        yield record
    if at != len(content):
        raise DecodeError(f"its records end at byte {at} of {len(content)}")
