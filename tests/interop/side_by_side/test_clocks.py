"""Hudi and hoodoo write alternately, in time zones west and east of UTC: no commit hides another one."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from attrs import frozen

import hoodoo
from hoodoo.testing.engine import write_arrow
from tests.interop.comparing import difference, parquet_table
from tests.interop.processes.hudi_side import HudiSide, bundle, missing, pyspark
from tests.interop.rows import batch
from tests.interop.story import COMMON

pytestmark = pytest.mark.interop

ZONES = ("America/Los_Angeles", "Asia/Kolkata")
OURS = ("UTC", "America/Los_Angeles", "Asia/Tokyo")
KINDS = [("COPY_ON_WRITE", 6), ("MERGE_ON_READ", 6), ("COPY_ON_WRITE", 9), ("MERGE_ON_READ", 9)]


@frozen
class Turns:
    """Hudi 1.2.0 in a time zone, and whether it writes first.

    A process of Hudi waits until its clock has passed the last instant that it generated, for any time zone and table.
    One process therefore writes only to tables that Hudi created, in its own zone, or only to ours, which state UTC.
    """

    side: HudiSide
    hudi_is_first: bool


@pytest.fixture(
    scope="module",
    params=[(zone, first) for zone in ZONES for first in ("hudi", "hoodoo")],
    ids=lambda param: f"{param[0]}-{param[1]}",
)
def turns(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Turns]:
    reason = missing()
    if reason is not None:
        pytest.skip(reason)
    cache = request.config.cache.mkdir("interop")
    zone, first = request.param
    side = HudiSide(pyspark(cache), bundle("1.2.0", cache), tmp_path_factory.mktemp("hudi"), zone)
    yield Turns(side, first == "hudi")
    side.close()


@pytest.fixture(params=OURS)
def own_zone(request: pytest.FixtureRequest) -> Iterator[str]:
    """Set the time zone of this process for one test, and yield its name."""
    before = os.environ.get("TZ")
    os.environ["TZ"] = request.param
    time.tzset()
    yield request.param
    if before is None:
        del os.environ["TZ"]
    else:
        os.environ["TZ"] = before
    time.tzset()


@pytest.mark.parametrize(("type_", "version"), KINDS, ids=lambda value: str(value))
def test_turns(type_: str, version: int, turns: Turns, own_zone: str, tmp_path: Path) -> None:
    path, rows_file = tmp_path / "table", tmp_path / "rows.parquet"
    theirs = {
        **COMMON,
        "hoodie.datasource.write.table.type": type_,
        "hoodie.write.table.version": str(version),
        "hoodie.write.auto.upgrade": "false",
        "hoodie.datasource.write.partitionpath.field": "part",
        "hoodie.datasource.write.operation": "upsert",
    }
    ours = {
        "table_name": "story",
        "record_key": "id",
        "ordering": "ts",
        "partition_by": "part",
        "table_type": type_,
        "table_version": version,
    }

    def hudi(number: int) -> None:
        pq.write_table(batch(["a:x", f"k{number}:y"], number), rows_file)
        turns.side.write(path, rows_file, theirs)

    def hoodoo_(number: int) -> None:
        write_arrow(batch(["a:x", f"k{number}:y"], number), path, ours)

    writers: list[Callable[[int], None]] = [hudi, hoodoo_] if turns.hudi_is_first else [hoodoo_, hudi]
    for number in range(1, 6):
        writers[(number - 1) % 2](number)
        table = hoodoo.Table(path)
        rows = {row["id"]: row["ts"] for row in table.to_arrow(columns=["id", "ts"]).to_pylist()}
        assert rows == {"a": number, **{f"k{n}": n for n in range(1, number + 1)}}
        times = [instant.time for instant in table.timeline.commits]
        assert len(times) == number
        turns.side.read(path, {}, tmp_path / "read")
        assert not difference(table.to_arrow(), parquet_table(tmp_path / "read"))
        shutil.rmtree(tmp_path / "read")
