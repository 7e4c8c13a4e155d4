"""A row is a delete where `_change_operation_type` is `d`, in capitals or not, as Hudi flattens Debezium's `op`."""

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
    """What Hudi's Debezium payloads look at; `c`, `u` and the `r` of a snapshot are no deletes."""

    def needs(self, schema: pa.Schema, context: DeleteContext) -> tuple[str, ...]:
        """The operation of Debezium."""
        return (OP_COLUMN,)

    def is_delete(self, rows: pa.Table, context: DeleteContext) -> NDArray[np.bool_]:
        """One boolean per row."""
        return matches_text(rows, OP_COLUMN, "d", any_case=True)


@hookimpl
def hoodoo_delete_rule() -> type[DebeziumOp]:
    """The class behind the name."""
    return DebeziumOp
