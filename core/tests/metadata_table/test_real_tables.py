"""Metadata tables that Hudi wrote: their content is that of the files of their tables."""

from __future__ import annotations

import re
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from hoodoo import Table
from hoodoo.archived_timeline import load_timeline
from hoodoo.metadata_table import MetadataTable, PartitionKind, kind_of, partition_states
from hoodoo.metadata_table.content.hashed_keys import stats_key
from hoodoo.metadata_table.layers import Selection, layers
from hoodoo.properties import load_properties
from hoodoo.storage import storage_for

GOLDEN = Path(__file__).parents[3] / "tests/golden/tables"
ALWAYS = (
    "mor6-archived-by-0.15.0",
    "mor8-archived-by-1.0.2",
    "mor9-archived",
    "mor-upgraded-6-to-9",
    "cow9-failed",
    "mor9-changes",
)
OTHERS = sorted(
    name for name in (path.name.removesuffix(".tar.xz") for path in GOLDEN.glob("*.tar.xz")) if name not in ALWAYS
)
SHARED = [
    "quickstart_trips_table_mor_avro__v8_trips_8i3u1d",
    "sample_table_mor_avro__v9_nonpartitioned_rollback",
    "sample_table_cow__v9_timebasedkeygen_epochmillis",
    "sample_table_mor_avro__v9_txns_complex_meta",
    "sample_table_cow__v9_txns_simple_meta",
    "sample_table_cow__v9_txns_simple_overwrite",
]
_DATA_FILE = re.compile(r"\.(parquet|lance)$|\.log\.\d+_[\d-]+(\.cdc)?$")
# data files of writes that failed, which no commit names
UNCOMMITTED = {"cow6-failed-by-0.15.0": 1, "cow9-failed": 1, "mor9-unfinished": 1}


def opened(root):
    storage = storage_for(root)
    properties = load_properties(storage)
    return MetadataTable.open(storage, properties, load_timeline(storage, properties))


def data_files(root):
    """Return partition, name and size (bytes) of each data file."""
    found = set()
    for path in root.rglob("*"):
        place = path.relative_to(root)
        if place.parts[0] != ".hoodie" and _DATA_FILE.search(path.name):
            partition = "" if place.parent == Path() else str(place.parent)
            found.add((partition, path.name, path.stat().st_size))
    return found


def check_files(root, name):
    metadata = opened(root)
    if metadata is None:
        return None
    files = metadata.files()
    named = {(partition, file, size) for partition, names in files.items() for file, size in names.items()}
    there = data_files(Path(root))
    assert named <= there
    assert len(there - named) == UNCOMMITTED.get(name, 0)
    assert metadata.partition_paths() == sorted(files)
    assert metadata.files_of(list(files)) == files
    assert {state.state for state in partition_states(metadata)} == {"used"}
    return metadata


def check_keys(metadata):
    """Check that statistics have the keys of their columns, partitions and files, and are found by column."""
    stats, files = metadata.column_stats(), metadata.files()
    partition_of = {name: partition for partition, names in files.items() for name in names}
    keys = set()
    for shard in metadata.shards("column_stats"):
        for layer in layers(metadata.storage, shard, metadata.visible, Selection()):
            keys.update(key.decode() for key in layer.cells.keys.to_pylist())
    assert {stats_key(s.column, partition_of[s.file], s.file) for s in stats if s.file in partition_of} <= keys
    for column in sorted({s.column for s in stats})[:3]:
        assert sorted(s.file for s in metadata.column_stats([column])) == sorted(
            s.file for s in stats if s.column == column
        )
    if PartitionKind.PARTITION_STATS in metadata.partitions:
        some = metadata.partition_stats(["_hoodie_record_key"])
        assert {s.column for s in some} == {"_hoodie_record_key"}
        assert {s.file for s in some} <= set(files)


def check_statistics(root, metadata):
    """Compare the counts, and the bounds of texts, integers and dates, with the values in the base files."""
    paths = {path.name: path for path in Path(root).rglob("*.parquet")}
    compared = 0
    for stats in metadata.column_stats():
        if stats.file not in paths or "." in stats.column:
            continue
        column = pq.read_table(paths[stats.file], columns=[stats.column], partitioning=None).column(0)
        assert (stats.values, stats.nulls) == (len(column), column.null_count), stats
        is_plain = pa.types.is_string(column.type) or pa.types.is_integer(column.type) or pa.types.is_date(column.type)
        if is_plain and stats.minimum is not None:
            bounds = pc.min_max(column).as_py()
            assert (stats.minimum, stats.maximum) == (bounds["min"], bounds["max"]), stats
            compared += 1
    assert compared


def check(root, name):
    metadata = check_files(root, name)
    if metadata is not None and PartitionKind.COLUMN_STATS in metadata.partitions:
        check_statistics(root, metadata)
        check_keys(metadata)
    return metadata


@pytest.mark.parametrize("name", ALWAYS)
def test_golden_tables(real_table, name):
    assert check(real_table(name), name) is not None


@pytest.mark.nightly
@pytest.mark.parametrize("name", OTHERS)
def test_other_golden_tables(real_table, name):
    check(real_table(name), name)


@pytest.mark.parametrize("name", SHARED)
def test_shared_tables(real_table, name):
    """The record index has the keys of the rows, each with a file group that has a row of the key."""
    root = real_table(name)
    metadata = check(root, name)
    assert metadata is not None
    expected = {}
    for split in Table(root).splits(columns=["_hoodie_record_key"]):
        for key in split.read().read_all().column(0).to_pylist():
            expected.setdefault(key, set()).add((split.partition, split.file_id))
    found = metadata.record_locations()
    assert set(found.column("key").to_pylist()) == set(expected)
    for row in found.to_pylist():
        assert (row["partition"], row["file_id"]) in expected[row["key"]]
    some = sorted(expected)[::2]
    rows = metadata.record_locations([*some, "no such key"])
    assert sorted(rows.column("key").to_pylist()) == some
    indexes = [partition for partition in metadata.partitions if kind_of(partition) is PartitionKind.SECONDARY_INDEX]
    for index in indexes:
        entries = metadata.secondary_entries(index)
        assert sorted(entries.column("key").to_pylist()) == sorted(expected)
        value = entries.column("value")[0].as_py()
        assert metadata.secondary_entries(index, [value]).num_rows == entries.column("value").to_pylist().count(value)
