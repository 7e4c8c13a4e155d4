"""A row is a delete if `_hoodie_is_deleted`, `_hoodie_operation` or a custom marker marks it as one."""

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
    """Delete rule of Hudi's own readers, and the default of all mergers."""

    def needs(self, schema: pa.Schema, context: DeleteContext) -> tuple[str, ...]:
        """Return the columns of the flag, of the operation, and of the custom marker if one is configured."""
        return (FLAG_COLUMN, OPERATION_COLUMN, *((context.field,) if context.field else ()))

    def is_delete(self, rows: pa.Table, context: DeleteContext) -> NDArray[np.bool_]:
        """Return the mask of the deletes: one boolean per row."""
        return flagged(rows) | operation_deletes(rows) | marked(rows, context)


@hookimpl
def hoodoo_delete_rule() -> type[AnyOf]:
    """Return the class of the plugin."""
    return AnyOf
