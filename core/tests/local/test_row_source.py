"""Chunks of rows, limited in rows and bytes whatever the sizes of the batches, without meta columns."""

from __future__ import annotations

from itertools import pairwise

import pyarrow as pa
import pytest

from hoodoo.local import row_source
from hoodoo.local.row_source import RowSource


@pytest.fixture(autouse=True)
def few_rows(monkeypatch):
    monkeypatch.setattr(row_source, "CHUNK_ROWS", 10)


@pytest.mark.parametrize("sizes", [[3, 0, 4, 2, 9], [25], [10, 10], [1] * 35, [0], []])
def test_chunks_have_all_rows_in_order_and_at_most_ten(sizes):
    schema = pa.schema([("n", pa.int64()), ("_hoodie_commit_time", pa.string())])
    edges = [sum(sizes[:n]) for n in range(len(sizes) + 1)]
    batches = [
        pa.record_batch({"n": list(range(a, b)), "_hoodie_commit_time": ["x"] * (b - a)}, schema=schema)
        for a, b in pairwise(edges)
    ]

    chunks = list(RowSource(schema, lambda: batches).chunks())

    assert [n for chunk in chunks for n in chunk["n"].to_pylist()] == list(range(sum(sizes)))
    assert all(0 < chunk.num_rows <= 10 for chunk in chunks)
    assert all(chunk.column_names == ["n"] for chunk in chunks)
    assert len(chunks) <= 2 * -(-sum(sizes) // 10)


def test_meta_columns_are_not_part_of_the_schema():
    source = RowSource.of_table(pa.table({"_hoodie_record_key": ["a"], "v": [1]}))

    assert source.schema.names == ["v"]


def test_large_rows_are_in_chunks_of_limited_bytes(monkeypatch):
    monkeypatch.setattr(row_source, "CHUNK_BYTES", 3000)
    table = pa.table({"v": ["x" * 1000] * 9})

    assert [chunk.num_rows for chunk in RowSource.of_table(table).chunks()] == [3, 3, 3]


def test_one_row_may_be_larger_than_a_chunk(monkeypatch):
    monkeypatch.setattr(row_source, "CHUNK_BYTES", 10)

    assert [chunk.num_rows for chunk in RowSource.of_table(pa.table({"v": ["x" * 99] * 3})).chunks()] == [1, 1, 1]
