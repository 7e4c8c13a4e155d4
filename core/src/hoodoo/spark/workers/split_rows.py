"""Splits as rows of a DataFrame, with their numbers and what is told of them, for functions of workers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import pyarrow as pa

from hoodoo.reading import Split
from hoodoo.spark.session_conf import is_connect, setting
from hoodoo.spark.workers.row_chunks import number_of_pieces
from hoodoo.spark.write.task_bundles import bundled

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["NUMBER", "PIECE", "per_piece", "split_rows"]

NUMBER = "hoodoo number"
"""The column that says which split a row stands for."""

PIECE = "hoodoo piece"
"""The column of `per_piece` that numbers the pieces of a split from 1 on."""

_PIECES = "hoodoo pieces"

RELATION_BYTES = 256 * 1024 * 1024
MOST_RELATIONS = 32

_BATCH_ROWS = "spark.sql.execution.arrow.maxRecordsPerBatch"


def split_rows(spark: SparkSession, splits: Sequence[Split], columns: Mapping[str, pa.Array]) -> DataFrame:
    """A row for each split.

    Rows are literals of the query, so that a filter of theirs leaves splits out before there is a task. Spark cuts such
    a relation into as many tasks as it has cores; a large table gets several relations, a large slice one of its own.

    Args:
        spark: The session, classic or Connect.
        splits: The splits.
        columns: Columns to add, a value for each split.
    """
    numbers = pa.array(range(len(splits)), pa.int32())
    pieces = pa.array([number_of_pieces(split) for split in splits], pa.int32())
    frame = _literal(spark, pa.table({NUMBER: numbers, _PIECES: pieces, **columns}))
    share = sum(split.size for split in splits) // MOST_RELATIONS
    parts = bundled(range(len(splits)), lambda number: splits[number].size, max(RELATION_BYTES, share))
    if len(parts) == 1:
        return frame
    # one text is understood in a third of the time that as many frames take
    cut = [f"select * from {{rows}} where `{NUMBER}` between {part[0]} and {part[-1]}" for part in parts]  # noqa: S608 - numbers
    return spark.sql(" union all ".join(cut), rows=frame)


def per_piece(rows: DataFrame) -> DataFrame:
    """Rows of `split_rows`, each as often as the rows of its split come in pieces, with `PIECE`."""
    return rows.selectExpr("*", f"explode(sequence(1, `{_PIECES}`)) as `{PIECE}`")


def _literal(spark: SparkSession, rows: pa.Table) -> DataFrame:
    if is_connect(spark) or int(spark.conf.get(_BATCH_ROWS) or 0) > 0:
        return spark.createDataFrame(rows)
    # no limit, it says; PySpark fails with that here
    with setting(spark, _BATCH_ROWS, rows.num_rows):
        return spark.createDataFrame(rows)
