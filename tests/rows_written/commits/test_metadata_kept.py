"""Metadata tables of Hudi stay right when hoodoo writes: each partition is compared with the files and the rows."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import hoodoo
from hoodoo.diagnosis import Status
from hoodoo.diagnosis.metadata.validate import validate
from hoodoo.errors import CommitConflict
from hoodoo.properties import load_properties
from hoodoo.schema.meta_columns import without_meta
from hoodoo.storage import storage_for

pytestmark = pytest.mark.slow

STATISTICS = ("column_stats", "files", "partition_stats")
TABLES: Mapping[str, tuple[str, ...]] = {
    "cow6": ("column_stats", "files"),
    "cow6-bloom-by-0.15.0": ("files",),
    "cow8-by-1.0.2": ("column_stats", "files"),
    "cow9-archived-overwrite": STATISTICS,
    "cow9-clustered": STATISTICS,
    "cow9-columns-widened": STATISTICS,
    "cow9-failed": STATISTICS,
    "mor-upgraded-6-to-9": STATISTICS,
    "mor9-partitioned-record-index": ("files", "record_index"),
    "mor6-by-0.15.0": ("files",),
    "mor6-commit-time": ("column_stats", "files"),
    "mor6-compaction-pending-by-0.15.0": ("files",),
    "mor6-rolled-back-by-0.15.0": ("files",),
}
"""Some of the golden tables, and the partitions of their metadata tables."""

EARLY = ("cow6", "cow9-failed", "mor6-commit-time")


def problems(table: Path) -> set[str]:
    return {str(finding) for finding in validate(table).findings if finding.status is Status.PROBLEM}


def steps(table: Path) -> list[Callable[[], object]]:
    """Return functions that change a table: upserts, a delete, a compaction, an overwrite of partitions and a clean."""
    rows = hoodoo.Table(table).to_arrow()
    rows = rows.select(without_meta(rows.schema).names)
    name = load_properties(storage_for(table)).name

    def write(share: int, **options: Any) -> Callable[[], object]:
        given = rows.slice(0, max(1, len(rows) // share))
        return lambda: hoodoo.write(given, table, {"table_name": name, **options})

    changed = [write(2), write(4, operation="delete"), write(3), lambda: hoodoo.Table(table).compact()]
    replaced = [write(3, operation="insert_overwrite"), lambda: hoodoo.Table(table).clean(commits_retained=1)]
    # the metadata table is compacted after ten delta commits
    return [*changed, *replaced, *(write(share) for share in range(4, 8))]


@pytest.mark.parametrize(
    "name", [name if name in EARLY else pytest.param(name, marks=pytest.mark.nightly) for name in TABLES]
)
def test_each_partition_equals_the_files_after_each_step(name: str, real_table: Callable[[str], Path]) -> None:
    table = real_table(name)
    known = problems(table)
    properties = load_properties(storage_for(table))
    assert properties.metadata_partitions == TABLES[name]

    for step in steps(table):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            # Hudi planned a compaction of one table, which hoodoo does not run
            with suppress(CommitConflict):
                step()
        assert problems(table) <= known

    assert load_properties(storage_for(table)).metadata_partitions == TABLES[name]
