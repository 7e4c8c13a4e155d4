"""Columns with few values are the same as if they were decoded and filtered like the others."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hoodoo.reading.slice.constant_columns import ConstantColumns
from hoodoo.schema.meta_columns import REPEATED_TYPE, with_meta

SCHEMA = with_meta(pa.schema([("v", pa.int64())]))


def batch(values: list[str | None], schema: pa.Schema) -> pa.Table:
    """Return rows with these values in each of the meta columns."""
    columns = [pa.array(values, pa.string()) if f.name != "v" else pa.array(range(len(values))) for f in schema]
    texts = pa.Table.from_arrays(columns, names=schema.names)
    return pa.Table.from_arrays(
        [texts[f.name].dictionary_encode() if f.type == REPEATED_TYPE else texts[f.name] for f in schema], schema=schema
    )


BATCHES = st.lists(
    st.lists(st.tuples(st.sampled_from(["a", "b", None]), st.booleans()), min_size=1, max_size=8),
    min_size=1,
    max_size=4,
)


@settings(deadline=None)
@given(BATCHES, st.booleans())
def test_rows_are_those_of_a_filter(batches, constant):
    constants = ConstantColumns.unless_used(SCHEMA, pa.schema([]))
    for number, pairs in enumerate(batches):
        values = [str(number // 2) if constant else value for value, _ in pairs]
        kept = np.array([chosen for _, chosen in pairs])
        expected = batch(values, SCHEMA).filter(pa.array(kept))
        found = constants.filter(batch(values, constants.read_schema), kept)
        assert found.schema == SCHEMA
        found.validate(full=True)
        assert found.equals(expected)


def test_columns_that_are_used_are_read_as_they_are():
    names = ["_hoodie_commit_time", "_hoodie_record_key", "v"]
    constants = ConstantColumns.unless_used(SCHEMA, pa.schema([SCHEMA.field(name) for name in names]))
    encoded = [field.name for field in constants.read_schema if field.type == REPEATED_TYPE]
    assert encoded == ["_hoodie_partition_path", "_hoodie_file_name"]


def test_batches_share_the_memory_of_a_constant():
    constants = ConstantColumns.unless_used(SCHEMA, pa.schema([]))
    kept = [np.arange(100) % 3 != number for number in (0, 1)]
    tables = [constants.filter(batch(["same"] * 100, constants.read_schema), mask) for mask in kept]
    first, second = (table["_hoodie_file_name"].chunk(0).buffers()[2].address for table in tables)
    assert first == second


@pytest.mark.parametrize("rows", [0, 3])
def test_a_file_without_meta_columns(rows):
    constants = ConstantColumns.unless_used(SCHEMA, pa.schema([]))
    stored = pa.Table.from_arrays(
        [pa.nulls(rows, field.type) for field in constants.read_schema], schema=constants.read_schema
    )
    found = constants.filter(stored, np.ones(rows, dtype=bool))
    assert found.schema == SCHEMA
    assert found["_hoodie_file_name"].null_count == rows
