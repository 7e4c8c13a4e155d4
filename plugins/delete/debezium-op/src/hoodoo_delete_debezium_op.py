"""A row is a delete if `_change_operation_type`, into which Hudi flattens Debezium's `op`, is `d` or `D`."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from attrs import frozen
from numpy.typing import NDArray

from hoodoo.plugin import hookimpl
from hoodoo.record import DeleteContext
from hoodoo.record.delete_markers import matches_text

__version__ = "0.1.0"

OP_COLUMN = "_change_operation_type"


@frozen
class DebeziumOp:
    """Delete rule of Hudi's Debezium payloads. `c`, `u` and the `r` of a snapshot are not deletes."""

    def needs(self, schema: pa.Schema, context: DeleteContext) -> tuple[str, ...]:
        """Return the column of Debezium's operation."""
        return (OP_COLUMN,)

    def is_delete(self, rows: pa.Table, context: DeleteContext) -> NDArray[np.bool_]:
        """Return the mask of the deletes: one boolean per row."""
        return matches_text(rows, OP_COLUMN, "d", any_case=True)


@hookimpl
def hoodoo_delete_rule() -> type[DebeziumOp]:
    """Return the class of the plugin."""
    return DebeziumOp
