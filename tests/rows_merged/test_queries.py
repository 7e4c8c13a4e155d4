"""Queries, mostly of merge-on-read tables: ranges, selected columns and rows, splits, and missing merge rules."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import hudi
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import hoodoo
from hoodoo.errors import CorruptTableError, HoodooError, UnknownPlugin, UnsupportedTable
from hoodoo.format.log import block_writer as writing
from hoodoo.testing.engine import write_arrow
from tests.rows_merged.handmade.blocks import Delete
from tests.rows_merged.handmade.columns import TYPES, avro_schema
from tests.rows_merged.handmade.tables import COLUMNS, T, Table, long, seen, wheel
from tests.support.rows import Refused
from tests.support.versions import META

pytestmark = pytest.mark.slow

OTHER = "a1b2c3d4-e5f6-4788-99aa-bbccddeeff00-0"
VERSIONS = pytest.mark.parametrize("version", [6, 8, 9])


def between(path: Path, begin: str | None, end: str | None, **query: Any) -> list[tuple[Any, ...]]:
    return seen(path, query_type="incremental", begin=begin, end=end, **query)


def wheel_between(path: Path, begin: str, end: str) -> list[tuple[Any, ...]]:
    kind = hudi.HudiQueryType.Incremental
    return wheel(path, query_type=kind, start_timestamp=begin, end_timestamp=end)


# ranges


@VERSIONS
def test_a_range_shows_its_commits_as_they_are_at_its_end(version: int, tmp_path: Path) -> None:
    table = Table(tmp_path, version)
    table.write_base(1, ("a", 1, "1"), ("b", 1, "1"), ("c", 1, "1"))
    table.write_log(2, ("a", 2, "2"), ("d", 2, "2"))
    table.write_log(3, ("b", 3, "3"), Delete("d", ""), ("c", 0, "late"))
    # in versions 8 and 9 the completion time counts, half a second after the request
    shift = (lambda n: T(n)) if version == 6 else (lambda n: f"{T(n)[:-3]}500")
    assert between(tmp_path, None, None) == [("a", 2, "2"), ("b", 3, "3"), ("c", 1, "1")]
    assert between(tmp_path, None, shift(1)) == [("a", 1, "1"), ("b", 1, "1"), ("c", 1, "1")]
    assert between(tmp_path, shift(1), shift(2)) == [("a", 2, "2"), ("d", 2, "2")]
    assert between(tmp_path, shift(1), None) == [("a", 2, "2"), ("b", 3, "3")]
    assert between(tmp_path, shift(2), None) == [("b", 3, "3")]
    assert between(tmp_path, shift(3), None) == []
    assert between(tmp_path, "earliest", shift(2)) == [("a", 2, "2"), ("b", 1, "1"), ("c", 1, "1"), ("d", 2, "2")]


@VERSIONS
def test_every_range_is_what_the_package_returns(version: int, tmp_path: Path) -> None:
    table = Table(tmp_path, version)
    table.write_base(1, ("a", 1, "1"), ("b", 1, "1"))
    table.write_log(2, ("a", 2, "2"))
    table.write_base(3, ("x", 1, "3"), file_id=OTHER)
    table.slice = T(1)
    table.write_log(4, ("b", 4, "4"), Delete("a", "", long(1)))
    bounds = [T(n) for n in range(6)] + [f"{T(n)[:-3]}500" for n in range(1, 5)]
    for begin, end in product(sorted(bounds), repeat=2):
        if begin < end:
            assert between(tmp_path, begin, end) == wheel_between(tmp_path, begin, end), (begin, end)


def _slow(path: Path) -> None:
    """Write a commit that was requested before another one and completed after it."""
    table = Table(path, 9)
    table.write_base(1, ("a", 1, "1"))
    slow = table.write_log(2, ("a", 2, "slow"), ("s", 1, "slow"), completed=None)
    table.write_log(3, ("a", 3, "fast"), ("f", 1, "fast"), completed=T(4))
    assert between(path, T(2), T(5)) == wheel_between(path, T(2), T(5)) == [("a", 3, "fast"), ("f", 1, "fast")]
    table.commit("deltacommit", T(2), T(6), [slow], begun=True)


def test_from_version_8_on_a_range_is_one_of_completion_times(tmp_path: Path) -> None:
    """The commit that was completed last is in the later range, whenever it was requested: no consumer misses it."""
    _slow(tmp_path)
    assert between(tmp_path, T(5), T(6)) == [("s", 1, "slow")]
    assert between(tmp_path, T(2), T(5)) == [("a", 3, "fast"), ("f", 1, "fast")]
    assert seen(tmp_path, as_of=T(2)) == [("a", 2, "slow"), ("s", 1, "slow")]


@pytest.mark.xfail(strict=True, raises=AssertionError, reason="the package misses a commit requested before the range")
def test_from_version_8_on_a_range_is_one_of_completion_times_in_the_package(tmp_path: Path) -> None:
    _slow(tmp_path)
    assert wheel_between(tmp_path, T(5), T(6)) == [("s", 1, "slow")]


@VERSIONS
def test_compaction_and_clustering_add_nothing_to_a_range(version: int, tmp_path: Path) -> None:
    table = Table(tmp_path, version)
    table.write_base(1, ("a", 1, "1"), ("b", 1, "1"))
    table.write_log(2, ("a", 2, "2"))
    table.plan_compaction(3, 1)
    rows = [table.row(T(2), "a", 2, "2"), table.row(T(1), "b", 1, "1")]
    table.write_compaction(3, 4, *rows)
    assert between(tmp_path, T(2) if version == 6 else f"{T(2)[:-3]}500", None) == []
    assert between(tmp_path, T(1) if version == 6 else f"{T(1)[:-3]}500", None) == [("a", 2, "2")]


# columns and rows


def _filtered(path: Path, version: int) -> None:
    """Write rows that pass `n > 5` in the base file, in the log, in both or in neither."""
    table = Table(path, version, {**COLUMNS, "n": TYPES["int"]})
    table.write_base(1, ("a", 10, "base", 9), ("b", 10, "base", 1), ("c", 10, "base", 9), ("d", 10, "base", 1))
    entries = [("a", 20, "log", 1), ("b", 20, "log", 9), ("c", 20, "log", 9), ("d", 20, "log", 1)]
    table.write_log(2, *entries, ("e", 1, "log", 9), ("f", 1, "log", 1), ("g", 1, "log", None))
    table.write_base(3, ("x", 1, "base", 9), ("y", 1, "base", 1), file_id=OTHER)


@VERSIONS
def test_rows_are_filtered_after_the_merge(version: int, tmp_path: Path) -> None:
    _filtered(tmp_path, version)
    passing = [("b", "log", 9), ("c", "log", 9), ("e", "log", 9), ("x", "base", 9)]
    assert seen(tmp_path, "id", "v", "n", filter=pc.field("n") > 5) == passing
    # a column that is not read, or not in the order of the table
    assert seen(tmp_path, "v", "id", columns=["v", "id"], filter=pc.field("n") > 5) == [
        ("base", "x"), ("log", "b"), ("log", "c"), ("log", "e")
    ]  # fmt: skip
    # the ordering column of a base row may differ from that of the merged row
    assert seen(tmp_path, "id", columns=["id"], filter=pc.field("ts") == 10) == []
    assert seen(tmp_path, "id", columns=["id"], filter=pc.field("n").is_null()) == [("g",)]
    condition = (pc.field("_hoodie_commit_time") == T(2)) & (pc.field("v") == "log") & (pc.field("n") < 5)
    assert seen(tmp_path, "id", columns=["id"], filter=condition) == [("a",), ("d",), ("f",)]


@pytest.mark.parametrize("column", ["id", "ts", "v", "n", *META])
def test_one_column_is_merged_as_all_of_them_are(column: str, tmp_path: Path) -> None:
    """The rule gets the columns that it needs, whatever the query selects."""
    _filtered(tmp_path, 9)
    whole = hoodoo.Table(tmp_path).to_arrow()
    one = hoodoo.Table(tmp_path).to_arrow([column])
    assert one.column_names == [column]
    key = repr
    assert sorted(one[column].to_pylist(), key=key) == sorted(whole[column].to_pylist(), key=key)


def test_a_flag_or_marker_that_is_not_read_deletes(tmp_path: Path) -> None:
    prefix = "hoodie.record.merge.property.hoodie.payload.delete."
    marker = {f"{prefix}field": "m", f"{prefix}marker": "D"}
    columns = {**COLUMNS, "m": TYPES["string"], "_hoodie_is_deleted": TYPES["boolean"]}
    table = Table(tmp_path, 9, columns, properties=marker)
    table.write_base(1, *((key, 10, "base", None, None) for key in "abc"))
    table.write_log(2, ("a", 20, "log", "D", None), ("b", 20, "log", None, True), ("c", 20, "log", "d", False))
    assert seen(tmp_path, "v", columns=["v"]) == [("log",)]
    assert seen(tmp_path) == wheel(tmp_path) == [("c", 20, "log")]


@VERSIONS
def test_splits_are_read_elsewhere(version: int, tmp_path: Path) -> None:
    _filtered(tmp_path, version)
    table = hoodoo.Table(tmp_path)
    splits = table.splits(["id", "n"], pc.field("n") > 5)
    shipped = [pickle.loads(pickle.dumps(split)) for split in splits]
    assert sorted(split.is_plain for split in splits) == [False, True]
    rows = [row for split in shipped for row in split.read().read_all().to_pylist()]
    assert sorted(row["id"] for row in rows) == ["b", "c", "e", "x"]
    assert {split.file_id for split in splits} == {s.file_id for s in table.file_slices()}


# missing rules

PAYLOAD, MODE = "hoodie.compaction.payload.class", "hoodie.record.merge.mode"
KNOWN = {PAYLOAD: "org.apache.hudi.common.model.FirstValueAvroPayload"}
FOREIGN = {PAYLOAD: "com.acme.OddPayload"}
BY_PAYLOAD = {MODE: "CUSTOM", "hoodie.record.merge.strategy.id": "00000000-0000-0000-0000-000000000000"}
UNKNOWN = {
    "Hudi's in version 6": (6, KNOWN, "pip install hoodoo-payload-first-value"),
    "Hudi's in version 9": (9, {**KNOWN, **BY_PAYLOAD}, "pip install hoodoo-payload-first-value"),
    "a foreign one in version 6": (6, FOREIGN, "OddPayload"),
    "a foreign one in version 9": (9, {**FOREIGN, **BY_PAYLOAD}, "OddPayload"),
    "one of our own names": (9, {MODE: "CUSTOM", "hoodoo.merger": "acme-odd"}, "acme-odd"),
}
STRATEGY = {
    "hoodie.record.merge.mode": "CUSTOM",
    "hoodie.record.merge.strategy.id": "11111111-2222-3333-4444-555555555555",
}


@pytest.mark.parametrize(
    ("version", "named", "says", "error"),
    [*((*case, UnknownPlugin) for case in UNKNOWN.values()), (9, STRATEGY, "pip install", UnsupportedTable)],
    ids=[*UNKNOWN, "a strategy"],
)
def test_a_rule_that_is_not_installed_is_refused_and_base_files_are_read(
    version: int,
    named: dict[str, str],
    says: str,
    error: type[HoodooError],
    without: Callable[[str], None],
    tmp_path: Path,
) -> None:
    without("hoodoo-payload-first-value")
    table = Table(tmp_path, version, properties=named)
    table.write_base(1, ("a", 1, "base"))
    # nothing is to be merged yet
    assert seen(tmp_path) == [("a", 1, "base")]
    table.write_log(2, ("a", 2, "log"))
    for query in ({}, {"as_of": T(2)}, {"query_type": "incremental"}):
        with pytest.raises(error, match=says):
            seen(tmp_path, **query)
    with pytest.raises(error, match=says):
        hoodoo.Table(tmp_path).splits()
    assert seen(tmp_path, query_type="read_optimized") == [("a", 1, "base")]
    assert seen(tmp_path, query_type="read_optimized", as_of=T(1)) == [("a", 1, "base")]


def _own_merger(path: Path) -> None:
    """Write a table with a rule that is not a merge mode of Hudi: the first arrival is kept."""
    table = Table(path, 9, properties={**STRATEGY, "hoodoo.merger": "first-row"}, ordering="")
    table.write_base(1, ("a", 1, "base"))
    table.write_log(2, ("a", 2, "log"), ("b", 2, "log"))
    table.write_log(3, ("b", 3, "again"))


def test_a_rule_of_our_own_is_applied(tmp_path: Path) -> None:
    _own_merger(tmp_path)
    assert seen(tmp_path) == [("a", 1, "base"), ("b", 2, "log")]


@pytest.mark.xfail(strict=True, raises=Refused, reason="the package refuses unknown rules")
def test_a_rule_of_our_own_is_applied_by_the_package(tmp_path: Path) -> None:
    _own_merger(tmp_path)
    assert wheel(tmp_path) == [("a", 1, "base"), ("b", 2, "log")]


# logs that hoodoo wrote


@VERSIONS
def test_both_readers_read_the_blocks_that_hoodoo_writes(version: int, tmp_path: Path) -> None:
    table = Table(tmp_path, version)
    table.write_base(1, *((key, 10, "base") for key in "abcd"))
    schema = json.dumps(avro_schema(COLUMNS, meta=True))

    def rows(*found: tuple[Any, ...]) -> pa.Table:
        return table.arrow([table.row(T(2), *row) for row in found])

    keys, partitions, ordering = pa.array(["c", "d", "f"]), pa.array(["", "", ""]), pa.array([20, 5, None], pa.int64())
    deletes = writing.delete_block(T(2), keys, partitions, [ordering], schema)
    table.write_log(
        2,
        writing.avro_data_block(T(2), rows(("a", 20, "avro"), ("e", 1, "avro")), schema),
        writing.parquet_data_block(T(2), rows(("b", 20, "parquet"), ("f", 1, "parquet")), schema),
        deletes,
    )
    expected = [("a", 20, "avro"), ("b", 20, "parquet"), ("d", 10, "base"), ("e", 1, "avro")]
    assert seen(tmp_path) == wheel(tmp_path) == expected


@pytest.mark.parametrize("version", [6, 9])
def test_a_time_before_the_first_commit_has_the_columns_that_came_with_it(version: int, tmp_path: Path) -> None:
    table = Table(tmp_path, version)
    table.write_base(2, ("a", 1, "base"))
    read = hoodoo.Table(tmp_path).to_arrow(["id", "v"], pc.field("ts") > 0, as_of=T(1))
    assert (read.num_rows, read.column_names) == (0, ["id", "v"])


def test_an_incremental_query_asks_for_the_files_of_its_range_alone(tmp_path: Path) -> None:
    """Reads of a copy-on-write table do not become slower with the number of earlier commits."""
    options = {"table_name": "t", "record_key": "id", "partition_by": "part"}
    commits = [write_arrow(pa.table({"id": [part], "part": [part]}), tmp_path, options) for part in "abc"]
    table = hoodoo.Table(tmp_path)
    [gone] = (s for s in table.file_slices() if s.partition == "a")
    (tmp_path / gone.path).unlink()
    with pytest.raises(CorruptTableError, match="is gone"):
        table.to_arrow()
    for begin, rows in ((commits[1].instant, ["c"]), (commits[0].instant, ["b", "c"])):
        found = hoodoo.Table(tmp_path).to_arrow(["id"], query_type="incremental", begin=begin)
        assert sorted(found["id"].to_pylist()) == rows
    with pytest.raises(CorruptTableError, match="is gone"):
        table.to_arrow(query_type="incremental", begin="earliest")
