"""Files of a new metadata table: they are those that Hudi wrote in the golden tables, except for comments."""

from __future__ import annotations

import json

import pytest

from core.tests.metadata_table.maintenance.hudi_commits import opened
from hoodoo.format.log.block import BlockType
from hoodoo.metadata_table import PartitionKind
from hoodoo.metadata_table.creation.choice import CREATED, IndexChoice, obstacle, requested
from hoodoo.metadata_table.creation.index_definitions import define, definition_of, drop_definitions
from hoodoo.metadata_table.creation.new_properties import new_properties
from hoodoo.metadata_table.creation.new_shards import first_logs, shard_count
from hoodoo.metadata_table.creation.record_layout import new_schema
from hoodoo.options import MetadataOptions
from hoodoo.properties import METADATA_TABLE_FOLDER, TableProperties, parse_properties
from hoodoo.properties.property_keys import INDEX_DEFINITIONS, ORDERING_FIELDS

TABLES = {6: "cow6-bloom-by-0.15.0", 8: "cow8-by-1.0.2", 9: "cow9-columns-widened"}
"""A table of each version by the release that introduced it."""

FILES, COLUMNS, PARTITIONS = PartitionKind.FILES, PartitionKind.COLUMN_STATS, PartitionKind.PARTITION_STATS


def without_docs(schema):
    if isinstance(schema, list):
        return [without_docs(item) for item in schema]
    if isinstance(schema, dict):
        return {key: without_docs(value) for key, value in schema.items() if key != "doc"}
    return schema


@pytest.mark.parametrize("version", TABLES)
def test_schema_properties_and_first_logs_are_those_of_hudi(real_table, version):
    table = opened(real_table(TABLES[version]))
    assert json.loads(new_schema(version)) == without_docs(json.loads(table.metadata.newest_schema))
    stored = parse_properties(table.storage.read(f"{METADATA_TABLE_FOLDER}/.hoodie/hoodie.properties"))
    assert new_properties(table.table) == stored
    time = "0" * 15 + "10" if version == 6 else "0" * 17
    [(path, body)] = first_logs(FILES, shard_count(FILES, 0), time)
    hudi = table.storage.read(f"{METADATA_TABLE_FOLDER}/{path}")
    # hoodoo adds a checksum after the content: all bytes but those of lengths
    assert (body[14:51], body[59:68]) == (hudi[14:51], hudi[59:68])


@pytest.mark.parametrize(("version", "kind"), [(8, COLUMNS), (9, COLUMNS)])
def test_definitions_are_those_of_hudi(real_table, version, kind):
    table = opened(real_table(TABLES[version]))
    path = table.table[INDEX_DEFINITIONS]
    stored = json.loads(table.storage.read(path))
    columns = stored["indexDefinitions"][kind]["sourceFields"]
    definition = definition_of(kind, version, columns)
    assert definition == stored["indexDefinitions"][kind]

    assert define(table.storage, table.table, "other", definition) == path
    assert json.loads(table.storage.read(path))["indexDefinitions"] == {
        **stored["indexDefinitions"],
        "other": definition,
    }
    drop_definitions(table.storage, path, ["other", "absent"])
    assert json.loads(table.storage.read(path)) == stored


def test_few_indexes_have_definitions():
    assert definition_of(COLUMNS, 6, ("a",)) is None
    assert definition_of(PartitionKind.RECORD_INDEX, 8, None) is None
    assert definition_of(PartitionKind.RECORD_INDEX, 9, None)["indexOptions"] == {"isPartitioned": "false"}
    partitioned = definition_of(PartitionKind.RECORD_INDEX, 9, None, is_partitioned=True)
    assert partitioned["indexOptions"] == {"isPartitioned": "true"}
    assert definition_of(FILES, 9, None) is None


def test_only_the_record_index_grows_with_the_records():
    assert [shard_count(kind, 10**9) for kind in CREATED] == [1, 2, 4, 89, 1]
    assert [shard_count(kind, 0) for kind in CREATED] == [1, 2, 4, 10, 1]
    assert shard_count(PartitionKind.RECORD_INDEX, 10**12) == 10_000


def test_a_block_of_a_first_log_is_one_of_deletes():
    [*logs] = first_logs(COLUMNS, 2, "1")
    assert [path for path, _ in logs] == [
        "column_stats/.col-stats-0000-0_1.log.1_0-0-0",
        "column_stats/.col-stats-0001-0_1.log.1_0-0-0",
    ]
    assert {body[18:22] for _, body in logs} == {BlockType.DELETE.to_bytes(4, "big")}


def properties(version=9, **entries):
    named = {key.replace("_", "."): value for key, value in entries.items()}
    return TableProperties(
        {
            "hoodie.table.name": "t",
            "hoodie.table.type": "MERGE_ON_READ",
            "hoodie.table.version": str(version),
            "hoodie.table.partition.fields": "p",
            "hoodie.record.merge.mode": "EVENT_TIME_ORDERING",
            ORDERING_FIELDS: "ts",
            **named,
        }
    )


def test_statistics_of_partitions_follow_those_of_columns():
    both = MetadataOptions(metadata_table=True, index_column_stats=True)
    assert requested(both, properties()).partitions == (FILES, COLUMNS, PARTITIONS)
    assert requested(both, properties(version=6)) == IndexChoice((FILES, COLUMNS))
    assert requested(both, properties(hoodie_table_partition_fields="")) == IndexChoice((FILES, COLUMNS))
    without = MetadataOptions(metadata_table=True, index_column_stats=True, index_partition_stats=False)
    assert requested(without, properties()).partitions == (FILES, COLUMNS)


def test_a_partitioned_record_index_is_chosen_before_that_of_the_whole_table():
    both = MetadataOptions(metadata_table=True, index_record_keys=True, index_partitioned_record_keys=True)
    record_index = PartitionKind.RECORD_INDEX
    assert requested(both, properties()) == IndexChoice((FILES, record_index), is_partitioned=True)
    alone = MetadataOptions(metadata_table=True, index_record_keys=True)
    assert requested(alone, properties()) == IndexChoice((FILES, record_index))
    [(kind, reason)] = requested(both, properties(version=8)).refused
    assert (kind, "needs table version 9" in reason) == (record_index, True)
    [(_, reason)] = requested(both, properties(hoodie_table_partition_fields="")).refused
    assert reason == "the table has no partitions"
    # an index that exists stays as it is
    there = properties(version=8, hoodie_table_metadata_partitions="files,record_index")
    assert requested(both, there).refused == ()


def test_a_group_of_a_partitioned_record_index_has_the_partition_in_its_names():
    index = PartitionKind.RECORD_INDEX
    assert [path for path, _ in first_logs(index, 1, "1", "a%2Db")] == [
        "record_index/.record-index-a%2Db-0000-0_1.log.1_0-0-0"
    ]
    assert [shard_count(index, count, "a") for count in (0, 10**9)] == [1, 89]


def test_what_a_table_cannot_have_is_refused_with_a_reason():
    alone = IndexChoice.of([PARTITIONS], properties())
    assert alone.partitions == (FILES,)
    [(kind, reason)] = alone.refused
    assert kind is PARTITIONS
    assert "need 'column_stats'" in reason
    there = properties(hoodie_table_metadata_partitions="column_stats,files")
    assert IndexChoice.of([PARTITIONS], there).refused == ()
    assert "version 8" in obstacle(PARTITIONS, properties(version=6))
    assert "no partitions" in obstacle(PARTITIONS, properties(hoodie_table_partition_fields=""))
    computed = properties(hoodie_record_merge_mode="CUSTOM", hoodie_compaction_payload_class="x.SumPayload")
    assert "compute values" in obstacle(PARTITIONS, computed)
    assert "no meta columns" in obstacle(PartitionKind.RECORD_INDEX, properties(hoodie_populate_meta_fields="false"))
    assert obstacle(COLUMNS, properties(hoodie_populate_meta_fields="false")) is None
