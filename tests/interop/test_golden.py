"""Golden tables, which Apache Hudi wrote and read: hoodoo reads the same, and its writes have the predicted result.

The exceptions are the known differences of `known.py`.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest

import hoodoo
from hoodoo.reading.changes.json_text import json_objects
from hoodoo.testing.engine import write_arrow

from .comparing import difference, query_difference
from .golden import DATA, GOLDEN, description
from .known import GOLDEN_DIFFERENT

pytestmark = pytest.mark.slow

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

RECORDED = "hoodie.table.cdc.enabled=true"
LANCE = [name for name, golden in GOLDEN.items() if golden.story.lance]
CLUSTERING = "cow9-clustering-pending"

STRUCTS_LOST = "mor9-lance-compacted"
"""Table whose compaction changed rows: Lance files of Hudi 1.2.0 have a struct of nulls for a null struct."""

BUCKETS = {"index": "bucket", "buckets": 3}
OPTIONS = {
    "mor6-bucket-by-0.15.0": BUCKETS,
    "mor9-bucket": BUCKETS,
    "mor9-custom-key": {
        "hoodie.keygen.timebased.timestamp.type": "EPOCHMILLISECONDS",
        "hoodie.keygen.timebased.output.dateformat": "yyyyMM",
    },
}
"""Options of writes that the properties of a table do not imply."""

Unpack = Callable[[str], Path]
Reads = Callable[[str], dict[str, Any]]


def test_the_files_are_those_that_the_program_describes() -> None:
    """`tox -e golden` makes outdated tables again."""
    assert {file.name for file in (DATA / "tables").iterdir()} == {f"{name}.tar.xz" for name in GOLDEN}
    used = {f"{name}.json" for name in GOLDEN}
    for name, golden in GOLDEN.items():
        found = json.loads((DATA / "expected" / f"{name}.json").read_text())
        used |= {read["file"] for read in found.pop("queries").values() if "file" in read}
        assert found == description(golden), name
    assert {file.name for file in (DATA / "expected").iterdir()} == used


def test_the_files_are_small() -> None:
    assert sum(file.stat().st_size for file in DATA.rglob("*") if file.is_file()) < 5_000_000


@pytest.mark.parametrize("name", GOLDEN)
def test_hoodoo_reads_what_hudi_read(name: str, real_table: Unpack, golden_reads: Reads) -> None:
    path = real_table(name)
    properties = hoodoo.Table(path).properties
    assert properties["hoodie.table.version"] == str(GOLDEN[name].version)
    assert properties.get("hoodie.table.timeline.timezone", "LOCAL") == "LOCAL"
    differences = {}
    for query, read in golden_reads(name).items():
        found = query_difference(path, read.arguments, read.rows)
        if found:
            differences[query] = found
    known = GOLDEN_DIFFERENT.get(name, {})
    unknown = {query: found for query, found in differences.items() if query not in known}
    assert not unknown, "\n".join(f"{query}: {found}" for query, found in unknown.items())
    assert set(known) == set(differences), "a known difference has disappeared"


@pytest.mark.representatives(name=list(GOLDEN)[::2])
@pytest.mark.parametrize("name", [name for name in GOLDEN if name != STRUCTS_LOST])
def test_changes_lead_from_the_first_commit_to_the_snapshot(name: str, real_table: Unpack) -> None:
    path = real_table(name)
    properties = path / ".hoodie" / "hoodie.properties"
    if RECORDED not in properties.read_text():
        properties.write_text(f"{properties.read_text()}{RECORDED}\n")
    table = hoodoo.Table(path)
    query = {"query_type": "incremental", "incremental_format": "cdc"}
    if any(word in name for word in ("archived", "upgraded")):
        with pytest.raises(hoodoo.errors.OptionError) as refused:
            table.to_arrow(**query)
        assert refused.value.code in ("archived", "cleaned")
        return
    changes = table.to_arrow(**query).to_pylist()
    order = [commit.time for commit in table.timeline.commits_between(None, None)]
    state: Counter[str] = Counter()
    for time in sorted({change["ts_ms"] for change in changes}, key=order.index):
        of_commit = [change for change in changes if change["ts_ms"] == time]
        state.subtract(change["before"] for change in of_commit if change["before"] is not None)
        assert min(state.values(), default=0) >= 0
        state.update(change["after"] for change in of_commit if change["after"] is not None)
    assert +state == Counter(json_objects(table.to_arrow(table.schema.names)).to_pylist())


@pytest.mark.parametrize("name", [name for name in GOLDEN if "changes" in name])
def test_a_table_that_records_changes_is_not_written(name: str, real_table: Unpack) -> None:
    path = real_table(name)
    rows = hoodoo.Table(path).to_arrow(hoodoo.Table(path).schema.names)
    with pytest.raises(hoodoo.errors.UnsupportedTable, match="records change data"):
        write_arrow(rows, path, {"hoodie.metadata.enable": "false"})


@pytest.mark.parametrize("name", LANCE)
def test_a_table_in_lance_format_is_read_and_not_written(name: str, real_table: Unpack) -> None:
    path = real_table(name)
    table = hoodoo.Table(path)
    rows = table.to_arrow()
    changes: dict[str, Callable[[], object]] = {
        "write": lambda: write_arrow(rows.select(table.schema.names), path, {}),
        "clean": table.clean,
        "compact": table.compact,
    }
    files = {file: file.stat().st_size for file in path.rglob("*")}
    for what, change in changes.items():
        with pytest.raises(hoodoo.errors.UnsupportedTable, match="base files in LANCE format") as refused:
            change()
        assert refused.value.code == "base_file_format", what
    assert files == {file: file.stat().st_size for file in path.rglob("*")}
    assert not difference(hoodoo.Table(path).to_arrow(), rows)


def test_a_metadata_table_is_refused(real_table: Unpack) -> None:
    path = real_table("mor9-avro")
    with pytest.raises(hoodoo.errors.UnsupportedTable, match="is the metadata table of table 'story'"):
        hoodoo.Table(path / ".hoodie" / "metadata").to_arrow()


@pytest.mark.representatives(name=list(GOLDEN)[::2])
@pytest.mark.parametrize(
    "name", [name for name in GOLDEN if name != CLUSTERING and "changes" not in name and not GOLDEN[name].story.lance]
)
def test_writes_change_the_rows_that_they_name_and_no_others(name: str, real_table: Unpack) -> None:
    path = real_table(name)
    table = hoodoo.Table(path)
    properties, schema, stored = table.properties, table.schema, table.to_arrow()
    first = stored.select(schema.names).slice(0, 1).to_pylist()[0]
    newer = {**first, **{column: first[column] + 1 for column in properties.ordering}}
    changed, added, inserted = {**newer, "d": 0.5}, {**newer, "id": "added"}, {**newer, "id": "inserted"}

    def write(rows: list[dict[str, Any]], operation: str, expected: list[dict[str, Any]]) -> None:
        options = {"hoodie.metadata.enable": "false", "operation": operation, **OPTIONS.get(name, {})}
        write_arrow(pa.Table.from_pylist(rows, schema=schema), path, options)
        check(expected)

    def check(expected: list[dict[str, Any]]) -> None:
        found = hoodoo.Table(path).to_arrow()
        touched = pa.array([first["id"], "added", "inserted"])
        ours = found.filter(pc.is_in(found["id"], touched)).select(schema.names)
        assert not difference(ours, pa.Table.from_pylist(expected, schema=schema))
        # a row that is written again with its file keeps all meta columns but one
        left, kept = (
            rows.filter(pc.invert(pc.is_in(rows["id"], touched))).drop_columns("_hoodie_file_name")
            for rows in (found, stored)
        )
        assert not difference(left, kept)

    write([changed, added], "upsert", [changed, added])
    write([inserted], "insert", [changed, added, inserted])
    write([changed, added], "delete", [inserted])
    if properties.table_type == "MERGE_ON_READ":
        if "compaction-pending" in name:
            with pytest.raises(hoodoo.errors.CommitConflict, match="is going to compact file group"):
                hoodoo.Table(path).compact()
        else:
            hoodoo.Table(path).compact()
            assert not any(file_slice.logs for file_slice in hoodoo.Table(path).file_slices())
        check([inserted])


def test_a_write_to_groups_of_a_pending_clustering_conflicts_with_it(real_table: Unpack) -> None:
    path = real_table(CLUSTERING)
    stored = hoodoo.Table(path).to_arrow()
    with pytest.raises(hoodoo.errors.CommitConflict, match="is going to cluster file group"):
        write_arrow(stored.select(hoodoo.Table(path).schema.names), path, {"hoodie.metadata.enable": "false"})
    assert not difference(hoodoo.Table(path).to_arrow(), stored)


@pytest.mark.spark
@pytest.mark.parametrize(
    "name",
    ["cow6-bloom-by-0.15.0", "mor6-parquet-by-0.15.0", "mor8-by-1.0.2", "mor9-partial-update", "mor9-archived", *LANCE],
)
def test_spark_reads_what_hudi_read(name: str, real_table: Unpack, golden_reads: Reads, spark: SparkSession) -> None:
    path, reads = real_table(name), golden_reads(name)
    for query in {"snapshot", "incremental_last"} - set(GOLDEN_DIFFERENT.get(name, {})):
        found = hoodoo.read(spark, path, **reads[query].arguments).toArrow()
        assert not difference(found, reads[query].rows), query
