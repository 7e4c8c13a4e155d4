"""Rows of one key in one batch: the remaining row has its own meta columns and its own partition."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

import hoodoo
from hoodoo.testing.engine import write_arrow

pytestmark = pytest.mark.slow

OPERATIONS = ("insert", "bulk_insert", "insert_overwrite", "insert_overwrite_table", "upsert")


@pytest.mark.parametrize("cores", [1, 4])
@pytest.mark.parametrize("table_type", ["COPY_ON_WRITE", "MERGE_ON_READ"])
@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_combined_row_has_the_key_of_its_own_columns(
    operation: str, table_type: str, cores: int, tmp_path: Path
) -> None:
    """The winner of a key comes before, between or after the losing rows, with other keys among them."""
    options = {
        "table_name": "t",
        "record_key": "id,sub",
        "partition_by": "p",
        "ordering": "ts",
        "table_type": table_type,
    }
    options |= {"operation": operation, "combine_before_insert": True}
    count, versions = 40, 3
    rows = [
        {"id": f"k{n}", "sub": n % 7, "p": "xyz"[n % 3], "ts": 10 if version == n % versions else version, "v": version}
        for version in range(versions)
        for n in (range(count) if version % 2 else reversed(range(count)))
    ]
    write_arrow(pa.Table.from_pylist(rows), tmp_path, options, cores=cores)
    found = hoodoo.Table(tmp_path).to_arrow().to_pylist()
    assert sorted((row["id"], row["v"]) for row in found) == sorted((f"k{n}", n % versions) for n in range(count))
    for row in found:
        assert row["_hoodie_record_key"] == f"id:{row['id']},sub:{row['sub']}"
        assert row["_hoodie_partition_path"] == row["p"]
    assert len({row["_hoodie_commit_seqno"] for row in found}) == count


@pytest.mark.parametrize("operation", OPERATIONS[:-1])
def test_rows_that_are_not_combined_stay_as_many_as_they_are(operation: str, tmp_path: Path) -> None:
    options = {"table_name": "t", "record_key": "id", "ordering": "ts", "operation": operation}
    write_arrow(pa.table({"id": ["a", "a", "b"], "ts": [1, 2, 1]}), tmp_path, options)
    found = hoodoo.Table(tmp_path).to_arrow().to_pylist()
    assert sorted((row["_hoodie_record_key"], row["ts"]) for row in found) == [("a", 1), ("a", 2), ("b", 1)]
    assert len({row["_hoodie_commit_seqno"] for row in found}) == 3
