"""Metadata tables with a record index for tables that hoodoo made: built from the rows, as Hudi builds them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import hoodoo
from core.tests.metadata_table.made import SCHEMA
from hoodoo.archived_timeline import load_timeline
from hoodoo.format.hfile import hfile_bytes
from hoodoo.metadata_table import layers
from hoodoo.metadata_table.content.records import FILES
from hoodoo.metadata_table.maintenance.compacted_shard import sorted_cells
from hoodoo.metadata_table.maintenance.record_index_records import location_datum
from hoodoo.metadata_table.maintenance.record_schema import encoded_records, with_meta_fields
from hoodoo.metadata_table.shards import shard_of_keys
from hoodoo.properties import dump_properties, load_properties, parse_properties
from hoodoo.properties.table_properties import PROPERTIES_FILE
from hoodoo.storage import Storage, name_of, parent_of, storage_for
from hoodoo.timeline import CommitMetadata, Instant, State

__all__ = ["add_record_index", "recorded_hfiles"]

_FOLDER = ".hoodie/metadata"
_BUILD = "00000000000000000"
_KEY = "_hoodie_record_key"
_NOTE = ["Updated at 2026-01-01T00:00:00.000Z"]


def add_record_index(path: Path, shards: int = 3) -> None:
    """Add a metadata table with the partitions `files` and `record_index` to a table, which has none.

    Args:
        path: The table; it has completed commits only.
        shards: Number of file groups of the record index.
    """
    storage = storage_for(path)
    properties = load_properties(storage)
    timeline, layout = load_timeline(storage, properties), properties.layout_version
    schema = with_meta_fields(SCHEMA, _FOLDER)
    listed: dict[str, dict[str, int]] = {}
    for info in storage.walk():
        if info.path.endswith(".parquet") or ".log." in info.path:
            listed.setdefault(parent_of(info.path) or ".", {})[name_of(info.path)] = info.size
    records = {"__all_partitions__": _files(1, dict.fromkeys(listed, 0))}
    records |= {partition: _files(2, sizes) for partition, sizes in listed.items()}
    cells = sorted_cells(list(records), encoded_records(schema, records.values()))
    _write(path, "files", "files-0000-0", hfile_bytes(cells, {"schema": schema.encode()}))
    keys, values = [pa.array([], pa.string())], [pa.array([], pa.large_binary())]
    for split in hoodoo.Table(path).splits(columns=[_KEY]):
        found = split.read().read_all().column(_KEY).combine_chunks()
        datum = location_datum(schema, (split.partition, split.file_id), 0)
        keys.append(found)
        values.append(pa.array([datum], pa.large_binary()).take(pa.array(np.zeros(len(found), np.int64))))
    every, data = pa.concat_arrays(keys), pa.concat_arrays(values)
    numbers = shard_of_keys(every.cast(pa.large_string()), shards)
    for number in range(shards):
        mine = pa.array(np.flatnonzero(numbers == number))
        cells = sorted_cells(every.take(mine).cast(pa.large_binary()), data.take(mine))
        body = hfile_bytes(cells, {"schema": schema.encode()})
        _write(path, "record_index", f"record-index-{number:04}-0", body)
    own = {
        "hoodie.table.name": f"{properties.name}_metadata",
        "hoodie.table.type": "MERGE_ON_READ",
        "hoodie.table.version": str(properties.version),
        "hoodie.timeline.layout.version": str(layout),
        "hoodie.table.base.file.format": "HFILE",
    }
    instants = path / _FOLDER / (".hoodie" if layout == 1 else ".hoodie/timeline")
    instants.mkdir(parents=True)
    (path / _FOLDER / PROPERTIES_FILE).write_bytes(dump_properties(own, _NOTE))
    body = CommitMetadata("UPSERT_PREPPED", {}, {"schema": SCHEMA}).to_bytes(layout)
    for commit in (Instant(_BUILD, "deltacommit", completion_time=_BUILD if layout > 1 else None), *timeline.commits):
        delta = Instant(commit.time, "deltacommit", completion_time=commit.completion_time)
        for state in State:
            (instants / delta.at(state).file_name).write_bytes(body if state is State.COMPLETED else b"")
    entries = parse_properties((path / PROPERTIES_FILE).read_bytes())
    named = {**entries, "hoodie.table.metadata.partitions": "files,record_index"}
    (path / PROPERTIES_FILE).write_bytes(dump_properties(named, _NOTE))


def _files(kind: int, sizes: dict[str, int]) -> dict[str, object]:
    return {"type": kind, FILES: {name: {"size": size, "isDeleted": False} for name, size in sizes.items()}}


def _write(path: Path, partition: str, file_id: str, body: bytes) -> None:
    folder = path / _FOLDER / partition
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{file_id}_0-0-0_{_BUILD}.hfile").write_bytes(body)


def recorded_hfiles(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list to which each read of a layer of the metadata table adds the path of its file."""
    read: list[str] = []
    opened = layers.open_hfile

    @contextmanager
    def recorded(storage: Storage, path: str) -> Iterator[Any]:
        read.append(path)
        with opened(storage, path) as file:
            yield file

    monkeypatch.setattr(layers, "open_hfile", recorded)
    return read
