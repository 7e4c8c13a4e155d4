"""Splits as rows of a DataFrame, with their numbers and other values, for functions that run on workers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import pyarrow as pa

from hoodoo.reading import Split
from hoodoo.spark.compatibility.session_calls import frame_of_literals
from hoodoo.spark.workers.row_chunks import number_of_pieces
from hoodoo.spark.write.task_bundles import bundled

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["NUMBER", "PIECE", "per_piece", "split_rows"]

NUMBER = "hoodoo number"
"""The column with the number of the split."""

PIECE = "hoodoo piece"
"""The column of `per_piece` with the number of the piece within its split, from 1."""

_PIECES = "hoodoo pieces"

RELATION_BYTES = 256 * 1024 * 1024
MOST_RELATIONS = 32


def split_rows(spark: SparkSession, splits: Sequence[Split], columns: Mapping[str, pa.Array]) -> DataFrame:
    """Return a DataFrame with one row per split.

    The rows are literals of the query, so that a filter on them removes splits before tasks start. Spark divides a
    relation of literals into one task per core. A large table is therefore divided into several relations, and a large
    slice has a separate relation.

    Args:
        spark: The session, classic or Connect.
        splits: The splits; the number of a split is its position.
        columns: The columns to add, with one value per split.
    """
    numbers = pa.array(range(len(splits)), pa.int32())
    pieces = pa.array([number_of_pieces(split) for split in splits], pa.int32())
    rows = pa.table({NUMBER: numbers, _PIECES: pieces, **columns})
    share = sum(split.size for split in splits) // MOST_RELATIONS
    parts = bundled(range(len(splits)), lambda number: splits[number].size, max(RELATION_BYTES, share))
    return frame_of_literals(spark, rows, [len(part) for part in parts])


def per_piece(rows: DataFrame) -> DataFrame:
    """Return the rows of `split_rows`, repeated for each piece of their split, with the column `PIECE`."""
    return rows.selectExpr("*", f"explode(sequence(1, `{_PIECES}`)) as `{PIECE}`")
