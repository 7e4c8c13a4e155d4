"""Records of a metadata table for commits of hoodoo: after each commit they describe the rows of the table."""

from __future__ import annotations

import random
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from attrs import evolve

import hoodoo
from core.tests.metadata_table.maintenance.hudi_commits import decoded, opened
from hoodoo import Table
from hoodoo.archived_timeline import load_timeline
from hoodoo.format.hfile import Cells
from hoodoo.metadata_table import MetadataTable
from hoodoo.metadata_table.content.record_locations import LOCATIONS, record_locations
from hoodoo.metadata_table.layers import Layer
from hoodoo.metadata_table.maintenance import (
    column_stats_records,
    partition_stats_records,
    record_index_records,
)
from hoodoo.metadata_table.maintenance.table_change import TableChange
from hoodoo.metadata_table.shards import Shard
from hoodoo.properties import load_properties
from hoodoo.reading.pending_keys import keys_after
from hoodoo.reading.schema.table_schema import table_schema
from hoodoo.storage import storage_for

pytestmark = pytest.mark.slow

KEYS = 40
COMMITS = 12


class Metadata(MetadataTable):
    """Metadata table in memory, without shards.

    Attributes:
        known: The sizes of the files by partition path and name.
        locations: The partition path and the file id of each record key.
    """

    known: dict[str, dict[str, int]]
    locations: dict[str, tuple[str, str]]

    def files_of(self, partitions: Collection[str]) -> dict[str, dict[str, int]]:
        return {partition: self.known[partition] for partition in partitions if partition in self.known}

    def record_locations(self, keys: Any = None) -> pa.Table:
        rows = [
            {"key": key, "partition": place[0], "file_id": place[1], "instant": None}
            for key, place in self.locations.items()
            if keys is None or key.encode() in keys.to_pylist()
        ]
        return pa.Table.from_pylist(rows, LOCATIONS)

    def shards(self, partition: str) -> list[Shard]:
        return []


@pytest.fixture(scope="module")
def schema(real_table: Any) -> str:
    """Return the Avro schema of the records in metadata tables of Hudi 1.2.0."""
    from hoodoo.metadata_table.maintenance.record_schema import record_schema

    table = opened(real_table("mor9-avro"))
    assert table is not None
    return record_schema(table.metadata)


def rows_of(generator: random.Random, instant: int) -> pa.Table:
    chosen = generator.sample(range(KEYS), generator.randrange(1, KEYS // 2))
    return pa.table(
        {
            "id": [f"k{number}" for number in chosen],
            "part": [generator.choice("abc") for _ in chosen],
            "ts": pa.array([instant + generator.randrange(-4, 2) for _ in chosen], pa.int64()),
            "v": pa.array([generator.choice([None, generator.randrange(1000)]) for _ in chosen], pa.int64()),
            "d": [generator.choice([0.5, float("nan"), generator.random()]) for _ in chosen],
            "_hoodie_is_deleted": [generator.random() < 0.2 for _ in chosen],
        }
    )


def operation_of(generator: random.Random, number: int) -> dict[str, Any]:
    if not number:
        return {}
    return generator.choice(
        [
            {},
            {},
            {},
            {"operation": "delete"},
            {"operation": "insert_overwrite"},
            {"operation": "delete_partition"},
            {"compact_inline": True, "compact_after_commits": 1},
        ]
    )


OPTIONS = (
    {"table_type": "MERGE_ON_READ", "table_version": 9, "index": "global-simple", "update_partition": True},
    {"table_type": "COPY_ON_WRITE", "table_version": 9, "index": "global-simple", "update_partition": True},
    {"table_type": "MERGE_ON_READ", "table_version": 6, "index": "global-simple", "update_partition": True},
    {"table_type": "MERGE_ON_READ", "table_version": 8, "index": "bucket", "buckets": 2, "partition_by": None},
)
CASES = [
    pytest.param(OPTIONS[0], 0, COMMITS // 2, id="few commits"),
    *(pytest.param(options, seed, COMMITS, marks=pytest.mark.nightly) for options in OPTIONS for seed in range(6)),
]


@pytest.mark.parametrize(("options", "seed", "commits"), CASES)
def test_records_describe_the_rows_after_each_commit(
    tmp_path: Path, schema: str, monkeypatch: pytest.MonkeyPatch, options: Mapping[str, Any], seed: int, commits: int
) -> None:
    for module in (column_stats_records, partition_stats_records, record_index_records):
        monkeypatch.setattr(module, "record_schema", lambda *_: schema)
    generator, root = random.Random(seed), tmp_path / "t"
    chosen = {"table_name": "t", "record_key": "id", "partition_by": "part", "ordering": "ts", **options}
    chosen = {name: value for name, value in chosen.items() if value is not None}
    known: dict[str, dict[str, int]] = {}
    locations: dict[str, tuple[str, str]] = {}
    done = 0
    for number in range(commits):
        hoodoo.write(rows_of(generator, number), root, {**chosen, **operation_of(generator, number)})
        storage = storage_for(root)
        table = load_properties(storage)
        timeline = load_timeline(storage, table)
        for place, commit in list(enumerate(timeline.commits))[done:]:
            metadata = timeline.commit_metadata(commit)
            before = evolve(timeline.as_of(timeline.commits[place - 1].time if place else "0" * 17), bound=None)
            stats = tuple(stat for stat in metadata.stats() if stat.path)
            change = TableChange(commit.time, stats=stats, replaced=metadata.replaced or {})
            mine = Metadata(storage, table, before, before)
            mine.known, mine.locations = known, locations
            logs: dict[tuple[str, str], list[str]] = {}
            for stat in stats:
                if ".log." in (stat.path or ""):
                    logs.setdefault((stat.partition_path or "", stat.file_id), []).append(stat.path or "")
            present = keys_after(storage, table, before, table_schema(timeline, table), commit.time, logs)
            change = evolve(change, present=present)
            index = record_index_records.records(mine, change)
            spared = record_index_records.records(mine, evolve(change, exact_counts=True))
            assert (sorted(spared.keys.to_pylist()), sorted(spared.deleted.to_pylist())) == (
                sorted(index.keys.to_pylist()),
                sorted(index.deleted.to_pylist()),
            )
            for row in record_locations([Layer("new", "a", Cells(index.keys, index.values), schema)]).to_pylist():
                locations[row["key"]] = (row["partition"], row["file_id"])
            for key in index.deleted.to_pylist():
                del locations[key.decode()]
            columns = column_stats_records.records(mine, change)
            whole = partition_stats_records.records(mine, change, columns)
            for stat in stats:
                name = (stat.path or "").rpartition("/")[2]
                known.setdefault(stat.partition_path or "", {})[name] = 1
            if place == len(timeline.commits) - 1:
                check(root, locations, [decoded(value, schema) for value in whole.values.to_pylist()], change)
        done = len(timeline.commits)


def check(
    root: Path, locations: Mapping[str, tuple[str, str]], partitions: Sequence[Mapping[str, Any]], change: TableChange
) -> None:
    """Check that locations are those of the rows, and that statistics of changed partitions cover all values."""
    expected, values = {}, {}
    for split in Table(root).splits(columns=["id", "v", "ts", "_hoodie_record_key"]):
        for row in split.read().read_all().to_pylist():
            expected[row["_hoodie_record_key"]] = (split.partition, split.file_id)
            for column in ("v", "ts"):
                values.setdefault((split.partition, column), []).append(row[column])
    assert locations == expected
    stored = [record["ColumnStatsMetadata"] for record in partitions]
    bounds = {(stats["fileName"], stats["columnName"]): stats for stats in stored}
    touched = {stat.partition_path or "" for stat in change.stats}
    for (partition, column), found in values.items():
        if partition in touched:
            stats, real = bounds[partition, column], [value for value in found if value is not None]
            assert not real or stats["minValue"][1]["value"] <= min(real) <= max(real) <= stats["maxValue"][1]["value"]
