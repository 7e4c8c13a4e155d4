"""Histories in which Hudi and hoodoo take turns on a table with a metadata table, which each of them keeps current.

Hudi creates the metadata table, reads by it, and continues it without building it again. A dict predicts the rows.
"""

from __future__ import annotations

import random
import shutil
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import hoodoo
from hoodoo.archived_timeline import load_timeline
from hoodoo.diagnosis import Status
from hoodoo.diagnosis.metadata.validate import validate
from hoodoo.metadata_table import MetadataTable
from hoodoo.properties import load_properties
from hoodoo.storage import storage_for
from hoodoo.txn.metadata import compaction, upkeep
from tests.interop.comparing import difference, parquet_table
from tests.interop.conftest import Sides

from .test_turns import WRITE, History

pytestmark = [
    pytest.mark.interop,
    pytest.mark.filterwarnings("ignore::hoodoo.txn.metadata.preparation.IndexDisabled"),
]

TURNS = 14
RELEASES = (
    ("1.2.0", "COPY_ON_WRITE", 9),
    ("1.2.0", "MERGE_ON_READ", 9),
    ("1.2.0", "MERGE_ON_READ", 6),
    ("1.0.2", "MERGE_ON_READ", 8),
    ("0.15.0", "COPY_ON_WRITE", 6),
    ("0.15.0", "MERGE_ON_READ", 6),
)
SERVICES: dict[str, Any] = {
    "clean_after_commits": 2,
    "commits_retained": 2,
    "keep_min_commits": 4,
    "keep_max_commits": 5,
}
"""Services that run often: all of them happen in a history."""


def metadata_of(path: Path) -> MetadataTable:
    storage = storage_for(path)
    properties = load_properties(storage)
    metadata = MetadataTable.open(storage, properties, load_timeline(storage, properties))
    assert metadata is not None
    return metadata


@pytest.fixture(autouse=True)
def _frequent_services_of_the_metadata_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let hoodoo compact, clean and archive the metadata table several times in a history."""
    monkeypatch.setattr(compaction, "_DELTA_COMMITS", 4)
    monkeypatch.setattr(upkeep, "_SLICES", 2)
    monkeypatch.setattr(upkeep, "_COMMITS", 6)


@pytest.mark.parametrize(("release", "type_", "version"), RELEASES, ids=str)
def test_both_keep_the_metadata_table(release: str, type_: str, version: int, hudi: Sides, tmp_path: Path) -> None:
    path, file, read = tmp_path / "table", tmp_path / "rows.parquet", tmp_path / "read"
    theirs = {
        "hoodie.table.name": "kept",
        WRITE + "recordkey.field": "id",
        WRITE + "precombine.field": "ts",
        WRITE + "partitionpath.field": "part",
        WRITE + "table.type": type_,
        "hoodie.datasource.compaction.async.enable": "false",
    }
    if release != "0.15.0":
        theirs |= {"hoodie.write.table.version": str(version), "hoodie.write.auto.upgrade": "false"}

    def hudi_(operation: str, rows: pa.Table) -> None:
        pq.write_table(rows, file)
        more = {WRITE + "partitions.to.delete": rows["part"][0].as_py()} if operation == "delete_partition" else {}
        hudi(release).write(path, file, {**theirs, WRITE + "operation": operation, **more})

    def hoodoo_(operation: str, rows: pa.Table) -> None:
        options = {**SERVICES, "operation": operation}
        if type_ == "MERGE_ON_READ":
            options |= {"compact_inline": True, "compact_after_commits": 3}
        hoodoo.write(rows, path, options)

    history, done = History(random.Random(f"{release} {type_} {version}")), []
    created, actions = b"", set[str]()
    for number in range(1, TURNS + 1):
        # Hudi creates the table; hoodoo writes more often, so that it compacts the metadata table
        writer = hudi_ if number % 3 == 1 else hoodoo_
        operation, rows = history.turn(number)
        done.append(f"{number}: {writer.__name__} {operation} {rows.select(['id', 'part', 'ts']).to_pylist()}")
        told = "\n".join(done)
        writer(operation, rows)
        # Hudi builds the partitions again that hoodoo disables; its statistics of bytes have signed minima
        found = [finding for finding in validate(path).findings if finding.check in ("metadata table", "files")]
        assert [finding for finding in found if finding.status is Status.PROBLEM] == [], told
        metadata = metadata_of(path)
        assert "files" in metadata.partitions, told
        # Hudi creates this file when it builds a metadata table
        own = (path / ".hoodie/metadata/.hoodie/hoodie.properties").read_bytes()
        assert number == 1 or own == created, f"Hudi built the metadata table again\n{told}"
        created = own
        actions |= {instant.action for instant in metadata.metadata.instants}
        table = hoodoo.Table(path)
        rows_now = {
            row["id"]: (row["part"], row["ts"]) for row in table.to_arrow(columns=["id", "part", "ts"]).to_pylist()
        }
        assert rows_now == history.rows, told
        for enabled in ("true", "false"):
            hudi(release).read(path, {"hoodie.metadata.enable": enabled}, read)
            assert not difference(table.to_arrow(), parquet_table(read)), f"{enabled}: {told}"
            shutil.rmtree(read)
    assert {"commit", "clean"} <= actions
