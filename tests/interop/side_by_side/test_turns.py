"""Generated histories in which Hudi 1.2.0 and hoodoo take turns on a table, each with its defaults and its time zone.

Hudi makes a metadata table in each of its turns, and cleans and archives as it does by default. hoodoo removes that
metadata table, because an option requests it; `test_metadata_kept.py` keeps it. A dict predicts the rows.
"""

from __future__ import annotations

import os
import random
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from attrs import define, field, frozen

import hoodoo
from tests.interop.comparing import difference, parquet_table
from tests.interop.processes.hudi_side import HudiSide, bundle, missing, pyspark
from tests.interop.rows import batch

pytestmark = pytest.mark.interop

TURNS = 12
FORMATS = (("COPY_ON_WRITE", 6), ("MERGE_ON_READ", 6), ("COPY_ON_WRITE", 9), ("MERGE_ON_READ", 9))
OPERATIONS = ("upsert", "upsert", "upsert", "late", "insert", "bulk_insert", "delete", "insert_overwrite")
OPERATIONS += ("delete_partition",)
WRITE = "hoodie.datasource.write."


@frozen
class Sides:
    """Hudi in one time zone, and the time zone of hoodoo; the first writer determines that of the table."""

    hudi: HudiSide
    own_zone: str
    hudi_is_first: bool


@pytest.fixture(
    scope="module",
    params=[("America/Los_Angeles", "Asia/Tokyo", True), ("Asia/Kolkata", "America/New_York", False)],
    ids=lambda param: f"{param[0]}-{param[1]}".replace("/", "_"),
)
def sides(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sides]:
    """Start Hudi in its time zone, and set that of this process."""
    reason = missing()
    if reason is not None:
        pytest.skip(reason)
    cache = request.config.cache.mkdir("interop")
    zone, own, first = request.param
    before = os.environ.get("TZ")
    os.environ["TZ"] = own
    time.tzset()
    side = HudiSide(pyspark(cache), bundle("1.2.0", cache), tmp_path_factory.mktemp("hudi"), zone)
    yield Sides(side, own, first)
    side.close()
    if before is None:
        del os.environ["TZ"]
    else:
        os.environ["TZ"] = before
    time.tzset()


@define
class History:
    """Rows that the table must have.

    Attributes:
        chance: The random generator that chooses operations, keys and partitions.
        late_wins: Whether a row replaces a stored row with a greater ordering value.
        rows: Partition and ordering value by key.
        keys: The number of keys so far.
    """

    chance: random.Random
    late_wins: bool = False
    rows: dict[str, tuple[str, int]] = field(factory=dict)
    keys: int = 0

    def turn(self, number: int, operations: Sequence[str] = OPERATIONS) -> tuple[str, pa.Table]:
        """Return an operation with its batch, and apply it to the rows; with fewer than four rows it is an upsert.

        The ordering value of the batch is `number`, except that of a late upsert, which is 0.
        """
        operation = self.chance.choice(operations) if len(self.rows) > 3 else "upsert"
        if operation == "delete_partition":
            part = self.chance.choice(sorted({part for part, _ in self.rows.values()}))
            gone = {key for key, (own, _) in self.rows.items() if own == part}
            written = {next(iter(sorted(gone))): part}
            self.rows = {key: row for key, row in self.rows.items() if key not in gone}
            return operation, self.batch(written, number)
        if operation in ("delete", "late"):
            chosen = self.chance.sample(sorted(self.rows), 2)
            written = {key: self.rows[key][0] for key in chosen}
            if operation == "late":
                # each stored row is newer
                if self.late_wins:
                    self.rows |= {key: (part, 0) for key, part in written.items()}
                return "upsert", self.batch(written, 0)
            for key in chosen:
                del self.rows[key]
            return operation, self.batch(written, number)
        written = self.new_keys()
        if operation == "upsert" and self.rows:
            written |= {key: self.rows[key][0] for key in self.chance.sample(sorted(self.rows), min(3, len(self.rows)))}
        if operation == "insert_overwrite":
            replaced = set(written.values())
            self.rows = {key: row for key, row in self.rows.items() if row[0] not in replaced}
        self.rows |= {key: (part, number) for key, part in written.items()}
        return operation, self.batch(written, number)

    def new_keys(self) -> dict[str, str]:
        """Return two keys that the table never had, with partitions."""
        names = [f"k{self.keys + n}" for n in range(2)]
        self.keys += 2
        return {name: self.chance.choice("xyz") for name in names}

    @staticmethod
    def batch(written: dict[str, str], ts: int) -> pa.Table:
        """Return rows of the keys and their partitions, all with one ordering value."""
        return batch([f"{key}:{part}" for key, part in written.items()], ts)


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize(("type_", "version"), FORMATS, ids=str)
def test_both_write_with_their_defaults(type_: str, version: int, seed: int, sides: Sides, tmp_path: Path) -> None:
    path, file, read = tmp_path / "table", tmp_path / "rows.parquet", tmp_path / "read"
    theirs = {
        "hoodie.table.name": "turns",
        WRITE + "recordkey.field": "id",
        WRITE + "precombine.field": "ts",
        WRITE + "partitionpath.field": "part",
        WRITE + "table.type": type_,
        "hoodie.write.table.version": str(version),
        "hoodie.write.auto.upgrade": "false",
    }
    ours = {
        "table_name": "turns",
        "record_key": "id",
        "ordering": "ts",
        "partition_by": "part",
        "table_type": type_,
        "table_version": version,
    }

    def hudi(operation: str, rows: pa.Table) -> None:
        pq.write_table(rows, file)
        more = {}
        if operation == "delete_partition":
            more[WRITE + "partitions.to.delete"] = rows["part"][0].as_py()
        sides.hudi.write(path, file, {**theirs, WRITE + "operation": operation, **more})

    def hoodoo_(operation: str, rows: pa.Table) -> None:
        options: dict[str, Any] = {"hoodie.metadata.enable": "false"} if path.exists() else dict(ours)
        hoodoo.write(rows, path, {**options, "operation": operation})

    writers: list[Callable[[str, pa.Table], None]] = [hudi, hoodoo_] if sides.hudi_is_first else [hoodoo_, hudi]
    history, done = History(random.Random(f"{type_} {version} {seed}")), []
    for number in range(1, TURNS + 1):
        writer = writers[(number - 1) % 2]
        operation, rows = history.turn(number)
        done.append(f"{number}: {writer.__name__} {operation} {rows.select(['id', 'part', 'ts']).to_pylist()}")
        told = "\n".join(done)
        writer(operation, rows)
        table = hoodoo.Table(path)
        found = {
            row["id"]: (row["part"], row["ts"]) for row in table.to_arrow(columns=["id", "part", "ts"]).to_pylist()
        }
        assert found == history.rows, told
        sides.hudi.read(path, {}, read)
        assert not difference(table.to_arrow(), parquet_table(read)), told
        shutil.rmtree(read)
