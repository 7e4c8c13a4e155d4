"""Properties for Spark: the schema in parts, partition columns at the end."""

import json

import pyarrow as pa
import pytest

from hoodoo.catalog_sync.spark_schema import spark_properties
from hoodoo.errors import SchemaError


def joined(properties):
    parts = int(properties["spark.sql.sources.schema.numParts"])
    return "".join(properties[f"spark.sql.sources.schema.part.{number}"] for number in range(parts))


def test_the_text_is_that_of_hudi():
    """A space follows the name of a nested type, as in Hudi's text; an equal text is not a change of the catalog."""
    schema = pa.schema(
        [
            pa.field("id", pa.int64(), nullable=False),
            ("tags", pa.list_(pa.field("element", pa.string(), nullable=False))),
            ("by", pa.map_(pa.string(), pa.decimal128(5, 2))),
            ("at", pa.timestamp("us", "UTC")),
        ]
    )
    properties = spark_properties(schema, (), part_length=4000, spark_version=None)

    assert joined(properties) == (
        '{"type":"struct","fields":['
        '{"name":"id","type":"long","nullable":false,"metadata":{}},'
        '{"name":"tags","type":{"type":"array", "elementType":"string","containsNull":false},'
        '"nullable":true,"metadata":{}},'
        '{"name":"by","type":{"type":"map", "keyType":"string","valueType":"decimal(5,2)","valueContainsNull":true},'
        '"nullable":true,"metadata":{}},'
        '{"name":"at","type":"timestamp","nullable":true,"metadata":{}}]}'
    )
    assert properties["spark.sql.sources.provider"] == "hudi"
    assert "spark.sql.create.version" not in properties
    assert "spark.sql.sources.schema.numPartCols" not in properties


def test_partition_columns_come_last_and_may_be_absent_from_the_files():
    schema = pa.schema([("city", pa.int32()), ("n", pa.struct({"x": pa.float32(), "ä": pa.timestamp("us")}))])
    properties = spark_properties(schema, ("day", "city"), part_length=50, spark_version="3.5.1")
    fields = json.loads(joined(properties))["fields"]

    assert [(field["name"], field["nullable"]) for field in fields] == [("n", True), ("day", False), ("city", True)]
    assert fields[0]["type"]["fields"][1] == {"name": "ä", "type": "timestamp_ntz", "nullable": True, "metadata": {}}
    assert (fields[1]["type"], fields[2]["type"]) == ("string", "integer")
    assert all(len(text) <= 50 for name, text in properties.items() if ".part." in name)
    assert {name: text for name, text in properties.items() if "artCol" in name} == {
        "spark.sql.sources.schema.numPartCols": "2",
        "spark.sql.sources.schema.partCol.0": "day",
        "spark.sql.sources.schema.partCol.1": "city",
    }
    assert properties["spark.sql.create.version"] == "3.5.1"


def test_a_type_that_spark_lacks_is_named():
    with pytest.raises(SchemaError, match=r"type time32.* of column '.*' has no equivalent in Spark"):
        spark_properties(pa.schema([("t", pa.time32("ms"))]), (), part_length=10, spark_version=None)
