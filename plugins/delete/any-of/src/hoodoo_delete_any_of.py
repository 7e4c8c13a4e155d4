"""A row is a delete by flag, by `_hoodie_operation` or by custom marker: any of them is enough."""

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
class AnyOf:
    """The rule of Hudi's own readers, and the default of every merger."""

    def needs(self, schema: pa.Schema, context: DeleteContext) -> tuple[str, ...]:
        """The flag, the operation, and the column of the custom marker."""
        return (FLAG_COLUMN, OPERATION_COLUMN, *((context.field,) if context.field else ()))

    def is_delete(self, rows: pa.Table, context: DeleteContext) -> NDArray[np.bool_]:
        """One boolean per row."""
        return flagged(rows) | operation_deletes(rows) | marked(rows, context)


@hookimpl
def hoodoo_delete_rule() -> type[AnyOf]:
    """The class behind the name."""
    return AnyOf
