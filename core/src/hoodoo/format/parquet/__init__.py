"""Readers and writers of base files in Parquet."""

from __future__ import annotations

from hoodoo.format.parquet.parquet_reader import read_encoded
from hoodoo.format.parquet.parquet_writer import BaseFileWriter

__all__ = ["BaseFileWriter", "read_encoded"]
