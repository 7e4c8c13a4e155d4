"""Nulls that are decoded are compared with those that the footer states."""

from __future__ import annotations

import re

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hoodoo.errors import CorruptTableError
from hoodoo.format.null_counts import NullCounts
from hoodoo.format.parquet import read_base_file
from hoodoo.storage import LocalStorage

ROWS = pa.table({"id": ["a", "b", None], "n": [1, None, None], "s": [{"x": 1}, None, None]})


@pytest.fixture
def path(tmp_path):
    pq.write_table(ROWS, tmp_path / "f.parquet", row_group_size=2)
    return tmp_path / "f.parquet"


def test_flat_columns_are_counted(path):
    file = pq.ParquetFile(path)
    counts = NullCounts.stated(file, ["id", "n", "s"])
    assert counts.left == {"id": 1, "n": 2}
    for batch in file.iter_batches(columns=["id", "n"]):
        counts.count(batch)
    counts.check()


@pytest.mark.parametrize(("given", "text"), [({"n": 1}, "1 more"), ({"n": 3}, "1 fewer")])
def test_other_nulls_are_damage(given, text, path, monkeypatch):
    monkeypatch.setattr(NullCounts, "stated", lambda file, columns: NullCounts(dict(given)))
    storage = LocalStorage(path.parent)
    with pytest.raises(CorruptTableError, match=re.escape(f"column 'n' has {text} nulls than its footer states")):
        list(read_base_file(storage, "f.parquet", ROWS.schema))


def test_a_file_without_statistics_is_read(tmp_path):
    pq.write_table(ROWS, tmp_path / "f.parquet", write_statistics=False)
    assert not NullCounts.stated(pq.ParquetFile(tmp_path / "f.parquet"), ["id", "n"]).left
    assert sum(part.num_rows for part in read_base_file(LocalStorage(tmp_path), "f.parquet", ROWS.schema)) == 3
