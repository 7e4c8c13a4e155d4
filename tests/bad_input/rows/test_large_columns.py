"""Columns that are larger than an Arrow array: the write is refused with an error of the batch."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from hoodoo.errors import DataError
from hoodoo.testing.engine import write_arrow
from hoodoo.writing.arrow_limits import large_columns_named
from hoodoo.writing.routing.global_route import GlobalLookup
from hoodoo.writing.stages.stage_tasks import MergeTask

pytestmark = pytest.mark.slow


def huge() -> pa.Array:
    """Return an array of one text of 1,100 MiB, whose memory is never touched."""
    size = 1100 * 2**20
    offsets = pa.py_buffer(np.array([0, size], dtype=np.int32))
    return pa.Array.from_buffers(pa.string(), 1, [None, offsets, pa.py_buffer(bytearray(size))])


def test_an_overflow_of_arrow_is_an_error_of_the_batch():
    with (
        pytest.raises(DataError, match="more than 2 GiB in the rows that one task merges") as refused,
        large_columns_named(pa.schema([("text", pa.string())])),
    ):
        pa.concat_arrays([huge(), huge()])
    assert refused.value.code == "too_large"


@pytest.mark.parametrize(("stage", "index"), [(MergeTask, "simple"), (GlobalLookup, "global-simple")])
def test_a_write_raises_it_and_leaves_nothing(stage, index, tmp_path, monkeypatch):
    def overflow(*given, **named):
        raise pa.ArrowCapacityError("array cannot contain more than 2147483646 bytes")

    monkeypatch.setattr(stage, "_run" if stage is MergeTask else "__call__", overflow)
    options = {"table_name": "t", "record_key": "id", "merger": "commit-time", "index": index}
    with pytest.raises(DataError, match="more than 2 GiB"):
        write_arrow(pa.table({"id": ["a"], "text": ["b"]}), tmp_path, options)
    assert not list(tmp_path.rglob("*.parquet"))
