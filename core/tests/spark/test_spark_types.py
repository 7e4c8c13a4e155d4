"""Conversion of schemas between Arrow and Spark, and quoted names."""

from __future__ import annotations

from importlib.util import find_spec

import pyarrow as pa
import pytest

from hoodoo.schema.comments import comments_of, with_comments
from hoodoo.spark.spark_types import arrow_schema, is_same_type, quoted, spark_arrow_schema, spark_schema

needs_spark = pytest.mark.skipif(find_spec("pyspark") is None, reason="PySpark is not installed")

NESTED = pa.schema(
    [
        ("id", pa.int64()),
        ("s", pa.struct([("f", pa.int32()), ("l", pa.list_(pa.struct([("g", pa.string())])))])),
        ("m", pa.map_(pa.string(), pa.struct([("h", pa.int32())]))),
    ]
)
COMMENTED = with_comments(NESTED, {"id": "key", "s": "struct", "s.l.element.g": "deep", "m.value.h": ""})


def test_names_are_quoted_whatever_is_in_them():
    assert quoted(["a", "a.b", "x`y", "*"]) == ["`a`", "`a.b`", "`x``y`", "`*`"]


@needs_spark
def test_comments_are_in_the_metadata_of_spark_and_not_in_the_types_of_workers():
    found = spark_schema(COMMENTED)
    assert [field.metadata for field in found.fields] == [{"comment": "key"}, {"comment": "struct"}, {}]
    assert found["s"].dataType["l"].dataType.elementType["g"].metadata == {"comment": "deep"}
    assert comments_of(arrow_schema(found)) == comments_of(COMMENTED)
    assert comments_of(spark_arrow_schema(COMMENTED)) == {}


@needs_spark
def test_types_with_other_comments_are_the_same():
    plain, commented = spark_schema(NESTED), spark_schema(COMMENTED)
    for one, other in zip(plain.fields, commented.fields, strict=True):
        assert is_same_type(one.dataType, other.dataType)
    assert plain["s"].dataType != commented["s"].dataType
    assert not is_same_type(plain["s"].dataType, plain["m"].dataType)
    assert not is_same_type(plain["s"].dataType, plain["s"].dataType["l"].dataType)
