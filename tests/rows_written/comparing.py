"""Comparison of a table, as two readers return it, with its model."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import hoodoo
from tests.support.rows import Refused, Row, assert_same, hoodoo_rows, hudi_rows, plain
from tests.support.versions import META

from .model import TableModel

__all__ = ["check_against", "expected_rows"]


def expected_rows(model: TableModel) -> list[Row]:
    """Return the model's rows, with the meta columns that it has."""
    return [
        {
            **{name: plain(value) for name, value in model.complete(version).items()},
            "_hoodie_commit_time": model.instant(version),
            "_hoodie_record_key": version.key,
            "_hoodie_partition_path": version.partition,
        }
        for version in model.rows
    ]


def check_against(model: TableModel, path: Path, as_of: str | None = None, *, package: bool = True) -> None:
    """Check that two readers return exactly the model's rows: data, keys, partition paths and commit times.

    File names must be those of the files that hold the rows, sequence numbers must be unique. The `hudi` package is
    left out where `package` is false.
    """
    expected = expected_rows(model)
    columns = [*META[:1], *META[2:4], *model.columns]
    ours = hoodoo_rows(path, as_of=as_of)
    assert_same(ours, expected, "Table.to_arrow", columns)
    if package and len(model.rule.ordering) < 2:
        theirs = hudi_rows(path, as_of)
        assert_same(theirs, expected, "the hudi package", columns)
        assert_same(theirs, ours, "the hudi package beside Table.to_arrow", META)
    elif package:
        with pytest.raises(Refused, match="ordering"):  # tables that are ordered by several columns
            hudi_rows(path, as_of)

    twice = {key for key, count in Counter(_place(row) for row in ours).items() if count > 1}
    assert twice <= model.appended, f"keys stored twice that no insert duplicated: {sorted(twice - model.appended)}"
    numbers = Counter(row["_hoodie_commit_seqno"] for row in ours)
    repeated = [number for number, count in numbers.items() if count > 1]
    assert not repeated, f"sequence numbers given twice: {repeated}"

    for file_slice in hoodoo.Table(path).file_slices(as_of):
        if file_slice.path is not None:
            names = pq.ParquetFile(path / file_slice.path).read(["_hoodie_file_name"]).column(0).unique().to_pylist()
            assert names in ([], [Path(file_slice.path).name]), f"'{file_slice.path}' holds rows of {names}"


def _place(row: Row) -> tuple[str, str]:
    return row["_hoodie_partition_path"], row["_hoodie_record_key"]
