"""Base files of a writer: statistics in their footers, and names that exist."""

from __future__ import annotations

import uuid

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hoodoo.format.parquet.parquet_writer import BaseFileWriter
from hoodoo.schema.avro_encode import to_avro
from hoodoo.schema.meta_columns import META_COLUMNS
from hoodoo.storage import AlreadyExists, storage_for


def test_columns_that_can_hold_nan_have_no_bounds(tmp_path):
    data = pa.table({"x": [1.0, float("nan")], "y": pa.array([1.0, 2.0], pa.float32()), "n": [1, 2], "t": ["a", "b"]})
    rows = data
    for name in META_COLUMNS:
        rows = rows.append_column(name, pa.array(["k1", "k2"]))
    with BaseFileWriter(storage_for(str(tmp_path)), "f.parquet", data.schema, to_avro(data.schema, "t")) as writer:
        writer.write(rows)
    group = pq.read_metadata(tmp_path / "f.parquet").row_group(0)
    bounds = {}
    for number in range(group.num_columns):
        chunk = group.column(number)
        has = chunk.statistics is not None and chunk.statistics.has_min_max
        bounds[chunk.path_in_schema] = (chunk.statistics.min, chunk.statistics.max) if has else None
    assert (bounds["n"], bounds["t"]) == ((1, 2), ("a", "b"))
    assert (bounds["x"], bounds["y"]) == (None, None)


@pytest.mark.parametrize("rows", [1, 2_000_000])
def test_a_file_of_another_writer_is_kept(rows):
    """An object store reports a name that exists when a large file is written, and when a small one is closed."""
    pytest.importorskip("obstore")
    storage = storage_for(f"memory://{uuid.uuid4().hex}/t")
    storage.create("f.parquet", b"theirs")
    data = pa.table({"x": np.random.default_rng(1).random(rows)})
    whole = data
    for name in META_COLUMNS:
        whole = whole.append_column(name, pa.repeat("k", rows))
    writer = BaseFileWriter(storage, "f.parquet", data.schema, to_avro(data.schema, "t"))
    with pytest.raises(AlreadyExists), writer:
        writer.write(whole)
    assert storage.read("f.parquet") == b"theirs"
