"""Tables that Hudi wrote, written to by hoodoo and read by Hudi."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

import hoodoo
from hoodoo.record.delete_markers import FLAG_COLUMN
from hoodoo.testing.engine import write_arrow
from tests.interop.processes.hudi_side import HudiSide
from tests.support.rows import rows_of

from .comparing import assert_read_alike
from .rows import batch
from .story import PerformedStory, Story
from .tables import STORIES

pytestmark = pytest.mark.interop

VERSIONS = (6, 8, 9)
"""Table versions that hoodoo writes."""

_NAMES = (
    "cow{}",
    "cow{}-clustered",
    "cow{}-columns-added",
    "cow{}-failed",
    "cow{}-overwrite",
    "mor{}-archived",
    "mor{}-avro",
    "mor{}-bucket",
    "mor{}-compaction-done",
    "mor{}-complex-key",
    "mor{}-delete-flag",
    "mor{}-metadata",
    "mor{}-parquet",
    "mor{}-url-encoded",
)

_LATE = {"-delete-flag": ("a", "d", "e")}
"""Keys of late records, see `known.LATE`."""


@pytest.mark.parametrize(
    "name", [name.format(version) for version in VERSIONS for name in _NAMES if name.format(version) in STORIES]
)
def test_hudi_reads_its_table_after_hoodoo_wrote(
    name: str, perform_story: Callable[[Story], PerformedStory], hudi: Callable[[str], HudiSide], tmp_path: Path
) -> None:
    table = tmp_path / "copy"
    shutil.copytree(perform_story(STORIES[name]).table, table)
    before = rows_of(hoodoo.Table(table).to_arrow())
    schema = hoodoo.Table(table).schema
    own = {"hoodie.metadata.enable": "false", "index": "bucket" if name.endswith("bucket") else "simple"}
    if own["index"] == "bucket":
        own["buckets"] = "3"
    counts = Counter(row["id"] for row in before)
    keys = sorted(key for key, count in counts.items() if count == 1)
    kept = ("part", *(("s", "v") if "complex" in name else ()))
    placed = {column: {row["id"]: row[column] for row in before} for column in kept}
    live = {FLAG_COLUMN: False} if FLAG_COLUMN in schema.names else {}
    written = batch([*keys[:2], "new"], 1000, schema=schema, **placed, **live)
    write_arrow(written, table, {**own, "operation": "upsert"})
    gone = written.slice(0, 1)
    write_arrow(gone, table, {**own, "operation": "delete"})

    late = _LATE.get(name[4:], ())
    assert_read_alike(
        table,
        hudi(STORIES[name].release),
        tmp_path / "read",
        {"incremental": late},
        escaped="encoded" in name,
        refused=["incremental_all"] if "archived" in name else [],
    )
    after = sorted((row["id"], row["ts"]) for row in rows_of(hoodoo.Table(table).to_arrow()))
    stayed = [(row["id"], row["ts"]) for row in before if row["id"] not in keys[:2]]
    assert after == sorted([*stayed, (keys[1], 1000), ("new", 1000)])
