"""Small tables that hoodoo wrote, for tests that flip single bits of a file."""

from __future__ import annotations

import datetime
import io
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from hoodoo.testing.engine import write_arrow

__all__ = ["copy_on_write", "merge_on_read", "with_page_index"]

OPTIONS = {
    "table_name": "t",
    "record_key": "id",
    "ordering": "ts",
    "bloom_filter": True,
    "bloom_entries": 1,
    "bloom_fpp": 0.1,
}


def rows(day: int) -> pa.Table:
    """Return three rows of flat and nested columns, some of them null."""
    at = datetime.datetime(2024, 1, 1, tzinfo=datetime.UTC)
    columns: dict[str, Any] = {
        "id": pa.array(["a", "b", "c"]),
        "ts": pa.array([at.replace(day=day), at, at], pa.timestamp("us", "UTC")),
        "s": pa.array([{"x": 1, "y": ["q"]}, None, {"x": 2, "y": None}]),
    }
    return pa.table(columns)


def copy_on_write(root: Path) -> None:
    """Create a table with one base file, with a bloom filter."""
    write_arrow(rows(1), root, OPTIONS, cores=1)


def merge_on_read(root: Path) -> None:
    """Create a table with one base file, and a log file with a Parquet block."""
    options = {**OPTIONS, "table_type": "merge-on-read", "log_format": "parquet"}
    write_arrow(rows(1), root, options, cores=1)
    write_arrow(rows(2).slice(1), root, options, cores=1)


def with_page_index(root: Path) -> None:
    """Create a table with a base file with page indexes and version 2 pages, which hoodoo does not write."""
    copy_on_write(root)
    [path] = root.glob("*.parquet")
    stored = pq.ParquetFile(path)
    table = stored.read(["id", "ts", "s"]).replace_schema_metadata(stored.metadata.metadata)
    sink = io.BytesIO()
    options = {"write_page_index": True, "write_page_checksum": True, "data_page_version": "2.0", "store_schema": False}
    pq.write_table(table, sink, compression="zstd", **options)
    path.write_bytes(sink.getvalue())
