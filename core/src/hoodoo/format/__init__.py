"""Data files of a table: names, content, and partition metadata."""

from hoodoo.format.base_files import read_base_file
from hoodoo.format.file_names import BaseFileName, LogFileName, is_log_file, new_file_id
from hoodoo.format.parquet import BaseFileWriter
from hoodoo.format.partition_metadata import ensure_partition_metadata, read_partition_metadata

__all__ = [
    "BaseFileName",
    "BaseFileWriter",
    "LogFileName",
    "ensure_partition_metadata",
    "is_log_file",
    "new_file_id",
    "read_base_file",
    "read_partition_metadata",
]
