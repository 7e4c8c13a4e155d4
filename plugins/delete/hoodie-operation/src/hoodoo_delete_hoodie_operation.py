"""A row is a delete if `_hoodie_operation` is `D` or `-U`."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from attrs import frozen
from numpy.typing import NDArray

from hoodoo.plugin import hookimpl
from hoodoo.record import DeleteContext
from hoodoo.record.delete_markers import OPERATION_COLUMN, operation_deletes

__version__ = "0.1.0"


@frozen
class HoodieOperation:
    """Delete rule of Hudi's operations I, -U, U and D, which Hudi evaluates in its readers, not in its writers."""

    def needs(self, schema: pa.Schema, context: DeleteContext) -> tuple[str, ...]:
        """Return the column of the operation."""
        return (OPERATION_COLUMN,)

    def is_delete(self, rows: pa.Table, context: DeleteContext) -> NDArray[np.bool_]:
        """Return the mask of the deletes: one boolean per row."""
        return operation_deletes(rows)


@hookimpl
def hoodoo_delete_rule() -> type[HoodieOperation]:
    """Return the class of the plugin."""
    return HoodieOperation
