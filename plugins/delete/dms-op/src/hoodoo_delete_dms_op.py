"""A row is a delete if `Op` is `D` or `d`, the operation of AWS DMS."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from attrs import frozen
from numpy.typing import NDArray

from hoodoo.plugin import hookimpl
from hoodoo.record import DeleteContext
from hoodoo.record.delete_markers import matches_text

__version__ = "0.1.0"

OP_COLUMN = "Op"


@frozen
class DmsOp:
    """Delete rule of AWSDmsAvroPayload. Rows of a full load have no `Op`, or null in it, and are not deletes."""

    def needs(self, schema: pa.Schema, context: DeleteContext) -> tuple[str, ...]:
        """Return the column of the AWS DMS operation."""
        return (OP_COLUMN,)

    def is_delete(self, rows: pa.Table, context: DeleteContext) -> NDArray[np.bool_]:
        """Return the mask of the deletes: one boolean per row."""
        return matches_text(rows, OP_COLUMN, "d", any_case=True)


@hookimpl
def hoodoo_delete_rule() -> type[DmsOp]:
    """Return the class of the plugin."""
    return DmsOp
