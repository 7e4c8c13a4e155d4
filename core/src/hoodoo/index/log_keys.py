"""Record keys in the logs of a file slice that the base file may lack.

A writer looks keys up in base files and writes updates to logs. If a compaction is completed during such a write, its
base file may lack a key that the write has just updated: an earlier log deleted the key, so that the compaction dropped
it, and the update restored it in a log of the new slice.
"""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from hoodoo.format.log import BlockType, LogBlock, decode_data, read_blocks
from hoodoo.index.key_source import META_KEYS, KeySource
from hoodoo.storage import Storage

__all__ = ["log_keys"]

_DATA = (BlockType.AVRO_DATA, BlockType.PARQUET_DATA)


def log_keys(
    storage: Storage, path: str, instants: frozenset[str] | None = None, source: KeySource = META_KEYS
) -> Iterator[pa.Array]:
    """Yield the record keys of the data blocks that the given instants wrote to a log.

    Args:
        storage: The table's files.
        path: Table-relative path of the log.
        instants: Committed instants; None for the blocks of all instants.
        source: The source of the keys of stored rows.

    Raises:
        CorruptTableError: The log is damaged or missing.
        UnsupportedTable: A block cannot be read.
    """
    for block in read_blocks(storage, path):
        if isinstance(block, LogBlock) and block.type in _DATA and (instants is None or block.instant in instants):
            for rows in decode_data(storage, block, source.columns):
                yield source.of(rows, path)
