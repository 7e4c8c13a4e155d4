"""Tables that fill no meta columns: record keys are made of the key columns of stored rows."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import hoodoo
from hoodoo.errors import OptionError
from hoodoo.testing.engine import write_arrow
from tests.support.rows import hudi_rows
from tests.support.versions import META

from .changed_rows import KINDS, LAST, check_changes, rows, stored

pytestmark = pytest.mark.slow

OPTIONS = {
    "hoodie.table.name": "t",
    "hoodie.datasource.write.recordkey.field": "id",
    "hoodie.datasource.write.partitionpath.field": "p",
    "hoodie.datasource.write.precombine.field": "ts",
    "hoodie.populate.meta.fields": "false",
}


def assert_no_meta_values(path: Path) -> None:
    """Check that base files have the meta columns, but fill only the file name, and have no keys in the footer."""
    for file in path.rglob("[!.]*.parquet"):
        parquet = pq.ParquetFile(file)
        found = parquet.read()
        assert found.column_names[: len(META)] == list(META)
        assert [found[name].null_count for name in META] == [found.num_rows] * 4 + [0]
        assert set(found["_hoodie_file_name"].to_pylist()) <= {file.name}
        assert sorted(parquet.metadata.metadata) == [b"parquet.avro.schema", b"writer.model.name"]


@pytest.mark.parametrize(("type_", "version", "index"), KINDS)
def test_rows_change_by_keys_that_are_made_of_columns(type_: str, version: int, index: str, tmp_path: Path) -> None:
    path = tmp_path / "t"
    check_changes(path, OPTIONS, type_, version, index)

    assert hoodoo.Table(path).properties["hoodie.populate.meta.fields"] == "false"
    assert hoodoo.Table(path).to_arrow(["_hoodie_record_key"])["_hoodie_record_key"].null_count == 4
    assert_no_meta_values(path)
    if type_ == "COPY_ON_WRITE":
        found = hudi_rows(path)
        assert sorted((row["id"], row["p"], row["ts"], row["v"]) for row in found) == LAST


@pytest.mark.parametrize("type_", ["COPY_ON_WRITE", "MERGE_ON_READ"])
def test_a_row_moves_to_another_partition_by_a_key_of_two_columns(type_: str, tmp_path: Path) -> None:
    path = tmp_path / "t"
    options = {**OPTIONS, "hoodie.datasource.write.recordkey.field": "id,ts", "index": "global-simple"}
    write_arrow(rows((1, "x", 1, "a"), (1, "x", 2, "b")), path, {**options, "table_type": type_})
    write_arrow(rows((1, "y", 2, "moved")), path, {"index": "global-simple"})
    assert stored(path) == [(1, "x", 1, "a"), (1, "y", 2, "moved")]
    assert_no_meta_values(path)


def test_an_insert_finds_stored_keys_and_fills_up_small_files(tmp_path: Path) -> None:
    path = tmp_path / "t"
    write_arrow(rows((1, "x", 1, "a")), path, {**OPTIONS, "operation": "bulk_insert"})
    write_arrow(rows((1, "x", 2, "again"), (2, "x", 2, "b")), path, {"operation": "insert", "drop_duplicates": True})
    assert stored(path) == [(1, "x", 1, "a"), (2, "x", 2, "b")]
    assert len(hoodoo.Table(path).file_slices()) == 1
    write_arrow(rows((3, "x", 3, "c")), path, {"operation": "insert_overwrite"})
    assert stored(path) == [(3, "x", 3, "c")]
    assert_no_meta_values(path)


def test_keys_have_the_text_of_stored_values(tmp_path: Path) -> None:
    """An incoming 1.50 finds the stored 1.500: keys are the texts of values in the type of the table."""
    path = tmp_path / "t"
    stored_type = pa.decimal128(10, 3)
    first = rows((1, "x", 1, "a"), (2, "x", 1, "b"))
    write_arrow(first.set_column(0, "id", pa.array([Decimal("1.5"), Decimal(2)], stored_type)), path, OPTIONS)
    later = rows((1, "x", 2, "a2"))
    write_arrow(later.set_column(0, "id", pa.array([Decimal("1.50")], pa.decimal128(5, 2))), path, {})
    assert stored(path) == [(Decimal("1.500"), "x", 2, "a2"), (Decimal("2.000"), "x", 1, "b")]


def test_meta_columns_are_neither_left_out_nor_filled_later(tmp_path: Path) -> None:
    batch = rows((1, "x", 1, "a"))
    write_arrow(batch, tmp_path / "without", OPTIONS)
    with pytest.raises(OptionError, match=r"'populate_meta_fields' \(hoodie\.populate\.meta\.fields\) is 'false'"):
        write_arrow(batch, tmp_path / "without", {"hoodie.populate.meta.fields": "true"})
    write_arrow(batch, tmp_path / "with", {**OPTIONS, "hoodie.populate.meta.fields": "true"})
    with pytest.raises(OptionError, match=r"'populate_meta_fields' \(hoodie\.populate\.meta\.fields\) is 'true'"):
        write_arrow(batch, tmp_path / "with", {"hoodie.populate.meta.fields": "false"})


def test_an_incremental_query_is_refused(tmp_path: Path) -> None:
    write_arrow(rows((1, "x", 1, "a")), tmp_path / "t", OPTIONS)
    with pytest.raises(OptionError, match="its rows do not contain their commit"):
        hoodoo.Table(tmp_path / "t").to_arrow(query_type="incremental")
