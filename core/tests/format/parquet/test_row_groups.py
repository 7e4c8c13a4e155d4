"""Row groups of long values are small, because readers reject pages that expand too much."""

from __future__ import annotations

import random
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import hoodoo
from hoodoo.format.parquet.row_groups import row_groups
from hoodoo.testing.engine import write_arrow

MB = 1 << 20


def texts(lengths: list[int]) -> pa.Table:
    return pa.table({"n": range(len(lengths)), "v": ["x" * length for length in lengths]})


def sizes(table: pa.Table) -> list[int]:
    parts = list(row_groups(table))
    assert pa.concat_tables(parts).equals(table)
    assert all(part.slice(at, 1024).nbytes <= 33 * MB or part.num_rows == 1 for part in parts for at in (0, 1024))
    return [part.num_rows for part in parts]


def test_usual_rows_are_one_part() -> None:
    assert sizes(texts([10] * 5000)) == [5000]
    assert sizes(texts([])) == [0]
    # much in all, and little in each batch
    assert sizes(texts([1 << 13] * 5000)) == [5000]


def test_batches_of_long_values_are_cut() -> None:
    assert sizes(texts([1 << 16] * 1024)) == [511, 511, 2]
    assert sizes(texts([10] * 2048 + [1 << 16] * 1024 + [10] * 3000)) == [2048, 511, 511, 2, 3000]
    assert sizes(texts([40 * MB] * 2)) == [1, 1]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["COPY_ON_WRITE", "MERGE_ON_READ"])
def test_documents_that_are_alike_are_read_back(kind: str, tmp_path: Path) -> None:
    """Similar documents of 90 MB are in several row groups: a reader rejects a single page, which expands too much."""
    text = random.Random(1).randbytes(50_000).hex()
    options = {"table_name": "t", "record_key": "id", "merger": "commit-time", "table_type": kind}

    def write(mark: str) -> None:
        documents = [f"{text}{mark}{n}" for n in range(900)]
        rows = pa.table({"id": [f"k{n}" for n in range(900)], "document": documents})
        write_arrow(rows, tmp_path, {**options, "log_format": "parquet"})
        found = hoodoo.Table(tmp_path).to_arrow(["document"]).column(0).to_pylist()
        assert sorted(found) == sorted(documents)

    write("first")
    write("second")
    if kind == "MERGE_ON_READ":
        assert list(tmp_path.glob(".*.log.*"))
    for file in tmp_path.glob("*.parquet"):
        assert pq.ParquetFile(file).metadata.num_row_groups > 1
