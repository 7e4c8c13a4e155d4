"""Hudi and hoodoo take turns, in time zones west and east of UTC: no commit of the one hides one of the other."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import hoodoo
from hoodoo.testing.engine import write_arrow

from .comparing import difference, parquet_table
from .hudi_side import HudiSide, bundle, missing, pyspark
from .rows import batch
from .story import COMMON

pytestmark = pytest.mark.interop

ZONES = ("America/Los_Angeles", "Asia/Kolkata")
OURS = ("UTC", "America/Los_Angeles", "Asia/Tokyo")
KINDS = [("COPY_ON_WRITE", 6), ("MERGE_ON_READ", 6), ("COPY_ON_WRITE", 9), ("MERGE_ON_READ", 9)]


@pytest.fixture(scope="module", params=ZONES)
def side(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[HudiSide]:
    """Hudi 1.2.0 in a time zone, with its default for the zone of instants."""
    reason = missing()
    if reason is not None:
        pytest.skip(reason)
    cache = request.config.cache.mkdir("interop")
    started = HudiSide(pyspark(cache), bundle("1.2.0", cache), tmp_path_factory.mktemp("hudi"), request.param)
    yield started
    started.close()


@pytest.fixture(params=OURS)
def own_zone(request: pytest.FixtureRequest) -> Iterator[str]:
    """The time zone of this process."""
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
@pytest.mark.parametrize("first", ["hudi", "hoodoo"])
def test_turns(
    type_: str, version: int, first: str, side: HudiSide, own_zone: str, tmp_path: Path, rows_file: Path
) -> None:
    path = tmp_path / "table"
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
        side.write(path, rows_file, theirs)

    def hoodoo_(number: int) -> None:
        write_arrow(batch(["a:x", f"k{number}:y"], number), path, ours)

    turns: list[Callable[[int], None]] = [hudi, hoodoo_] if first == "hudi" else [hoodoo_, hudi]
    for number in range(1, 6):
        turns[(number - 1) % 2](number)
        table = hoodoo.Table(path)
        rows = {row["id"]: row["ts"] for row in table.to_arrow(columns=["id", "ts"]).to_pylist()}
        assert rows == {"a": number, **{f"k{n}": n for n in range(1, number + 1)}}
        times = [instant.time for instant in table.timeline.commits]
        assert len(times) == number
        side.read(path, {}, tmp_path / "read")
        assert not difference(table.to_arrow(), parquet_table(tmp_path / "read"))
        shutil.rmtree(tmp_path / "read")


@pytest.fixture
def rows_file(tmp_path: Path) -> Path:
    return tmp_path / "rows.parquet"
