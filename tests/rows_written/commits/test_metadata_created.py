"""Metadata tables that hoodoo creates: each partition agrees with the files and rows, also after each later step."""

from __future__ import annotations

import datetime
import decimal
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import hoodoo
from core.tests.metadata_table.maintenance.hudi_commits import opened
from hoodoo.errors import CommitConflict
from hoodoo.metadata_table import MetadataTable
from hoodoo.options import NoEffectWarning
from hoodoo.properties import load_properties
from hoodoo.schema.meta_columns import without_meta
from hoodoo.storage import storage_for
from hoodoo.txn import drop_metadata_table
from hoodoo.txn.metadata.preparation import IndexNotCreated

from .test_metadata_kept import problems, steps

pytestmark = pytest.mark.slow

ALL = {
    "hoodie.metadata.enable": "true",
    "hoodie.metadata.index.column.stats.enable": "true",
    "hoodie.metadata.index.bloom.filter.enable": "true",
    "hoodie.metadata.record.index.enable": "true",
}
KINDS = [
    (version, type_, partitioned, late)
    for version in (6, 8, 9)
    for type_ in ("COPY_ON_WRITE", "MERGE_ON_READ")
    for partitioned in (True, False)
    for late in (True, False)
]
EARLY = [(9, "MERGE_ON_READ", True, True)]


def rows(numbers: range | list[int], ts: int) -> pa.Table:
    return pa.table(
        {
            "id": [f"k{number}" for number in numbers],
            "part": ["x" if number % 2 else "y" for number in numbers],
            "ts": pa.array([ts] * len(numbers), pa.int64()),
            "v": pa.array([None if number == 3 else number for number in numbers], pa.int32()),
            "d": [number / 3 for number in numbers],
            "dec": pa.array([decimal.Decimal(number) / 4 for number in numbers], pa.decimal128(12, 3)),
            "day": [datetime.date(2020, 1, 1 + number % 28) for number in numbers],
            "flag": [number == 2 for number in numbers],
        }
    )


def options(version: int, type_: str, partitioned: bool) -> dict[str, Any]:
    found: dict[str, Any] = {
        "table_name": "created",
        "record_key": "id",
        "ordering": "ts",
        "table_type": type_,
        "table_version": version,
        "bloom_filter": True,
    }
    return {**found, "partition_by": "part"} if partitioned else found


def partitions(table: Path) -> set[str]:
    return set(load_properties(storage_for(table)).metadata_partitions)


def write_three_times(table: Path, created: dict[str, Any]) -> None:
    """Write a table with updates and deletes, in logs if it is merge-on-read."""
    hoodoo.write(rows(range(8), 1), table, created)
    hoodoo.write(rows(range(2, 6), 2), table)
    hoodoo.write(rows([1, 2], 3), table, {"operation": "delete"})


@pytest.mark.parametrize(
    ("version", "type_", "partitioned", "late"),
    [kind if kind in EARLY else pytest.param(*kind, marks=pytest.mark.nightly) for kind in KINDS],
)
def test_each_partition_equals_the_files(
    version: int, type_: str, partitioned: bool, late: bool, tmp_path: Path
) -> None:
    table = tmp_path / "table"
    created = options(version, type_, partitioned)
    if late:
        write_three_times(table, created)
        assert not (table / ".hoodie/metadata").exists()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        hoodoo.write(rows(range(5, 12), 4), table, {**created, **ALL})
    expected = {"files", "column_stats", "bloom_filters", "record_index"}
    if version > 6 and partitioned:
        expected.add("partition_stats")
    assert partitions(table) == expected
    assert problems(table) == set()
    own = table / ".hoodie/metadata/.hoodie/hoodie.properties"
    before = own.read_bytes()

    for step in steps(table):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            step()
        assert problems(table) == set()
        now = hoodoo.Table(table)
        assert now.to_arrow(metadata_table=True).sort_by("id") == now.to_arrow().sort_by("id")

    assert partitions(table) == expected
    assert own.read_bytes() == before


ALONE = {
    (): {"files"},
    ("index_column_stats",): {"files", "column_stats"},
    ("index_bloom_filters",): {"files", "bloom_filters"},
    ("index_record_keys",): {"files", "record_index"},
}


@pytest.mark.nightly
@pytest.mark.parametrize("names", ALONE)
def test_each_index_alone(names: tuple[str, ...], tmp_path: Path) -> None:
    table = tmp_path / "table"
    write_three_times(table, options(9, "MERGE_ON_READ", partitioned=False))
    hoodoo.write(rows(range(5, 12), 4), table, {"metadata_table": True, **dict.fromkeys(names, True)})
    assert partitions(table) == ALONE[names]
    hoodoo.write(rows(range(9, 14), 5), table)
    assert problems(table) == set()


@pytest.mark.parametrize("version", [pytest.param(6, marks=pytest.mark.nightly), 9])
def test_the_record_index_has_no_key_that_the_merge_rule_deletes(version: int, tmp_path: Path) -> None:
    """The rule deletes stored rows without a mark in the log; only the merge shows that they are deleted."""
    table = tmp_path / "table"
    rule = {"matched": [{"action": "update", "cond": ["lt", "s.v", 8]}, {"action": "delete"}], "not_matched": [{}]}
    options_ = {**options(version, "MERGE_ON_READ", partitioned=True), "payload": "expression", "merger_options": rule}
    created = {"metadata_table": True, "index_record_keys": True, "index": "record"}
    hoodoo.write(rows(range(4, 12), 1), table, {**options_, **created})
    for ts, numbers in ((2, [6, 7, 8, 9]), (3, [8, 20]), (4, [4, 10, 20, 21])):
        hoodoo.write(rows(numbers, ts), table, {"index": "record"})
        assert problems(table) == set()
    assert sorted(hoodoo.Table(table).to_arrow()["id"].to_pylist()) == ["k11", "k21", "k4", "k5", "k6", "k7", "k8"]


def test_without_the_option_nothing_is_created(tmp_path: Path) -> None:
    table = tmp_path / "table"
    with pytest.warns(NoEffectWarning, match=r"index column_stats have no effect: .*'hoodie.metadata.enable' = 'true'"):
        hoodoo.write(rows(range(3), 1), table, {**options(9, "COPY_ON_WRITE", False), "index_column_stats": True})
    assert not (table / ".hoodie/metadata").exists()
    assert partitions(table) == set()


def test_statistics_of_chosen_columns(tmp_path: Path) -> None:
    table = tmp_path / "table"
    given = {"metadata_table": True, "index_column_stats": True, "index_columns": "v,flag"}
    hoodoo.write(rows(range(5), 1), table, {**options(9, "COPY_ON_WRITE", True), **given})
    found = {stats.column for stats in metadata_of(table).column_stats()}
    assert found == {"_hoodie_commit_time", "_hoodie_partition_path", "_hoodie_record_key", "v", "flag"}
    # an index that is created later has the same columns
    hoodoo.Table(table).drop_indexes("partition_stats")
    hoodoo.Table(table).create_indexes("partition_stats")
    assert {stats.column for stats in metadata_of(table).partition_stats()} == found
    assert problems(table) == set()


def metadata_of(table: Path) -> MetadataTable:
    found = opened(table)
    assert found is not None
    return found.metadata


@pytest.mark.parametrize(("commits", "compacted"), [(2, True), (50, False)])
def test_the_metadata_table_is_compacted_after_a_number_of_commits(
    commits: int, compacted: bool, tmp_path: Path
) -> None:
    table = tmp_path / "table"
    given = {"metadata_table": True, "hoodie.metadata.compact.max.delta.commits": commits}
    for number in range(4):
        hoodoo.write(rows(range(number, number + 3), number), table, {**options(9, "COPY_ON_WRITE", True), **given})
    actions = [instant.action for instant in metadata_of(table).metadata.commits]
    assert ("commit" in actions) is compacted


def test_a_pending_instant_delays_the_creation(real_table: Callable[[str], Path]) -> None:
    """While a compaction that Hudi planned is pending, no metadata table is created.

    It is unknown whether the base files of the compaction become part of the table.
    """
    table = real_table("mor9-compaction-pending")
    drop_metadata_table(storage_for(table))
    now = hoodoo.Table(table).to_arrow()
    given = now.select(without_meta(now.schema).names).slice(0, 1)
    with pytest.warns(IndexNotCreated, match="'files': compaction .* is pending"):
        hoodoo.write(given, table, {"table_name": load_properties(storage_for(table)).name, "metadata_table": True})
    assert partitions(table) == set()
    with pytest.raises(CommitConflict, match="is pending"):
        hoodoo.Table(table).create_indexes("files")
