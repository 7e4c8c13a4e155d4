"""Writer of the archive of timeline layout 1: each call adds a log file with one block."""

from __future__ import annotations

import io
import re
import struct
from collections.abc import Iterator, Sequence
from typing import Any

import fastavro

from hoodoo.archived_timeline.instant_contents import ArchivableInstant
from hoodoo.archived_timeline.layout1_schema import ENTRY, ENTRY_TEXT
from hoodoo.format.file_names import NO_TASK_TOKEN
from hoodoo.format.log import BlockType, HeaderKey
from hoodoo.format.log.block_writer import encode_block
from hoodoo.storage import Storage, join, name_of
from hoodoo.timeline import CommitMetadata, Instant, Timeline, format_instant
from hoodoo.timeline.codec.avro_file import read_record

__all__ = ["add_log_file"]

_NAME = re.compile(r"\.commits_\.archive\.(\d{1,9})(_\d+-\d+-\d+)?")
_CONTENT_VERSION = 3
_COUNT = struct.Struct(">II")
_LENGTH = struct.Struct(">I")
_SCHEMA = fastavro.parse_schema(ENTRY)

_FIELDS = {
    ("commit", False): "hoodieCommitMetadata",
    ("deltacommit", False): "hoodieCommitMetadata",
    ("replacecommit", False): "hoodieReplaceCommitMetadata",
    ("clean", False): "hoodieCleanMetadata",
    ("rollback", False): "hoodieRollbackMetadata",
    ("compaction", True): "hoodieCompactionPlan",
    ("clean", True): "hoodieCleanerPlan",
    ("replacecommit", True): "hoodieRequestedReplaceMetadata",
}
"""Field of an entry for the content of a file, by action and by whether it is the requested file."""


def add_log_file(timeline: Timeline, instants: Sequence[ArchivableInstant]) -> None:
    """Write all states of instants to the archive; they stay on the timeline.

    Raises:
        CorruptTableError: An instant's file is corrupt.
        UnsupportedTable: The codec of an instant's file is not supported.
        StorageError: The store failed, an instant's file was removed, or another archiver created the same log file.
    """
    storage, folder = timeline.storage, timeline.archive_folder
    records = [_encoded(entry) for archivable in instants for entry in _entries(timeline, archivable)]
    content = _COUNT.pack(_CONTENT_VERSION, len(records)) + b"".join(
        _LENGTH.pack(len(record)) + record for record in records
    )
    body = encode_block(BlockType.AVRO_DATA, {HeaderKey.SCHEMA: ENTRY_TEXT}, content)
    storage.create(join(folder, f".commits_.archive.{_next_number(storage, folder)}_{NO_TASK_TOKEN}"), body)


def _next_number(storage: Storage, folder: str) -> int:
    matches = (_NAME.fullmatch(name_of(info.path)) for info in storage.list(folder))
    return 1 + max((int(match[1]) for match in matches if match), default=0)


def _entries(timeline: Timeline, archivable: ArchivableInstant) -> Iterator[dict[str, Any]]:
    for instant, body in archivable.states:
        entry: dict[str, Any] = {
            "commitTime": instant.time,
            "actionType": instant.action,
            "actionState": instant.state.name,
            "stateTransitionTime": format_instant(timeline.storage.modified(timeline.path_of(instant)), timeline.zone),
            "version": 1,
        }
        name = _FIELDS.get((instant.action, instant.state.name == "REQUESTED"))
        if name is not None and body and instant.state.name != "INFLIGHT":
            entry[name] = _record(instant, body, timeline.path_of(instant))
        yield entry


def _record(instant: Instant, body: bytes, file: str) -> dict[str, Any]:
    if instant.is_completed and instant.action not in ("clean", "rollback"):
        return CommitMetadata.from_json(body, file).to_record()
    return read_record(body, file)


def _encoded(entry: dict[str, Any]) -> bytes:
    body = io.BytesIO()
    fastavro.schemaless_writer(body, _SCHEMA, entry)
    return body.getvalue()
