"""Partitions of a metadata table: their kinds, and the names of their file groups."""

from __future__ import annotations

import re
from enum import StrEnum

__all__ = ["PartitionKind", "file_id_prefix", "kind_of", "shard_number"]


class PartitionKind(StrEnum):
    """Kind of a partition of a metadata table; the value is the name, or the beginning of the name."""

    FILES = "files"
    COLUMN_STATS = "column_stats"
    PARTITION_STATS = "partition_stats"
    BLOOM_FILTERS = "bloom_filters"
    RECORD_INDEX = "record_index"
    SECONDARY_INDEX = "secondary_index_"
    EXPRESSION_INDEX = "expr_index_"


_NAMED = (PartitionKind.SECONDARY_INDEX, PartitionKind.EXPRESSION_INDEX)
_PREFIXES = {PartitionKind.COLUMN_STATS: "col-stats-"}
# before the number, a partitioned record index has the partition of the table
_FILE_ID = re.compile(r"(.*-)?(\d{4,})(?:-0)?")


def kind_of(partition: str) -> PartitionKind | None:
    """Return the kind of a partition; None if it is unknown."""
    for kind in PartitionKind:
        if partition == kind or (kind in _NAMED and partition.startswith(kind)):
            return kind
    return None


def file_id_prefix(partition: str) -> str:
    """Return the text with which the file ids of a partition begin."""
    kind = kind_of(partition)
    return _PREFIXES[kind] if kind in _PREFIXES else f"{partition.replace('_', '-')}-"


def shard_number(partition: str, file_id: str) -> tuple[str, int] | None:
    """Return the part of a file id between prefix and number, and the number; None for another partition's file id.

    The part is empty, except in a partitioned record index, where it is the escaped partition of the table.
    """
    prefix = file_id_prefix(partition)
    if not file_id.startswith(prefix):
        return None
    match = _FILE_ID.fullmatch(file_id, len(prefix))
    return None if match is None else ((match[1] or "").removesuffix("-"), int(match[2]))
