"""The five meta columns in front of a table's own columns."""

from __future__ import annotations

import pyarrow as pa

__all__ = [
    "COMMIT_SEQNO",
    "COMMIT_TIME",
    "FILE_NAME",
    "META_COLUMNS",
    "PARTITION_PATH",
    "RECORD_KEY",
    "REPEATED_COLUMNS",
    "REPEATED_TYPE",
    "with_meta",
    "without_meta",
]

COMMIT_TIME = "_hoodie_commit_time"
COMMIT_SEQNO = "_hoodie_commit_seqno"
RECORD_KEY = "_hoodie_record_key"
PARTITION_PATH = "_hoodie_partition_path"
FILE_NAME = "_hoodie_file_name"

META_COLUMNS = (COMMIT_TIME, COMMIT_SEQNO, RECORD_KEY, PARTITION_PATH, FILE_NAME)

REPEATED_COLUMNS = (COMMIT_TIME, PARTITION_PATH, FILE_NAME)
"""Meta columns with few distinct values in a base file, often one."""

REPEATED_TYPE = pa.dictionary(pa.int32(), pa.string())
"""Type of `REPEATED_COLUMNS` in Arrow data that need not have plain strings."""


def with_meta(schema: pa.Schema) -> pa.Schema:
    """Return the schema with the meta columns in front, as nullable strings.

    Existing columns with these names are replaced.
    """
    return pa.schema([pa.field(name, pa.string()) for name in META_COLUMNS] + list(without_meta(schema)))


def without_meta(schema: pa.Schema) -> pa.Schema:
    """Return the schema without the meta columns."""
    return pa.schema([field for field in schema if field.name not in META_COLUMNS])
