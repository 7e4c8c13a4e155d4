"""Procedure about the blocks of log files, with the same rows as in Hudi."""

from __future__ import annotations

import json
from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import Any

import pyarrow as pa

from hoodoo.errors import StatementError
from hoodoo.format.file_names import LogFileName
from hoodoo.format.log import BlockType, CorruptBlock, HeaderKey, LogBlock, decode_data, decode_deletes, read_blocks
from hoodoo.spark.sql.tables.named_table import NamedTable
from hoodoo.storage import Storage, name_of

__all__ = ["log_blocks"]

_DATA = frozenset({BlockType.AVRO_DATA, BlockType.PARQUET_DATA, BlockType.CDC_DATA})
_LOCAL = "file://"


def log_blocks(spark: Any, target: NamedTable, given: Mapping[str, Any]) -> list[list[Any]]:
    """Return the blocks of the log files whose path matches a pattern, sorted by path.

    The number of records of a block of HFile data is null.

    Raises:
        StatementError: No log file of the table has such a path.
        CorruptTableError: The content of a block cannot be decoded. A corrupt block is a row of the result instead.
    """
    storage, pattern = target.storage(spark), str(given["log_file_path_pattern"])
    # Hadoop's checksum files have the names of log files and an extension
    paths = sorted(file.path for file in storage.walk() if LogFileName.parse(name_of(file.path)) is not None)
    matching = [path for path in paths if _matches(f"{storage.uri}/{path}", pattern) or fnmatchcase(path, pattern)]
    if not matching:
        raise StatementError(
            f"no log file of the table at {storage.uri} has a path like '{pattern}'; write the whole path, with * for "
            f"any characters: {storage.uri}/*.log.*"
        )
    rows, corrupt, dummy = [], 0, 0
    for path in matching:
        for block in read_blocks(storage, path):
            if isinstance(block, CorruptBlock):
                corrupt += 1
                rows.append([f"corrupt_block_{corrupt}", 0, "CORRUPT_BLOCK", "{}", "{}"])
                continue
            time = block.instant
            if not time:
                dummy += 1
                time = f"dummy_instant_time_{dummy}"
            rows.append([time, _records(storage, block), f"{block.type.name}_BLOCK", _header(block), "{}"])
    return rows[: given["limit"]]


def _matches(uri: str, pattern: str) -> bool:
    """Return whether a file matches a pattern, with or without the scheme of local files."""
    return fnmatchcase(uri.removeprefix(_LOCAL), pattern.removeprefix(_LOCAL).removeprefix("file:"))


def _records(storage: Storage, block: LogBlock) -> int | None:
    """Return the number of records of a block: 0 for a command, None for HFile data."""
    if block.type is BlockType.DELETE:
        deletes: int = decode_deletes(storage, block, []).num_rows
        return deletes
    if block.type in _DATA:
        one = pa.schema([("_hoodie_record_key", pa.string())])
        return sum(int(rows.num_rows) for rows in decode_data(storage, block, one, of_changes=True))
    return 0 if block.type is BlockType.COMMAND else None


def _header(block: LogBlock) -> str:
    known = {key.value: key.name for key in HeaderKey}
    return json.dumps({known.get(key, str(key)): value for key, value in block.header.items()}, ensure_ascii=False)
