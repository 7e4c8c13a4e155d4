"""Deletes are dropped from the batch.

Use the rule alone, or together with the rules that detect the deletes: `delete_rule="dms-op,ignore-delete"`.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from attrs import frozen
from numpy.typing import NDArray

from hoodoo.plugin import hookimpl
from hoodoo.record import DeleteContext
from hoodoo.record.delete_markers import FLAG_COLUMN, OPERATION_COLUMN, flagged, marked, operation_deletes

__version__ = "0.1.0"


@frozen
class IgnoreDelete:
    """Delete rule of Paimon's `ignore-delete`: a row that is a delete is dropped, and the stored row is kept.

    Deletes are the rows that the other delete rules and `any-of` detect. The operation `delete` still deletes.
    """

    def needs(self, schema: pa.Schema, context: DeleteContext) -> tuple[str, ...]:
        """Return the columns of the flag, of the operation, and of the custom marker if one is configured."""
        return (FLAG_COLUMN, OPERATION_COLUMN, *((context.field,) if context.field else ()))

    def is_delete(self, rows: pa.Table, context: DeleteContext) -> NDArray[np.bool_]:
        """Return False for all rows."""
        return np.zeros(rows.num_rows, dtype=bool)

    def drops(self, rows: pa.Table, deletes: NDArray[np.bool_], context: DeleteContext) -> NDArray[np.bool_]:
        """Return the mask of rows to drop: those that the other rules detected, and those that `any-of` detects."""
        dropped: NDArray[np.bool_] = deletes | flagged(rows) | operation_deletes(rows) | marked(rows, context)
        return dropped


@hookimpl
def hoodoo_delete_rule() -> type[IgnoreDelete]:
    """Return the class of the plugin."""
    return IgnoreDelete
