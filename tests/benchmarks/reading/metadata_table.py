"""Seconds of one core to plan queries by a metadata table, and to find one key without Spark.

`plan` measures a table of 100,000 files in 1,000 partitions, of which only the lists exist: the plan of a query of all
rows, and that of a filter that the statistics of one file in a hundred allow. `lookup` measures the query of one key in
a table of 256 file groups, with the record index and without it. Each run uses a new `Table`, which loads the timeline
and the metadata table again.
"""

from __future__ import annotations

import argparse
import io
import json
import statistics
import time
import uuid
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import fastavro
import pyarrow as pa
import pyarrow.compute as pc

from hoodoo import Table
from hoodoo.format.hfile import Cells, hfile_bytes
from hoodoo.metadata_table.content.hashed_keys import stats_key
from hoodoo.metadata_table.shards import shard_of_keys
from hoodoo.testing.engine import write_arrow

_OLD = "20200101000000000"


def _nullable(name: str, *fields: tuple[str, Any]) -> list[Any]:
    return ["null", {"type": "record", "name": name, "fields": [{"name": n, "type": t} for n, t in fields]}]


_LONG = ["null", "long"]
_TEXT = ["null", "string"]
_INFO = {
    "type": "record",
    "name": "Info",
    "fields": [{"name": "size", "type": "long"}, {"name": "isDeleted", "type": "boolean"}],
}
_WRAPPER = [
    "null",
    {"type": "record", "name": "IntWrapper", "fields": [{"name": "value", "type": "int"}]},
    {"type": "record", "name": "LongWrapper", "fields": [{"name": "value", "type": "long"}]},
]
_FIELDS: Mapping[str, Any] = {
    "key": "string",
    "type": "int",
    "filesystemMetadata": ["null", {"type": "map", "values": _INFO}],
    "ColumnStatsMetadata": _nullable(
        "Stats",
        ("fileName", _TEXT),
        ("columnName", _TEXT),
        ("minValue", _WRAPPER),
        ("maxValue", ["null", "IntWrapper", "LongWrapper"]),
        ("valueCount", _LONG),
        ("nullCount", _LONG),
        ("totalSize", _LONG),
        ("totalUncompressedSize", _LONG),
        ("isDeleted", "boolean"),
    ),
    "recordIndexMetadata": _nullable(
        "Location",
        ("partitionName", _TEXT),
        ("fileIdHighBits", _LONG),
        ("fileIdLowBits", _LONG),
        ("fileIndex", ["null", "int"]),
        ("fileId", _TEXT),
        ("instantTime", _LONG),
        ("fileIdEncoding", "int"),
    ),
}
_SCHEMA = {
    "type": "record",
    "name": "HoodieMetadataRecord",
    "fields": [{"name": name, "type": type_} for name, type_ in _FIELDS.items()],
}
_PARSED = fastavro.parse_schema(_SCHEMA)
_NONE = dict.fromkeys(_FIELDS) | {"key": ""}


def main() -> None:
    """Run the benchmark and print one line of JSON for each measurement."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--partitions", type=int, default=1000)
    parser.add_argument("--files", type=int, default=100, help="files in each partition")
    parser.add_argument("--rows", type=int, default=256_000)
    parser.add_argument("--groups", type=int, default=256)
    parser.add_argument("--runs", type=int, default=5)
    arguments = parser.parse_args()
    pa.set_cpu_count(1)
    with TemporaryDirectory() as folder:
        shape = arguments.partitions, arguments.files, arguments.runs
        _measure_plans(Path(folder, "many"), *shape, with_partition_stats=False)
        _measure_plans(Path(folder, "ranges"), *shape, with_partition_stats=True)
        _measure_lookups(Path(folder, "keyed"), arguments.rows, arguments.groups, arguments.runs)


def _measure_plans(path: Path, partitions: int, files: int, runs: int, *, with_partition_stats: bool) -> None:
    write_arrow(pa.table({"id": ["a"], "p": ["x"], "n": [0]}), path, _options(partition_by="p"))
    [own] = Table(path).splits()
    names = {"x": {Path(own.path or "").name: own.file_slice.size}}
    for partition in range(partitions):
        names[f"p{partition:05}"] = {f"{uuid.uuid4()}-0_0-0-0_{_OLD}.parquet": 1_000_000 for _ in range(files)}
    listed: dict[str, Any] = {name: _files(found) for name, found in names.items()}
    listed["__all_partitions__"] = _files(dict.fromkeys(names, 0))
    stats, number, ranges = {}, 0, {}
    for partition, found in names.items():
        first = number
        for name in found:
            stats[stats_key("n", partition, name)] = _statistics(name, number)
            number += 1
        for column in ("n", "_hoodie_commit_time"):
            ranges[stats_key(column, partition)] = _statistics(partition, first, number, column=column, kind=6)
    whole = {"files": (1, "files-{:04}-0", listed), "column_stats": (2, "col-stats-{:04}-0", stats)}
    if with_partition_stats:
        whole["partition_stats"] = (1, "partition-stats-{:04}-0", ranges)
    _add_metadata(path, whole)
    few = pc.field("n") < 10 * (number // 100)

    def plan(expected: int, **query: Any) -> None:
        found = Table(path).plan(metadata_table=True, **query)
        assert len(found.splits) == expected, found.way

    facts = {"files": number, "partition_stats": with_partition_stats}
    _report("plan of all files", facts, runs, lambda: plan(number))
    _report("plan of one file in a hundred", facts, runs, lambda: plan(number // 100, filter=few))


def _measure_lookups(path: Path, rows: int, groups: int, runs: int) -> None:
    keys = [f"key-{number:09}" for number in range(rows)]
    table = pa.table({"id": keys, "n": range(rows)})
    write_arrow(table, path, _options(index="bucket", buckets=groups, operation="upsert"))
    located, listed = {}, {}
    for split in Table(path).splits(columns=["id"]):
        listed[Path(split.path or "").name] = split.file_slice.size
        for key in split.read().read_all().column(0).to_pylist():
            located[key] = _location(split.partition, split.file_id)
    files = {".": _files(listed), "__all_partitions__": _files({".": 0})}
    _add_metadata(path, {"files": (1, "files-{:04}-0", files), "record_index": (10, "record-index-{:04}-0", located)})

    def look_up(*, metadata_table: bool) -> None:
        found = Table(path).to_arrow(filter=pc.field("id") == keys[rows // 2], metadata_table=metadata_table)
        assert found.column("n").to_pylist() == [rows // 2]

    facts = {"rows": rows, "file groups": len(listed)}
    _report("lookup by record_index", facts, runs, lambda: look_up(metadata_table=True))
    _report("lookup in all files", facts, runs, lambda: look_up(metadata_table=False))


def _options(**others: Any) -> dict[str, Any]:
    return {"table_name": "t", "record_key": "id", "table_type": "COPY_ON_WRITE", "table_version": 9, **others}


def _files(sizes: Mapping[str, int]) -> dict[str, Any]:
    return {"type": 2, "filesystemMetadata": {n: {"size": size, "isDeleted": False} for n, size in sizes.items()}}


def _statistics(name: str, number: int, end: int = 0, *, column: str = "n", kind: int = 3) -> dict[str, Any]:
    """Return the statistics of the file `number`, or with `end` those of the files from `number` to `end` - 1."""
    last = max(number + 1, end)
    low, high = (("LongWrapper", {"value": value}) for value in (10 * number, 10 * last - 1))
    rows = 1000 * (last - number)
    counts = {"valueCount": rows, "nullCount": 0, "totalSize": 8000, "totalUncompressedSize": 8000, "isDeleted": False}
    return {
        "type": kind,
        "ColumnStatsMetadata": {"fileName": name, "columnName": column, "minValue": low, "maxValue": high, **counts},
    }


def _location(partition: str, file_id: str) -> dict[str, Any]:
    bits = uuid.UUID(file_id[:36]).int
    halves = [half - 2**64 if half >= 2**63 else half for half in (bits >> 64, bits & (2**64 - 1))]
    found = {
        "partitionName": partition,
        "fileIdHighBits": halves[0],
        "fileIdLowBits": halves[1],
        "fileIndex": int(file_id[37:]),
    }
    return {"type": 5, "recordIndexMetadata": {**found, "fileId": "", "instantTime": 0, "fileIdEncoding": 0}}


def _add_metadata(path: Path, partitions: Mapping[str, tuple[int, str, Mapping[str, Any]]]) -> None:
    """Add a metadata table of compacted partitions: number and names of their file groups, and records by key."""
    folder = path / ".hoodie/metadata"
    (folder / ".hoodie/timeline").mkdir(parents=True)
    properties = path / ".hoodie/hoodie.properties"
    text = properties.read_text()
    (folder / ".hoodie/hoodie.properties").write_text(text.replace("COPY_ON_WRITE", "MERGE_ON_READ"))
    properties.write_text(f"{text}\nhoodie.table.metadata.partitions={','.join(sorted(partitions))}\n")
    commit = Table(path).timeline.commits[0]
    (folder / f".hoodie/timeline/{commit.time}_{commit.completed_at}.deltacommit").write_text("{}")
    for name, (count, file_id, records) in partitions.items():
        (folder / name).mkdir()
        shards: list[dict[bytes, bytes]] = [{} for _ in range(count)]
        numbers = shard_of_keys(list(records), count).tolist()
        for (key, record), number in zip(records.items(), numbers, strict=True):
            out = io.BytesIO()
            fastavro.schemaless_writer(out, _PARSED, {**_NONE, **record})
            shards[number][key.encode()] = out.getvalue()
        for number, shard in enumerate(shards):
            keys = sorted(shard)
            cells = Cells(pa.array(keys, pa.large_binary()), pa.array([shard[key] for key in keys], pa.large_binary()))
            body = hfile_bytes(cells, {"schema": json.dumps(_SCHEMA).encode()})
            (folder / name / f"{file_id.format(number)}_0-0-0_{commit.time}.hfile").write_bytes(body)


def _report(name: str, facts: Mapping[str, Any], runs: int, work: Callable[[], None]) -> None:
    work()
    cpu, wall = [], []
    for _ in range(runs):
        started = time.process_time(), time.perf_counter()
        work()
        cpu.append(time.process_time() - started[0])
        wall.append(time.perf_counter() - started[1])
    seconds = {"cpu": round(statistics.median(cpu), 3), "wall": round(statistics.median(wall), 3)}
    print(json.dumps({"measurement": name, **facts, "seconds": seconds}), flush=True)


if __name__ == "__main__":
    main()
