"""Definitions of columns in SQL."""

from __future__ import annotations

from importlib.util import find_spec

import pyarrow as pa
import pytest

from hoodoo.schema.comments import with_comments
from hoodoo.spark.spark_types import spark_schema
from hoodoo.spark.sql.tables.column_text import column_text

pytestmark = pytest.mark.skipif(find_spec("pyspark") is None, reason="PySpark is not installed")


def test_a_definition_has_the_comments_and_the_names_of_fields():
    schema = pa.schema(
        [
            ("a `b`", pa.int64()),
            ("s", pa.struct([("Aa", pa.int32()), ("l", pa.list_(pa.struct([("x-y", pa.decimal128(8, 2))])))])),
            ("m", pa.map_(pa.string(), pa.string())),
        ]
    )
    commented = with_comments(schema, {"s": "it's", "s.Aa": "first", "s.l.element.x-y": "price"})
    plain, struct, entries = (column_text(field) for field in spark_schema(commented).fields)
    assert (plain, entries) == ("`a ``b``` BIGINT", "`m` MAP<STRING, STRING>")
    inner = "`Aa`: INT COMMENT 'first', `l`: ARRAY<STRUCT<`x-y`: DECIMAL(8,2) COMMENT 'price'>>"
    assert struct == f"`s` STRUCT<{inner}> COMMENT 'it\\u0027s'"
