"""Tables that a catalog should have."""

import attrs
import pyarrow as pa
import pytest

from hoodoo.catalog_sync.wanted_tables import TableFacts, wanted_tables
from hoodoo.errors import OptionError, SchemaError
from hoodoo.options import CatalogOptions, parse

SCHEMA = pa.schema([("_hoodie_commit_time", pa.string()), ("Id", pa.int64()), ("city", pa.string())])
FACTS = TableFacts("trips", "", "s3://b/trips", False, SCHEMA, ("city",))
HIVE = "hoodie.datasource.hive_sync."
INPUT = "org.apache.hudi.hadoop."


def wanted(facts=FACTS, **options):
    return [each.table for each in wanted_tables(facts, parse(options, (CatalogOptions,))[CatalogOptions])]


def test_a_copy_on_write_table_is_one_table():
    [table] = wanted()

    assert (table.database, table.name, table.location) == ("default", "trips", "s3://b/trips")
    assert [(each.name, each.type) for each in table.columns] == [("_hoodie_commit_time", "string"), ("Id", "bigint")]
    assert [(each.name, each.type) for each in table.partition_columns] == [("city", "string")]
    assert table.input_format == INPUT + "HoodieParquetInputFormat"
    assert table.output_format == "org.apache.hadoop.hive.ql.io.parquet.MapredParquetOutputFormat"
    assert table.serde == "org.apache.hadoop.hive.ql.io.parquet.serde.ParquetHiveSerDe"
    assert table.serde_properties == {
        "path": "s3://b/trips",
        "hoodie.query.as.ro.table": "false",
        "serialization.format": "1",
    }
    assert table.properties["EXTERNAL"] == "TRUE"
    assert table.properties["spark.sql.sources.provider"] == "hudi"


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, {"trips_ro": ("", "true"), "trips_rt": ("R", "false"), "trips": ("R", "false")}),
        ({HIVE + "skip_ro_suffix": "true"}, {"trips": ("", "true"), "trips_rt": ("R", "false")}),
        ({HIVE + "table.strategy": "ro"}, {"trips": ("", "true")}),
        ({HIVE + "table.strategy": "RT"}, {"trips": ("R", "false")}),
        (
            {"hoodie.meta.sync.sync_snapshot_with_table_name": "false"},
            {"trips_ro": ("", "true"), "trips_rt": ("R", "false")},
        ),
    ],
)
def test_a_merge_on_read_table_has_a_table_for_each_query(options, expected):
    tables = wanted(attrs.evolve(FACTS, merge_on_read=True), **options)
    formats = {
        INPUT + "HoodieParquetInputFormat": "",
        INPUT + "realtime.HoodieParquetRealtimeInputFormat": "R",
    }

    assert {
        each.name: (formats[each.input_format], each.serde_properties["hoodie.query.as.ro.table"]) for each in tables
    } == expected


def test_options_of_hudi():
    options = {
        "database": "rides",
        "table": "journeys",
        "sync_as_datasource": "false",
        "create_managed_table": "true",
        "omit_metadata_fields": "true",
        "table_properties": "team=fares\n note = a=b ",
        "serde_properties": "x=1",
    }
    [table] = wanted(
        **{HIVE + key: value for key, value in options.items()},
        **{"hoodie.datasource.meta.sync.base.path": "hdfs://n/trips/"},
    )

    assert (table.database, table.name, table.location, table.managed) == ("rides", "journeys", "hdfs://n/trips", True)
    assert table.properties == {"team": "fares", "note": "a=b"}
    assert table.serde_properties == {"x": "1", "path": "hdfs://n/trips", "serialization.format": "1"}
    assert [each.name for each in table.columns] == ["Id"]


def test_the_database_of_the_table_is_the_default():
    assert wanted(attrs.evolve(FACTS, database="rides"))[0].database == "rides"


def test_comments_are_stored_if_asked_for():
    facts = attrs.evolve(FACTS, comments={"Id": "the key"})

    assert [each.comment for each in wanted(facts)[0].columns] == ["", ""]
    assert [each.comment for each in wanted(facts, **{HIVE + "sync_comment": "true"})[0].columns] == ["", "the key"]


def test_what_a_catalog_cannot_hold_is_named():
    with pytest.raises(SchemaError, match="'Id' and 'ID' differ only by case"):
        wanted(attrs.evolve(FACTS, schema=SCHEMA.append(pa.field("ID", pa.int32()))))
    with pytest.raises(SchemaError, match="column 'd': type duration"):
        wanted(attrs.evolve(FACTS, schema=SCHEMA.append(pa.field("d", pa.duration("s")))))
    with pytest.raises(OptionError, match="table_properties has the line 'team'"):
        wanted(**{HIVE + "table_properties": "team"})
    with pytest.raises(OptionError, match=r"set hoodie.datasource.hive_sync.table"):
        wanted(attrs.evolve(FACTS, name=""))


@pytest.mark.parametrize(
    ("url_encode", "options", "value"),
    [
        (True, {}, "a/b"),
        (True, {"catalog_decode_partitions": False}, "a%2Fb"),
        (False, {}, "a%2Fb"),
        (False, {"catalog_decode_partitions": True}, "a/b"),
    ],
)
def test_partition_values_are_decoded_if_the_table_encodes_them_or_on_request(url_encode, options, value):
    facts = attrs.evolve(FACTS, url_encode=url_encode)
    [table] = wanted_tables(facts, parse(options, (CatalogOptions,))[CatalogOptions])
    assert table.values.of("a%2Fb") == (value,)
