"""Tables that hoodoo wrote, read and written to by Hudi, and written to by hoodoo again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import hoodoo
from tests.interop.comparing import assert_read_alike
from tests.interop.processes.hudi_side import HudiSide
from tests.interop.story import COMMON
from tests.support.rows import rows_of

from .written import KINDS, RELEASES, Kind, step_rows

pytestmark = pytest.mark.interop

Sides = Callable[[str], HudiSide]


def hudi_writes(side: HudiSide, kind: Kind, rows: Any, path: Path, operation: str) -> None:
    file = path.with_name("rows.parquet")
    pq.write_table(rows, file)
    side.write(path, file, {**COMMON, **kind.hudis, "hoodie.datasource.write.operation": operation})


@pytest.mark.parametrize(
    ("name", "release"), [(name, release) for name, kind in KINDS.items() for release in RELEASES[kind.version]]
)
def test_hudi_reads_what_hoodoo_wrote_and_both_write_on(name: str, release: str, hudi: Sides, tmp_path: Path) -> None:
    kind, side, table = KINDS[name], hudi(release), tmp_path / "table"
    merges, encoded = name.startswith("mor"), "encoded" in name
    escaped = encoded and release >= "1.1"  # known.ESCAPED
    rows = step_rows(encoded)
    alone: dict[str, list[str]] = {}
    # without partitions and buckets, a new key is added to the file group of `b`, which gets a new base file
    if merges and ("none" not in name or "bucket" in name):
        alone["incremental"] = ["b"]  # known.LATE
    kind.write(rows["first"], table, "bulk_insert")
    kind.write(rows["update"], table, "upsert")
    kind.write(rows["late"], table, "upsert")
    kind.write(rows["delete"], table, "delete")
    assert_read_alike(table, side, tmp_path / "read", alone, escaped=escaped)

    hudi_writes(side, kind, rows["again"], table, "upsert")
    hudi_writes(side, kind, rows["update"].slice(1, 1), table, "delete")
    if merges and release < "1.1":
        alone[""] = ["a"]  # known.BURIED
    assert_read_alike(table, side, tmp_path / "read", alone, escaped=escaped)

    kind.write(rows["last"], table, "upsert")
    kind.write(rows["last"].slice(0, 1), table, "delete")
    assert_read_alike(table, side, tmp_path / "read", alone, escaped=escaped)
    keys = sorted(row["id"] for row in rows_of(hoodoo.Table(table).to_arrow()))
    # a deleted key stays deleted after a late record only if the delete is in a log
    assert keys == [*([] if merges else ["a"]), "b", "d", "g", "h", "i"]
