"""The size limit of Arrow as an error of the batch."""

from __future__ import annotations

import pyarrow as pa
import pytest

from hoodoo.errors import DataError
from hoodoo.writing.arrow_limits import large_columns_named

SCHEMA = pa.schema([("id", pa.int64()), ("name", pa.string()), ("tags", pa.list_(pa.string()))])


@pytest.mark.parametrize(
    "error",
    [
        pa.ArrowCapacityError("array cannot contain more than 2147483646 bytes"),
        pa.ArrowInvalid("offset overflow while concatenating arrays"),
        pa.ArrowInvalid("array cannot contain more than 2147483646 elements"),
    ],
)
def test_an_overflow_is_an_error_of_the_data(error):
    with pytest.raises(DataError, match=r"max_file_size") as raised, large_columns_named(SCHEMA):
        raise error
    assert raised.value.code == "too_large"
    assert f"({error})" in str(raised.value)
    assert "a column of text or bytes ('name' or 'tags') has more than 2 GiB" in str(raised.value)
    assert raised.value.__cause__ is error


@pytest.mark.parametrize("error", [pa.ArrowInvalid("no such column"), ValueError("offset overflow")])
def test_other_errors_stay(error):
    with pytest.raises(type(error), match=str(error)), large_columns_named(SCHEMA):
        raise error


@pytest.mark.parametrize(
    ("schema", "named"),
    [
        (pa.schema([(f"c{n}", pa.binary()) for n in range(7)]), "('c0' or 'c1' or 'c2' or 'c3' or 'c4' or 2 more)"),
        (pa.schema([("id", pa.int64())]), "(the record key)"),
    ],
)
def test_the_error_lists_the_columns_without_fixed_size(schema, named):
    with pytest.raises(DataError) as raised, large_columns_named(schema):
        raise pa.ArrowCapacityError("array cannot contain more than 2147483646 bytes")
    assert f"a column of text or bytes {named} has" in str(raised.value)
