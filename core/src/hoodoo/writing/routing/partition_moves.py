"""Rows that change their partition, as the tasks that find them tell those that write file groups."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from attrs import frozen

from hoodoo.format.parquet.projection import project
from hoodoo.merge import Rule
from hoodoo.record import Records
from hoodoo.writing.routing.task_plan import TaskPlan

__all__ = ["ARRIVES", "COUNT", "FATE", "LEAVES", "MEETS", "MERGED", "PARTITION", "Moved", "merged_type", "move_fields"]

PARTITION, FATE = "__hoodoo_partition", "__hoodoo_fate"
COUNT, MERGED = "__hoodoo_count", "__hoodoo_merged"

MEETS, LEAVES, ARRIVES = 0, 1, 2
"""What a row does in its file group: it meets what is stored, says that its key goes, or carries a merged row."""


@frozen(eq=False)
class Moved:
    """What moves do to one file group.

    Attributes:
        leaving: The keys that go, whatever the rule says.
        arriving: Rows that come as they are; their keys are new to the group.
    """

    leaving: pa.Array
    arriving: Records

    @classmethod
    def of(cls, plan: TaskPlan, rule: Rule, rows: pa.Table, keys: pa.Array) -> Moved | None:
        """Read rows that were told of moves; None where there are none."""
        fates = rows.column(FATE)
        leaves, arrives = pc.equal(fates, LEAVES), pc.equal(fates, ARRIVES)
        if not pc.any(pc.or_(leaves, arrives)).as_py():
            return None
        coming = rows.filter(arrives).column(MERGED).combine_chunks()
        table = pa.Table.from_arrays(coming.flatten(), names=[f.name for f in coming.type])
        columns = project(table, plan.schema, "rows that move").combine_chunks()
        arriving = rule.stored(columns, plan.schema, keys.filter(_mask(arrives))).records()
        return cls(keys.filter(_mask(leaves)), arriving)

    @staticmethod
    def others(rows: pa.Table) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        """The rows that meet what is stored."""
        return np.flatnonzero(rows.column(FATE).to_numpy() == MEETS)


def merged_type(schema: pa.Schema) -> pa.StructType:
    """A merged row of a table's columns; null in rows that carry none."""
    return pa.struct([field.with_nullable(True) for field in schema])


def move_fields(schema: pa.Schema) -> list[pa.Field]:
    """What a row says of moves, in this order, for a table of some columns."""
    return [
        pa.field(PARTITION, pa.string()),
        pa.field(FATE, pa.int32()),
        pa.field(COUNT, pa.int64()),
        pa.field(MERGED, merged_type(schema)),
    ]


def _mask(mask: pa.ChunkedArray) -> pa.Array:
    return mask.combine_chunks()
