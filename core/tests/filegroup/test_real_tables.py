"""Tables that Apache Hudi wrote: listing, schema and rows against what another reader returned."""

from __future__ import annotations

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hoodoo.filegroup import base_slices, file_groups, file_slices
from hoodoo.format import read_base_file, read_partition_metadata
from hoodoo.properties import load_properties
from hoodoo.schema.avro_encode import from_avro, to_avro
from hoodoo.schema.meta_columns import META_COLUMNS, with_meta
from hoodoo.storage import storage_for
from hoodoo.timeline import Timeline

GOLDEN = ["cow6", "cow6-bloom-by-0.15.0", "cow6-clustered-by-0.15.0"]
TABLES = [
    "sample_table_cow__v6_complexkeygen_hivestyle",
    "sample_table_cow__v6_nonpartitioned",
    "sample_table_cow__v6_simplekeygen_hivestyle_no_metafields",
    "sample_table_cow__v6_simplekeygen_nonhivestyle_overwritetable",
    "sample_table_cow__v6_timebasedkeygen_nonhivestyle",
    *GOLDEN,
]


def rows_of(storage, timeline, as_of=None):
    schema = with_meta(from_avro(timeline.commit_outline(timeline.latest_commit).schema))
    slices = file_slices(storage, timeline, as_of)
    parts = [part for s in slices for part in read_base_file(storage, s.path, schema)]
    return pa.concat_tables(parts) if parts else schema.empty_table()


@pytest.mark.parametrize("name", TABLES)
def test_rows_are_those_that_another_reader_returned(real_table, real_rows, name):
    storage, wanted_table = storage_for(real_table(name)), real_rows(name)
    load_properties(storage)
    table = rows_of(storage, Timeline.load(storage))
    # the other reader leaves the meta columns out where the table does not fill them
    absent = set(table.column_names) - set(wanted_table.column_names)
    assert absent == (set(META_COLUMNS) if name.endswith("no_metafields") else set())
    found, wanted = table.select(wanted_table.column_names).to_pylist(), wanted_table.to_pylist()
    assert len(wanted) == len(found) > 0
    assert sorted(found, key=lambda row: row["id"]) == sorted(wanted, key=lambda row: row["id"])


# Hudi's clustering writes partition columns behind the others, unlike the schema of its commit
@pytest.mark.parametrize("name", [name for name in TABLES if name != "cow6-clustered-by-0.15.0"])
def test_schemas_and_commits_read_as_they_were_written(real_table, name):
    storage = storage_for(real_table(name))
    timeline = Timeline.load(storage)
    properties = load_properties(storage)
    # Hudi's data source leaves the schema out of the properties; the golden tables are made by it
    assert (properties.create_schema is None) == (name in GOLDEN)
    if properties.create_schema is not None:
        created = json.loads(to_avro(from_avro(properties.create_schema), properties.name, null_first=False))
        assert created == json.loads(properties.create_schema)
    for instant in timeline.commits:
        metadata = timeline.commit_metadata(instant)
        schema = metadata.extra_metadata["schema"]
        assert json.loads(metadata.to_json()) == json.loads(timeline.read(instant))
        assert to_avro(from_avro(schema), properties.name) == schema
        for stat in metadata.stats():
            assert read_partition_metadata(storage, stat.partition_path).depth == len(
                stat.partition_path.split("/")
            ) * bool(stat.partition_path)
            if storage.exists(stat.path):
                parquet = pq.read_schema(storage.local_path(stat.path))
                declared = with_meta(from_avro(schema))
                assert parquet.names == declared.names
                scalars = [field for field in declared if not pa.types.is_nested(field.type)]
                assert [parquet.field(field.name).type for field in scalars] == [field.type for field in scalars]


def test_an_empty_table_has_no_slices(real_table):
    storage = storage_for(real_table("sample_table_cow__v6_empty"))
    timeline = Timeline.load(storage)
    assert load_properties(storage).record_key == ("id",)
    assert timeline.instants == ()
    assert file_slices(storage, timeline) == []


def test_time_travel_before_an_overwrite_shows_what_it_replaced(real_table):
    storage = storage_for(real_table("sample_table_cow__v6_simplekeygen_nonhivestyle_overwritetable"))
    timeline = Timeline.load(storage)
    first, second, overwrite = (instant.time for instant in timeline.commits)
    assert [s.partition for s in file_slices(storage, timeline, first)] == ["10", "20"]
    assert {s.partition for s in file_slices(storage, timeline, second)} == {"10", "20", "30"}
    assert [s.base_instant for s in file_slices(storage, timeline, overwrite)] == [overwrite]
    groups = {group.partition: group for group in file_groups(storage, timeline, second)}
    assert [s.base_instant for s in groups["10"].slices] == [second, first]
    assert groups["10"].latest.base_instant == second


LOGS = {
    "quickstart_trips_table_mor_avro__v6_trips_8i1u": 1,
    "sample_table_mor_avro__v9_timebasedkeygen_nonhivestyle": 2,
    "sample_table_mor_parquet__v6_complexkeygen_hivestyle": 1,
    "sample_table_mor_parquet__v6_nonpartitioned_rollback": 3,
    "mor6-parquet-by-0.15.0": 2,
    "mor8-overwrite-by-1.0.2": 2,
    "mor9-bucket": 7,
}
"""Log files of the latest slices; those of older slices remain until they are cleaned."""


@pytest.mark.parametrize("name", LOGS)
def test_logs_belong_to_the_latest_slices(real_table, name):
    storage = storage_for(real_table(name))
    timeline = Timeline.load(storage, load_properties(storage).layout_version)
    slices = file_slices(storage, timeline)
    logs = [log for s in slices for log in s.logs]
    assert len(logs) == LOGS[name]
    assert [log.path for s in slices for log in sorted(s.logs, key=lambda log: log.order)] == [log.path for log in logs]
    assert [(s.path, s.logs) for s in base_slices(storage, timeline)] == [(s.path, ()) for s in slices if s.path]


def test_a_compaction_takes_over_the_logs_before_it(real_table):
    storage = storage_for(real_table("quickstart_trips_table_mor_avro__v8_trips_8i3u1d"))
    timeline = Timeline.load(storage, load_properties(storage).layout_version)
    compaction = next(i for i in timeline.commits if i.action == "commit")
    compacted = timeline.commit_metadata(compaction).touched()
    previous = timeline.commits[timeline.commits.index(compaction) - 1]
    before = {(s.partition, s.file_id): s for s in file_slices(storage, timeline, previous.time)}
    for s in file_slices(storage, timeline):
        if (s.partition, s.file_id) in compacted:
            older = before[s.partition, s.file_id].logs
            assert s.base_instant == compaction.time
            assert older
            assert not set(s.logs) & set(older)
