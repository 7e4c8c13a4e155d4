"""Assignment to fields of a struct."""

from __future__ import annotations

import pytest
from pyspark.sql import functions as F
from pyspark.sql.types import IntegerType, MapType, StringType, StructType

from hoodoo.errors import StatementError
from hoodoo.spark.statements.struct_fields import assigned_fields, field_of

INNER = StructType().add("c", StringType()).add("d", IntegerType())
VALUES = MapType(StringType(), StructType().add("x", IntegerType()))
TYPE = StructType().add("a", IntegerType()).add("B", INNER).add("m", VALUES)


def test_a_field_is_found_by_its_name_whatever_its_case():
    assert field_of("col.b.C", TYPE) == (("B", "c"), StringType())
    assert field_of("col.B", TYPE, case_sensitive=True)[0] == ("B",)


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("col.z", "'col' has no field 'z'; it has: a, B, m"),
        ("col.b.z", "'col.B' has no field 'z'; it has: c, d"),
        ("col.a.z", "'col.a' is of type int, which has no field 'z'"),
        ("col.m.x", "'col.m' is of type map<string,struct<x:int>>, which has no field 'x'"),
    ],
)
def test_a_field_that_does_not_exist_is_an_error(path, message):
    with pytest.raises(StatementError, match="has no field") as refused:
        field_of(path, TYPE)
    assert message in str(refused.value)


def test_case_counts_in_a_session_in_which_it_does():
    with pytest.raises(StatementError, match="'col' has no field 'b'"):
        field_of("col.b", TYPE, case_sensitive=True)


def test_other_fields_keep_their_values_and_a_null_struct_gets_the_value(spark):
    rows = [(1, (1, ("p", 5), None)), (2, (2, None, None)), (3, None)]
    frame = spark.createDataFrame(rows, StructType().add("id", IntegerType()).add("col", TYPE))
    made = assigned_fields(F.col("col"), TYPE, {("B", "c"): F.lit("new"), ("a",): F.col("id") * 10})
    found = frame.orderBy("id").select(made.alias("col"))
    assert found.schema["col"].dataType.simpleString() == TYPE.simpleString()
    assert [tuple(row["col"]) for row in found.collect()] == [
        (10, ("new", 5), None),
        (20, ("new", None), None),
        (30, ("new", None), None),
    ]
