"""Two Spark drivers, Apache Hudi's and hoodoo's, write to one table at the same time under one of Hudi's locks.

Each commits twenty times, to file groups that both write to, and repeats a write that fails with a conflict. Hudi's
settings are its defaults, except the concurrency control, the versions and types of tables, and the metadata table,
which is disabled.
"""

from __future__ import annotations

import os
import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from attrs import define, field, frozen
from kazoo.client import KazooClient

import hoodoo
from hoodoo.plugin import LockTarget, default_catalogue
from hoodoo.storage import storage_for
from tests.interop.processes.hoodoo_side import HoodooFailed, HoodooSide
from tests.interop.processes.hudi_side import HudiFailed, HudiSide
from tests.support.rows import rows_of

pytestmark = pytest.mark.interop

RELEASE = "1.2.0"
COMMITS = 20
MOST_TRIES = 15 * COMMITS
SHARED = [f"s{n}" for n in range(9)]
SCHEMA = pa.schema(
    [("id", pa.string()), ("part", pa.string()), ("ts", pa.int64()), ("who", pa.string()), ("n", pa.int64())]
)
LOCK = "hoodie.write.lock."
OCC = {"hoodie.write.concurrency.mode": "optimistic_concurrency_control", "hoodie.metadata.enable": "false"}
FORMATS = (("COPY_ON_WRITE", 6), ("MERGE_ON_READ", 6), ("COPY_ON_WRITE", 9), ("MERGE_ON_READ", 9))


def file_system(table: Path) -> dict[str, str]:
    provider = "org.apache.hudi.client.transaction.lock.FileSystemBasedLockProvider"
    # Hudi retries this lock every 5 seconds by default
    return {f"{LOCK}provider": provider, f"{LOCK}client.wait_time_ms_between_retry": "200"}


def zookeeper(table: Path) -> dict[str, str]:
    provider = "org.apache.hudi.client.transaction.lock.ZookeeperBasedLockProvider"
    return {
        f"{LOCK}provider": provider,
        f"{LOCK}zookeeper.url": zookeeper_url(),
        f"{LOCK}zookeeper.base_path": f"/hudi{table}",
    }


def zookeeper_implicit(table: Path) -> dict[str, str]:
    provider = "org.apache.hudi.client.transaction.lock.ZookeeperBasedImplicitBasePathLockProvider"
    return {f"{LOCK}provider": provider, f"{LOCK}zookeeper.url": zookeeper_url()}


def zookeeper_url() -> str:
    url = os.environ.get("HOODOO_ZOOKEEPER")
    if not url:
        pytest.skip("no ZooKeeper: HOODOO_ZOOKEEPER names a server, `tox -e interop` starts one")
    return url


Lock = Callable[[Path], dict[str, str]]


@frozen
class Batch:
    """Rows of one commit: shared keys of some partitions, and a key that no other commit writes."""

    who: str
    n: int
    shared: tuple[str, ...]

    @classmethod
    def of(cls, who: str, n: int) -> Batch:
        chance = random.Random(f"{who} {n}")
        parts = chance.sample("xyz", chance.choice((1, 1, 2)))
        return cls(who, n, tuple(key for key in SHARED if part_of(key) in parts and chance.random() < 0.8))

    @property
    def own(self) -> str:
        return f"{self.who}-{self.n}"

    def write_to(self, file: Path) -> Path:
        keys = [*self.shared, self.own]
        part = part_of(self.shared[0]) if self.shared else "x"
        rows = [
            {"id": key, "part": part_of(key) if key in SHARED else part, "ts": 1, "who": self.who, "n": self.n}
            for key in keys
        ]
        pq.write_table(pa.Table.from_pylist(rows, schema=SCHEMA), file)
        return file


def part_of(key: str) -> str:
    return "xyz"[int(key[1:]) % 3]


@define
class Writer:
    """One of the two writers, which writes its batches in order, and repeats a write that fails with a conflict."""

    who: str
    write: Callable[[Path], Any]
    is_conflict: Callable[[Exception], bool]
    folder: Path
    acknowledged: dict[int, tuple[float, float]] = field(factory=dict)
    conflicts: int = 0
    failures: list[str] = field(factory=list)

    def run(self) -> None:
        tries = 0
        for n in range(COMMITS):
            rows = Batch.of(self.who, n).write_to(self.folder / f"{self.who}-{n}.parquet")
            while n not in self.acknowledged and tries < MOST_TRIES and not self.failures:
                tries += 1
                began = time.time()
                try:
                    self.write(rows)
                except (HudiFailed, HoodooFailed) as error:
                    if self.is_conflict(error):
                        self.conflicts += 1
                    else:
                        self.failures.append(str(error))
                except Exception as error:  # noqa: BLE001 - shown by the test's own thread
                    self.failures.append(repr(error))
                else:
                    self.acknowledged[n] = began, time.time()


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HoodooSide]:
    side = HoodooSide(tmp_path_factory.mktemp("hoodoo"))
    yield side
    side.close()


@pytest.mark.parametrize(("type_", "version"), FORMATS, ids=lambda value: str(value))
@pytest.mark.parametrize("lock", [file_system, zookeeper, zookeeper_implicit])
def test_hudi_and_hoodoo_write_to_one_table_at_once(
    lock: Lock, type_: str, version: int, hudi: Callable[[str], HudiSide], ours: HoodooSide, tmp_path: Path
) -> None:
    if lock is zookeeper_implicit and (type_, version) != FORMATS[0]:
        pytest.skip("the path of the lock does not depend on the kind of table")
    path = tmp_path / "table"
    coordinated = {**OCC, **lock(path)}
    theirs = hudi(RELEASE)
    options = {
        **coordinated,
        "hoodie.table.name": "shared",
        "hoodie.datasource.write.recordkey.field": "id",
        "hoodie.datasource.write.partitionpath.field": "part",
        "hoodie.datasource.write.precombine.field": "ts",
        "hoodie.datasource.write.table.type": type_,
        "hoodie.write.table.version": str(version),
        "hoodie.write.auto.upgrade": "false",
    }
    rows = [{"id": key, "part": part_of(key), "ts": 1, "who": "start", "n": 0} for key in SHARED]
    pq.write_table(pa.Table.from_pylist(rows, schema=SCHEMA), tmp_path / "start.parquet")
    theirs.write(path, tmp_path / "start.parquet", options)
    if lock is not file_system:
        assert_lock_was_used(path, coordinated)

    writers = (
        Writer("hudi", lambda rows: theirs.write(path, rows, options), is_hudis_conflict, tmp_path),
        Writer("hoodoo", lambda rows: ours.write(path, rows, coordinated), is_our_conflict, tmp_path),
    )
    started = time.time()
    threads = [threading.Thread(target=writer.run) for writer in writers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for writer in writers:
        print(f"{writer.who}: {len(writer.acknowledged)} commits, {writer.conflicts} conflicts")
    print(f"{lock.__name__} {type_} {version}: {time.time() - started:.0f} s")

    assert {writer.who: writer.failures for writer in writers} == {"hudi": [], "hoodoo": []}
    assert [len(writer.acknowledged) for writer in writers] == [COMMITS, COMMITS]
    assert_nothing_lost(hoodoo.Table(path).to_arrow(), writers)
    theirs.read(path, {"hoodie.metadata.enable": "false"}, tmp_path / "read")
    read = pq.read_table(tmp_path / "read").select(SCHEMA.names)
    assert in_order(read) == in_order(hoodoo.Table(path).to_arrow(columns=SCHEMA.names))


def assert_lock_was_used(path: Path, options: Mapping[str, str]) -> None:
    """Assert that Hudi's writer took its lock at the node of ZooKeeper at which hoodoo takes its own."""
    own = {key: value for key, value in options.items() if key.startswith(f"{LOCK}zookeeper.")}
    implicit = "Implicit" in options[f"{LOCK}provider"]
    provider = default_catalogue().make("lock", "zookeeper", {**own, "implicit": implicit})
    node = provider._path(LockTarget(storage_for(path), "shared", "", ""))
    client = KazooClient(zookeeper_url())
    client.start()
    found = client.exists(node)
    client.stop()
    client.close()
    assert found is not None, f"Hudi's lock is not at {node}"
    assert found.cversion > 0, "Hudi's lock was never taken"


def in_order(table: pa.Table) -> list[dict[str, Any]]:
    return sorted(rows_of(table), key=lambda row: str(row["id"]))


def is_hudis_conflict(error: Exception) -> bool:
    return "HoodieWriteConflictException" in str(error)


def is_our_conflict(error: Exception) -> bool:
    return isinstance(error, HoodooFailed) and error.kind == "CommitConflict"


def assert_nothing_lost(table: pa.Table, writers: tuple[Writer, Writer]) -> None:
    """Check that each acknowledged row exists once, and that no shared key has a value that a later commit replaced."""
    found: Mapping[str, tuple[str, int]] = {row["id"]: (row["who"], row["n"]) for row in table.to_pylist()}
    assert [key for key, count in Counter(table["id"].to_pylist()).items() if count > 1] == []
    own = {Batch.of(writer.who, n).own: (writer.who, n) for writer in writers for n in writer.acknowledged}
    assert {key: found.get(key) for key in own} == own
    assert set(found) == {*own, *SHARED}
    intervals = {(writer.who, n): interval for writer in writers for n, interval in writer.acknowledged.items()}
    for key in SHARED:
        wrote = {commit: interval for commit, interval in intervals.items() if key in Batch.of(*commit).shared}
        _, acknowledged = intervals.get(found[key], (0.0, 0.0))
        assert found[key] in wrote or (found[key] == ("start", 0) and not wrote), key
        later = [commit for commit, (began, _) in wrote.items() if began > acknowledged]
        assert later == [], f"'{key}' has the value of {found[key]}, and {later} wrote it afterwards"
