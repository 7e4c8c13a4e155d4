"""A row is a delete where `Op` is `D`, in capitals or not, as AWS DMS writes it."""

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
    """What AWSDmsAvroPayload looks at. Rows of a full load have no `Op`, or null in it, and are no deletes."""

    def needs(self, schema: pa.Schema, context: DeleteContext) -> tuple[str, ...]:
        """The operation of AWS DMS."""
        return (OP_COLUMN,)

    def is_delete(self, rows: pa.Table, context: DeleteContext) -> NDArray[np.bool_]:
        """One boolean per row."""
        return matches_text(rows, OP_COLUMN, "d", any_case=True)


@hookimpl
def hoodoo_delete_rule() -> type[DmsOp]:
    """The class behind the name."""
    return DmsOp
