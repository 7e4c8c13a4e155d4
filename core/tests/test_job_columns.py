"""Columns of a job that is checked."""

from __future__ import annotations

import pyarrow as pa
import pytest

from hoodoo.errors import OptionError
from hoodoo.job_columns import assumed_columns, columns_of
from hoodoo.options import parse
from hoodoo.writing.prepare.prepare import GROUPS


def test_names_of_spark_types() -> None:
    found = columns_of(
        {"a": "string", "b": "BIGINT", "c": "decimal(10, 2)", "d": "timestamp", "_hoodie_file_name": "string"}
    )
    types = [pa.string(), pa.int64(), pa.decimal128(10, 2), pa.timestamp("us", "UTC")]
    assert found == pa.schema(list(zip("abcd", types, strict=True)))


def test_an_unknown_type_is_named_with_its_column() -> None:
    with pytest.raises(OptionError, match="column 'a' has the type 'text'"):
        columns_of({"a": "text"})


@pytest.mark.parametrize("text", ["decimal(39,2)", "decimal(0,0)", "decimal(4,5)"])
def test_a_decimal_that_does_not_exist_is_refused(text: str) -> None:
    with pytest.raises(OptionError, match=r"column 'a' has the type 'decimal.*; a decimal has a precision of 1 to 38"):
        columns_of({"a": text})


@pytest.mark.parametrize("columns", [["id"], "id", 3])
def test_columns_are_a_dictionary_or_a_schema(columns: object) -> None:
    with pytest.raises(OptionError, match=r"'columns' has the type .*; give a dictionary of column names and types"):
        columns_of(columns)  # type: ignore[arg-type]


def test_a_schema_is_taken_without_meta_columns() -> None:
    schema = pa.schema([("_hoodie_record_key", pa.string()), ("a", pa.int8())])
    assert columns_of(schema) == pa.schema([("a", pa.int8())])


def test_columns_that_the_options_name() -> None:
    given = {"record_key": "a.b,c", "partition_by": "d:simple", "ordering": "e", "delete_field": "f", "bucket_by": "c"}
    assert assumed_columns(parse(given, GROUPS)).names == ["a", "c", "d", "e", "f"]
