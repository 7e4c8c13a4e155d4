"""Tables that hoodoo cleaned and archived: Hudi reads them and their archives, and runs both services on them."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from attrs import evolve

import hoodoo
from hoodoo.archived_timeline import Archive
from tests.interop.comparing import difference, parquet_table
from tests.interop.processes.hudi_side import HudiSide
from tests.interop.rows import batch
from tests.interop.story import COMMON

from .written import KINDS

pytestmark = pytest.mark.interop

Sides = Callable[[str], HudiSide]

FEW = {"commits_retained": 1, "keep_min_commits": 2, "keep_max_commits": 3}
HUDIS_FEW = {
    "hoodie.cleaner.commits.retained": "1",
    "hoodie.keep.min.commits": "2",
    "hoodie.keep.max.commits": "3",
    "hoodie.commits.archival.batch": "1",
    "hoodie.clean.automatic": "true",
    "hoodie.archive.automatic": "true",
}


def rows_of_step(number: int) -> Any:
    return batch(["a:x", f"k{number % 3}:y"], number)


def hudi_writes(side: HudiSide, options: dict[str, str], number: int, path: Path) -> None:
    file = path.with_name("rows.parquet")
    pq.write_table(rows_of_step(number), file)
    side.write(path, file, {**COMMON, **options, "hoodie.datasource.write.operation": "upsert"})


def assert_same_rows(path: Path, side: HudiSide, folder: Path) -> None:
    side.read(path, {}, folder)
    found = difference(hoodoo.Table(path).to_arrow(), parquet_table(folder))
    shutil.rmtree(folder)
    assert not found


def archived_for_hudi(side: HudiSide, path: Path) -> set[str]:
    """Return the commits that Hudi finds in the archive."""
    found = side.sql(
        [
            "drop table if exists archived",
            f"create table archived using hudi location '{path}'",
            "call show_archived_commits(table => 'archived', limit => 100, start_ts => '2020', end_ts => '2999')",
        ]
    )
    return {row["commit_time"] for row in found}


def archived_for_us(path: Path) -> set[str]:
    return {instant.time for instant in Archive(hoodoo.Table(path).timeline).commits}


@pytest.mark.parametrize("release", ["1.2.0", "0.15.0"])
@pytest.mark.parametrize("name", ["cow6-hive-simple", "mor6-hive-simple"])
def test_our_tables(name: str, release: str, hudi: Sides, tmp_path: Path) -> None:
    side, path = hudi(release), tmp_path / "table"
    services = {**FEW, "compact_inline": name.startswith("mor"), "compact_after_commits": 2}
    kind = evolve(KINDS[name], ours={**KINDS[name].ours, **services})
    for number in range(9):
        kind.write(rows_of_step(number), path, "upsert")
    assert len(archived_for_us(path)) > 3
    assert_same_rows(path, side, tmp_path / "read")
    assert archived_for_hudi(side, path) >= archived_for_us(path)

    for number in range(9, 13):
        hudi_writes(side, {**kind.hudis, **HUDIS_FEW}, number, path)
    assert_same_rows(path, side, tmp_path / "read")
    assert len(archived_for_us(path)) > 6
    kind.write(rows_of_step(13), path, "upsert")
    assert_same_rows(path, side, tmp_path / "read")


@pytest.mark.parametrize("type_", ["COPY_ON_WRITE", "MERGE_ON_READ"])
def test_tables_of_version_9(type_: str, hudi: Sides, tmp_path: Path) -> None:
    side, path = hudi("1.2.0"), tmp_path / "table"
    options = {**KINDS["cow6-hive-simple"].hudis, "hoodie.datasource.write.table.type": type_}
    options["hoodie.write.table.version"] = "9"
    if type_ == "MERGE_ON_READ":
        options |= {"hoodie.compact.inline": "true", "hoodie.compact.inline.max.delta.commits": "2"}
    for number in range(7):
        hudi_writes(side, options, number, path)
    assert hoodoo.Table(path).clean(commits_retained=1)
    assert_same_rows(path, side, tmp_path / "read")
    assert hoodoo.Table(path).archive(**FEW)
    ours = archived_for_us(path)
    assert len(ours) > 3
    assert_same_rows(path, side, tmp_path / "read")
    assert archived_for_hudi(side, path) >= ours

    for number in range(7, 10):
        hudi_writes(side, {**options, **HUDIS_FEW}, number, path)
    assert_same_rows(path, side, tmp_path / "read")
    assert archived_for_us(path) > ours
