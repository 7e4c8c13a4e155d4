"""Adding to the archive of timeline layout 2: a parquet file, then a manifest that names it, then the version."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Sequence

import pyarrow as pa
import pyarrow.parquet as pq
from attrs import frozen

from hoodoo.archived_timeline.instant_contents import Leaving
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
    """A file that a manifest names."""

    name: str
    size: int

    @property
    def level(self) -> int:
        """How often its rows were merged."""
        match = _FILE.fullmatch(self.name)
        return int(match[3]) if match else 0


def add_history_file(timeline: Timeline, instants: Sequence[Leaving]) -> None:
    """Write completed instants to the archive; they stay on the timeline.

    Files are merged ten at a time, so that there are few of them. What the last manifests no longer name goes.

    Raises:
        CorruptTableError: The current manifest is damaged, or a file that it names.
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
    _tidy(storage, folder, version)


def _rows(instants: Sequence[Leaving]) -> pa.Table:
    columns = {
        "instantTime": [leaving.instant.time for leaving in instants],
        "completionTime": [leaving.instant.completed_at for leaving in instants],
        "action": [leaving.instant.action for leaving in instants],
        "metadata": [leaving.body(State.COMPLETED) for leaving in instants],
        "plan": [_plan(leaving) for leaving in instants],
        "version": [1] * len(instants),
    }
    return pa.table(columns, schema=_SCHEMA)


def _plan(leaving: Leaving) -> bytes | None:
    """What an instant was going to do, where Hudi keeps that."""
    action = leaving.action(State.REQUESTED)
    if action in _PLANNED:
        return leaving.body(State.REQUESTED) or None
    return (leaving.body(State.INFLIGHT) or None) if action == "replacecommit" else None


def _write(storage: Storage, folder: str, rows: pa.Table, level: int) -> _File:
    times = sorted(rows.column("instantTime").to_pylist())
    name = f"{times[0]}_{times[-1]}_{level}.parquet"
    sink = io.BytesIO()
    pq.write_table(rows, sink, compression="gzip", store_schema=False, write_page_checksum=True)
    # an archiver that was interrupted may have left a file of this name: of the same instants, or torn
    storage.replace(join(folder, name), sink.getvalue())
    return _File(name, sink.tell())


def _merged(storage: Storage, folder: str, files: list[_File]) -> list[_File]:
    """The files, with ten of a level in one of the next."""
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


def _tidy(storage: Storage, folder: str, version: int) -> None:
    """Delete all but the last manifests, and files that none of these names: nobody reads by an older one any more."""
    kept = [number for number in _versions(storage, folder) if number > version - _MANIFESTS_KEPT]
    named = {name for number in kept for name, _ in manifest_files(storage, folder, f"manifest_{number}")}
    for info in storage.list(folder):
        name = name_of(info.path)
        match = _MANIFEST.fullmatch(name)
        if (match and int(match[1]) not in kept) or (_FILE.fullmatch(name) and name not in named):
            storage.delete(info.path)
