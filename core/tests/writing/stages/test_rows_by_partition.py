"""Rows of a task by partition."""

from __future__ import annotations

import pyarrow as pa
import pytest

from hoodoo.errors import DataError
from hoodoo.writing.stages.rows_by_partition import rows_by_partition

ROWS = pa.table({"n": [0, 1, 2, 3]})


def test_each_partition_has_its_rows_in_order():
    found = [(name, rows["n"].to_pylist()) for name, rows in rows_by_partition(ROWS, pa.array(["y", "x", "y", "x"]))]
    assert found == [("y", [0, 2]), ("x", [1, 3])]


def test_rows_of_one_partition_are_not_copied():
    [(name, rows)] = rows_by_partition(ROWS, pa.array(["x"] * 4))
    assert name == "x"
    assert rows is ROWS


@pytest.mark.parametrize("path", ["../x", "/x", "x//y", ".hoodie"])
def test_a_path_that_is_no_folder_of_the_table_is_refused(path):
    with pytest.raises(DataError):
        list(rows_by_partition(ROWS, pa.array(["x", "x", "x", path])))
