"""Writer of the archive of timeline layout 2: a Parquet file, a manifest that lists it, and the version file."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Sequence

import pyarrow as pa
import pyarrow.parquet as pq
from attrs import frozen

from hoodoo.archived_timeline.instant_contents import ArchivableInstant
from hoodoo.archived_timeline.layout2_reader import VERSION_FILE, manifest_files, read_history_rows
from hoodoo.storage import Storage, join, name_of
from hoodoo.timeline import State, Timeline

__all__ = ["add_history_file"]

_MANIFEST = re.compile(r"manifest_(\d{1,18})")
_FILE = re.compile(r"(\d+)_(\d+)_(\d+)\.parquet")
_MERGED_AT_ONCE = 10
_MANIFESTS_KEPT = 3
_PLANNED = frozenset({"clean", "clustering", "compaction", "logcompaction"})

_TEXT = {"type": "string", "avro.java.string": "String"}
_AVRO = {
    "type": "record",
    "name": "HoodieLSMTimelineInstant",
    "namespace": "org.apache.hudi.avro.model",
    "fields": [
        *({"name": n, "type": ["null", _TEXT], "default": None} for n in ("instantTime", "completionTime", "action")),
        *({"name": n, "type": ["null", "bytes"], "default": None} for n in ("metadata", "plan")),
        {"name": "version", "type": "int", "default": 1},
    ],
}
_SCHEMA = pa.schema(
    [
        ("instantTime", pa.string()),
        ("completionTime", pa.string()),
        ("action", pa.string()),
        ("metadata", pa.binary()),
        ("plan", pa.binary()),
        pa.field("version", pa.int32(), nullable=False),
    ],
    metadata={"parquet.avro.schema": json.dumps(_AVRO, separators=(",", ":"))},
)


@frozen
class _File:
    """File in a manifest."""

    name: str
    size: int

    @property
    def level(self) -> int:
        """Return how many times the rows of the file were merged."""
        match = _FILE.fullmatch(self.name)
        return int(match[3]) if match else 0


def add_history_file(timeline: Timeline, instants: Sequence[ArchivableInstant]) -> None:
    """Write completed instants, at least one, to the archive; they stay on the timeline.

    If ten files have the same level (the number of merges of their rows), they are merged into one of the next level.
    Files that the last three manifests do not list are deleted.

    Raises:
        CorruptTableError: The current manifest or one of the two before it is corrupt, or a file that is merged is
            corrupt or missing.
        StorageError: The store failed, or another archiver created the same manifest.
    """
    storage, folder = timeline.storage, timeline.archive_folder
    files = [_File(name, size) for name, size in manifest_files(storage, folder)]
    new = _write(storage, folder, _rows(instants), 0)
    files = [file for file in files if file.name != new.name] + [new]
    files = _merged(storage, folder, files)
    version = 1 + max(_versions(storage, folder), default=0)
    document = {"files": [{"fileName": file.name, "fileLen": file.size} for file in files]}
    storage.create(join(folder, f"manifest_{version}"), json.dumps(document, indent=2).encode())
    storage.replace(join(folder, VERSION_FILE), str(version).encode())
    _delete_unused(storage, folder, version)


def _rows(instants: Sequence[ArchivableInstant]) -> pa.Table:
    columns = {
        "instantTime": [archivable.instant.time for archivable in instants],
        "completionTime": [archivable.instant.completed_at for archivable in instants],
        "action": [archivable.instant.action for archivable in instants],
        "metadata": [archivable.body(State.COMPLETED) for archivable in instants],
        "plan": [_plan(archivable) for archivable in instants],
        "version": [1] * len(instants),
    }
    return pa.table(columns, schema=_SCHEMA)


def _plan(archivable: ArchivableInstant) -> bytes | None:
    """Return the plan of an instant; None if it is empty, or if Hudi does not archive plans of the action."""
    action = archivable.action(State.REQUESTED)
    if action in _PLANNED:
        return archivable.body(State.REQUESTED) or None
    return (archivable.body(State.INFLIGHT) or None) if action == "replacecommit" else None


def _write(storage: Storage, folder: str, rows: pa.Table, level: int) -> _File:
    times = sorted(rows.column("instantTime").to_pylist())
    name = f"{times[0]}_{times[-1]}_{level}.parquet"
    sink = io.BytesIO()
    pq.write_table(rows, sink, compression="gzip", store_schema=False, write_page_checksum=True)
    # an interrupted archiver may have left a file of this name, with the same instants or incomplete
    storage.replace(join(folder, name), sink.getvalue())
    return _File(name, sink.tell())


def _merged(storage: Storage, folder: str, files: list[_File]) -> list[_File]:
    """Return the files after merging ten of a level into one of the next level."""
    level = 0
    while any(file.level >= level for file in files):
        oldest = sorted((file for file in files if file.level == level), key=lambda file: file.name)[:_MERGED_AT_ONCE]
        if len(oldest) == _MERGED_AT_ONCE:
            read = (read_history_rows(storage, join(folder, file.name), _SCHEMA) for file in oldest)
            rows = pa.concat_tables(read).sort_by("instantTime")
            files = [file for file in files if file not in oldest] + [_write(storage, folder, rows, level + 1)]
        level += 1
    return sorted(files, key=lambda file: file.name)


def _versions(storage: Storage, folder: str) -> list[int]:
    matches = (_MANIFEST.fullmatch(name_of(info.path)) for info in storage.list(folder))
    return [int(match[1]) for match in matches if match]


def _delete_unused(storage: Storage, folder: str, version: int) -> None:
    """Delete old manifests, and files that the remaining manifests do not list."""
    kept = [number for number in _versions(storage, folder) if number > version - _MANIFESTS_KEPT]
    named = {name for number in kept for name, _ in manifest_files(storage, folder, f"manifest_{number}")}
    for info in storage.list(folder):
        name = name_of(info.path)
        match = _MANIFEST.fullmatch(name)
        if (match and int(match[1]) not in kept) or (_FILE.fullmatch(name) and name not in named):
            storage.delete(info.path)
