"""Columns by which look-up tasks send moves of rows to the tasks that write file groups."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from attrs import frozen

from hoodoo.format.parquet.projection import project
from hoodoo.merge import Rule
from hoodoo.record import Records
from hoodoo.writing.routing.task_plan import TaskPlan

__all__ = [
    "COUNT",
    "EFFECT",
    "INSERT",
    "MERGE",
    "MERGED_ROW",
    "PARTITION",
    "REMOVE",
    "Moves",
    "merged_type",
    "move_fields",
]

PARTITION, EFFECT = "__hoodoo_partition", "__hoodoo_effect"
COUNT, MERGED_ROW = "__hoodoo_count", "__hoodoo_merged"

MERGE, REMOVE, INSERT = 0, 1, 2
"""Effects of a row in its file group: merge the row, remove the stored row of its key, or insert its merged row."""


@frozen(eq=False)
class Moves:
    """Moves out of and into one file group.

    Attributes:
        leaving: The keys to remove, for which the rule is not called.
        arriving: Merged rows; their keys are new to the group.
    """

    leaving: pa.Array
    arriving: Records

    @classmethod
    def of(cls, plan: TaskPlan, rule: Rule, rows: pa.Table, keys: pa.Array) -> Moves | None:
        """Return the moves in the rows of a file group; None without any."""
        effects = rows.column(EFFECT)
        leaves, arrives = pc.equal(effects, REMOVE), pc.equal(effects, INSERT)
        if not pc.any(pc.or_(leaves, arrives)).as_py():
            return None
        coming = rows.filter(arrives).column(MERGED_ROW).combine_chunks()
        table = pa.Table.from_arrays(coming.flatten(), names=[f.name for f in coming.type])
        columns = project(table, plan.table.schema, "rows that move").combine_chunks()
        arriving = rule.stored(columns, plan.table.schema, keys.filter(_mask(arrives))).records()
        return cls(keys.filter(_mask(leaves)), arriving)

    @staticmethod
    def others(rows: pa.Table) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        """Return the positions of the rows that are merged with stored rows."""
        return np.flatnonzero(rows.column(EFFECT).to_numpy() == MERGE)


def merged_type(schema: pa.Schema) -> pa.StructType:
    """Return the type of a merged row; it is null in rows without one."""
    return pa.struct([field.with_nullable(True) for field in schema])


def move_fields(schema: pa.Schema) -> list[pa.Field]:
    """Return the columns of moves, in their order, for a table with the data columns `schema`."""
    return [
        pa.field(PARTITION, pa.string()),
        pa.field(EFFECT, pa.int32()),
        pa.field(COUNT, pa.int64()),
        pa.field(MERGED_ROW, merged_type(schema)),
    ]


def _mask(mask: pa.ChunkedArray) -> pa.Array:
    return mask.combine_chunks()
