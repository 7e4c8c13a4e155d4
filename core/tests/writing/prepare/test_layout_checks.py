"""Tables whose files lack values that readers make of others."""

from __future__ import annotations

import pyarrow as pa
import pytest

from hoodoo.errors import OptionError, SchemaError

TIMES = {"timestamp_type": "EPOCHMILLISECONDS", "output_format": "yyyy-MM-dd"}


@pytest.mark.parametrize(
    "options",
    [
        {"record_key": "id"},
        {"record_key": "id,ts", "index": "bloom"},
        {"record_key": "id", "keygen": "org.apache.hudi.keygen.ComplexKeyGenerator", "index": "bucket"},
        {"record_key": "id", "partition_by": None},
    ],
)
def test_keys_are_made_of_the_columns_of_three_key_generators(prepared, options):
    found = prepared(populate_meta_fields=False, **options)
    assert not found.table.fills_meta
    assert found.files.bloom is None
    assert found.properties["hoodie.populate.meta.fields"] == "false"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"partition_by": "p:simple"}, "key generator is 'custom'"),
        ({"partition_by": "ts", "keygen": "timestamp", "keygen_options": TIMES}, "key generator is 'timestamp'"),
        ({"record_key": None, "ordering": None}, "no record key columns"),
    ],
)
def test_other_keys_cannot_be_made_without_meta_columns(prepared, options, words):
    with pytest.raises(OptionError, match=words) as refused:
        prepared(populate_meta_fields=False, **options)
    assert refused.value.code == "meta_columns"


def test_a_table_with_meta_columns_stores_no_property_for_them(prepared):
    assert "hoodie.populate.meta.fields" not in prepared(populate_meta_fields=True).properties


DROPPED = {"drop_partition_columns": True}


@pytest.mark.parametrize("type_", [pa.string(), pa.large_string(), pa.int8(), pa.int64(), pa.date32(), pa.bool_()])
def test_values_with_one_text_can_be_left_out_of_the_files(prepared, type_):
    schema = pa.schema([("id", pa.string()), ("p", type_), ("ts", pa.int64())])
    found = prepared(schema, **DROPPED)
    assert found.table.path_columns.names == ("p",)
    assert found.table.schema.field("p").type == pa.string()
    assert found.table.file_schema.names == ["id", "ts"]
    assert found.properties["hoodie.datasource.write.drop.partition.columns"] == "true"


@pytest.mark.parametrize("type_", [pa.float64(), pa.timestamp("us", "UTC"), pa.decimal128(9, 2)])
def test_values_with_several_texts_are_refused(prepared, type_):
    schema = pa.schema([("id", pa.string()), ("p", type_), ("ts", pa.int64())])
    with pytest.raises(SchemaError, match="partition column 'p' is of type") as refused:
        prepared(schema, **DROPPED)
    assert refused.value.code == "dropped_partition_columns"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (
            {"partition_by": "ts", "ordering": None, "keygen": "timestamp", "keygen_options": TIMES},
            "'timestamp' writes values in another form",
        ),
        ({"partition_by": "p:simple"}, "'custom' writes values in another form"),
        ({"slash_date": True}, "three levels"),
        ({"record_key": "id,p", "populate_meta_fields": False}, "a record key column is among them"),
        ({"partition_by": "ts"}, "an ordering column is among them"),
        ({"index": "global-simple", "update_partition": False}, "of another value"),
    ],
)
def test_values_that_would_be_lost_are_refused(prepared, options, words):
    with pytest.raises(OptionError, match=words) as refused:
        prepared(**{**DROPPED, **options})
    assert refused.value.code == "dropped_partition_columns"


def test_a_table_without_partitions_leaves_no_columns_out(prepared):
    found = prepared(partition_by=None, **DROPPED)
    assert found.table.file_schema == found.table.schema
    # so that the same options fit the next write
    assert found.properties["hoodie.datasource.write.drop.partition.columns"] == "true"
