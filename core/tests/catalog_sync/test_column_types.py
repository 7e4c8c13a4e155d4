"""Types in a catalog: expected values were copied by hand from the tables of Hudi's HiveSchemaUtil."""

import pyarrow as pa
import pytest

from hoodoo.catalog_sync.column_types import hive_type
from hoodoo.errors import SchemaError


@pytest.mark.parametrize(
    ("type_", "expected"),
    [
        (pa.int32(), "int"),
        (pa.int64(), "bigint"),
        (pa.float32(), "float"),
        (pa.float64(), "double"),
        (pa.bool_(), "boolean"),
        (pa.string(), "string"),
        (pa.binary(), "binary"),
        (pa.binary(16), "binary"),
        (pa.date32(), "date"),
        (pa.decimal128(20, 3), "decimal(20,3)"),
        (pa.time32("ms"), "int"),
        (pa.time64("us"), "bigint"),
        (pa.list_(pa.map_(pa.string(), pa.int64())), "array<map<string,bigint>>"),
        (pa.struct({"A": pa.int32(), "b-c": pa.list_(pa.date32())}), "struct<a:int,b_c:array<date>>"),
    ],
)
def test_types(type_, expected):
    assert hive_type(type_, timestamps=False) == expected


def test_a_timestamp_is_a_number_unless_asked_for():
    nested = pa.struct({"at": pa.timestamp("us", "UTC")})

    assert hive_type(nested, timestamps=False) == "struct<at:bigint>"
    assert hive_type(nested, timestamps=True) == "struct<at:timestamp>"


def test_a_type_without_an_equivalent_is_named():
    with pytest.raises(SchemaError, match="type duration"):
        hive_type(pa.list_(pa.duration("s")), timestamps=True)
