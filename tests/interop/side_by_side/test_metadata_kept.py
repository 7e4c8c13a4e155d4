"""Histories in which Hudi and hoodoo take turns on a table with a metadata table, which each of them keeps current.

Hudi or hoodoo creates the metadata table with all partitions that hoodoo keeps, in a new table or in one that has rows,
and Hudi continues it without building it again. It finds the rows of its upserts by the record index, so that a wrong
location makes a duplicate, and reads filters by data skipping. A dict predicts the rows, and Python functions the rows
of the filters.
"""

from __future__ import annotations

import datetime
import random
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
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
from hoodoo.txn.metadata import upkeep
from tests.interop.comparing import difference, parquet_table
from tests.interop.conftest import Sides
from tests.interop.processes.hudi_side import HudiSide, bundle, missing, pyspark

from .test_turns import WRITE, History

pytestmark = pytest.mark.interop

TURNS = {"hudi": 14, "hoodoo": 6, "hoodoo late": 6}
"""Number of turns by the writer that creates the metadata table."""
RELEASES = (
    ("1.2.0", "COPY_ON_WRITE", 9, "hudi"),
    ("1.2.0", "MERGE_ON_READ", 9, "hudi"),
    ("1.2.0", "MERGE_ON_READ", 6, "hudi"),
    ("1.0.2", "MERGE_ON_READ", 8, "hudi"),
    ("0.15.0", "COPY_ON_WRITE", 6, "hudi"),
    ("0.15.0", "MERGE_ON_READ", 6, "hudi"),
    ("1.2.0", "COPY_ON_WRITE", 9, "hoodoo"),
    ("1.2.0", "MERGE_ON_READ", 9, "hoodoo late"),
    ("1.2.0", "MERGE_ON_READ", 6, "hoodoo late"),
    ("1.0.2", "MERGE_ON_READ", 8, "hoodoo"),
    ("0.15.0", "MERGE_ON_READ", 6, "hoodoo late"),
)
"""Release of Hudi, table type, table version, and who creates the metadata table: late is with the second commit."""
SERVICES: dict[str, Any] = {
    "clean_after_commits": 2,
    "commits_retained": 2,
    "keep_min_commits": 4,
    "keep_max_commits": 5,
    "metadata_compact_after_commits": 4,
}
"""Services that run often: all of them happen in a history."""
INDEXES = {
    "hoodie.metadata.enable": "true",
    "hoodie.metadata.index.column.stats.enable": "true",
    "hoodie.metadata.index.bloom.filter.enable": "true",
}
ABSENT = "id = 'k1x'"
"""Filter for a key that is often between the keys of a file, so that only the record index excludes the file."""
LITERALS: dict[str, Callable[[Any], str]] = {
    "v": str,
    "big": str,
    "d": "{}D".format,
    "dec": "{}BD".format,
    "s": "'{}'".format,
    "day": "date'{}'".format,
    "at": "timestamp'{}'".format,
}
"""Literals of SQL for the values of columns with statistics."""
SKIPPING = {"hoodie.metadata.enable": "true", "hoodie.enable.data.skipping": "true"}


def indexes_of(release: str, version: int) -> tuple[dict[str, str], set[str]]:
    """Return Hudi's options for its indexes, and the partitions that the metadata table then has."""
    partitions = {"files", "column_stats", "bloom_filters", "record_index"}
    if release == "1.2.0":
        key, index = "hoodie.metadata.global.record.level.index.enable", "GLOBAL_RECORD_LEVEL_INDEX"
    else:
        key, index = "hoodie.metadata.record.index.enable", "RECORD_INDEX"
    options = {**INDEXES, key: "true", "hoodie.index.type": index}
    if version > 6:
        partitions.add("partition_stats")
        options["hoodie.metadata.index.partition.stats.enable"] = "true"
    return options, partitions


def filters_of(rows: Sequence[Mapping[str, Any]], number: int) -> dict[str, list[str]]:
    """Return filters in SQL for the rows after a turn, and the sorted keys of the rows that each of them keeps."""
    if not rows:
        return {ABSENT: []}
    chance = random.Random(number)
    one, two = (chance.choice(rows) for _ in range(2))
    key, part, ts = one["id"], one["part"], two["ts"]
    kept: dict[str, Callable[[Mapping[str, Any]], bool]] = {
        ABSENT: lambda row: False,
        f"id = '{key}'": lambda row: row["id"] == key,
        f"_hoodie_record_key = '{key}'": lambda row: row["id"] == key,
        f"id in ('{key}', '{two['id']}', 'absent')": lambda row: row["id"] in (key, two["id"]),
        f"id = '{key}' and ts < {ts}": lambda row: row["id"] == key and row["ts"] < ts,
        f"ts = {ts}": lambda row: row["ts"] == ts,
        f"ts > {number - 2}": lambda row: row["ts"] > number - 2,
        f"ts <= {number // 2}": lambda row: row["ts"] <= number // 2,
        f"part = '{part}' and ts < {ts}": lambda row: row["part"] == part and row["ts"] < ts,
        "flag": lambda row: row["flag"] is True,
    }
    for column in chance.sample(sorted(LITERALS), 4):
        kept[f"{column} is null"] = partial(_is_null, column)
        values = [row[column] for row in rows if row[column] is not None]
        if values:
            kept[f"{column} >= {LITERALS[column](max(values))}"] = partial(_is_from, column, max(values))
            kept[f"{column} = {LITERALS[column](min(values))}"] = partial(_is, column, min(values))
    return {condition: sorted(row["id"] for row in rows if keep(row)) for condition, keep in kept.items()}


def _is_null(column: str, row: Mapping[str, Any]) -> bool:
    return row[column] is None


def _is(column: str, value: Any, row: Mapping[str, Any]) -> bool:
    return bool(row[column] == value)


def _is_from(column: str, value: Any, row: Mapping[str, Any]) -> bool:
    return row[column] is not None and bool(row[column] >= value)


def metadata_of(path: Path) -> MetadataTable:
    storage = storage_for(path)
    properties = load_properties(storage)
    metadata = MetadataTable.open(storage, properties, load_timeline(storage, properties))
    assert metadata is not None
    return metadata


@pytest.fixture(scope="module")
def hudi(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sides]:
    """Return a function that returns the session of a Hudi release, whose bundle is on the class path of the JVM.

    With `spark.jars`, Hudi 1.0.2 reads blocks of deletes in threads whose class loader lacks its classes, and fails.
    """
    reason = missing()
    if reason is not None:
        pytest.skip(reason)
    cache = request.config.cache.mkdir("interop")
    sides: dict[str, HudiSide] = {}

    def side(release: str) -> HudiSide:
        if release not in sides:
            jar, folder = bundle(release, cache), tmp_path_factory.mktemp(f"kept-{release}")
            settings = {"spark.driver.extraClassPath": str(jar)}
            sides[release] = HudiSide(pyspark(cache), jar, folder, settings=settings)
        return sides[release]

    yield side
    for started in sides.values():
        started.close()


@pytest.fixture(autouse=True)
def _frequent_services_of_the_metadata_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let hoodoo clean and archive the metadata table several times in a history."""
    monkeypatch.setattr(upkeep, "_SLICES", 2)
    monkeypatch.setattr(upkeep, "_COMMITS", 6)


@pytest.mark.parametrize(("release", "type_", "version", "first"), RELEASES, ids=str)
def test_both_keep_the_metadata_table(
    release: str, type_: str, version: int, first: str, hudi: Sides, tmp_path: Path
) -> None:
    path, file, read = tmp_path / "table", tmp_path / "rows.parquet", tmp_path / "read"
    theirs = {
        "hoodie.table.name": "kept",
        WRITE + "recordkey.field": "id",
        WRITE + "precombine.field": "ts",
        WRITE + "partitionpath.field": "part",
        WRITE + "table.type": type_,
        "hoodie.datasource.compaction.async.enable": "false",
    }
    indexes, partitions = indexes_of(release, version)
    theirs |= indexes
    if release != "0.15.0":
        theirs |= {"hoodie.write.table.version": str(version), "hoodie.write.auto.upgrade": "false"}

    def hudi_(operation: str, rows: pa.Table) -> None:
        pq.write_table(rows, file)
        more = {WRITE + "partitions.to.delete": rows["part"][0].as_py()} if operation == "delete_partition" else {}
        hudi(release).write(path, file, {**theirs, WRITE + "operation": operation, **more})

    creating = {
        "table_name": "kept",
        "record_key": "id",
        "ordering": "ts",
        "partition_by": "part",
        "table_type": type_,
        "table_version": version,
        "bloom_filter": True,
    }
    requested = {key: value for key, value in indexes.items() if key.startswith("hoodie.metadata.")}

    def hoodoo_(operation: str, rows: pa.Table) -> None:
        options = {**SERVICES, "operation": operation}
        if first != "hudi":
            options |= {**(creating if number == 1 else {}), **(requested if number > 1 or first == "hoodoo" else {})}
        if type_ == "MERGE_ON_READ":
            options |= {"compact_inline": True, "compact_after_commits": 3}
        hoodoo.write(rows, path, options)

    history, done = History(random.Random(f"{release} {type_} {version}")), []
    created, actions = b"", set[str]()
    for number in range(1, TURNS[first] + 1):
        # hoodoo writes more often, so that it compacts the metadata table
        writer = hudi_ if number % 3 == (1 if first == "hudi" else 0) else hoodoo_
        operation, rows = history.turn(number)
        # the minima of bytes in Hudi's `partition_stats` are those of signed bytes
        rows = rows.drop_columns(["raw"])
        if release == "1.0.2":
            # it fails to collect statistics of logs whose nested columns or dates have nulls
            rows = rows.drop_columns(["addr"])
            days = rows["day"].fill_null(datetime.date(2020, 1, 1))
            rows = rows.set_column(rows.schema.get_field_index("day"), "day", days)
        done.append(f"{number}: {writer.__name__} {operation} {rows.select(['id', 'part', 'ts']).to_pylist()}")
        told = "\n".join(done)
        writer(operation, rows)
        assert [finding for finding in validate(path).findings if finding.status is Status.PROBLEM] == [], told
        if number == 1 and first == "hoodoo late":
            continue
        metadata = metadata_of(path)
        assert set(metadata.partitions) == partitions, told
        # Hudi creates this file when it builds a metadata table
        own = (path / ".hoodie/metadata/.hoodie/hoodie.properties").read_bytes()
        assert not created or own == created, f"Hudi built the metadata table again\n{told}"
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
        filters = filters_of(table.to_arrow().to_pylist(), number)
        found = hudi(release).filter(path, SKIPPING, list(filters), "id")
        for (condition, expected), (keys, files) in zip(filters.items(), found, strict=True):
            assert sorted(keys) == expected, f"{condition}\n{told}"
            assert condition != ABSENT or files == 0, f"Hudi does not use its indexes\n{told}"
    assert first != "hudi" or {"commit", "clean"} <= actions
