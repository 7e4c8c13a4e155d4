"""A row is a delete where `_hoodie_operation` is `D` or `-U`."""

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
    """Hudi's operations are I, -U, U and D; Hudi's readers look at them, its writers do not."""

    def needs(self, schema: pa.Schema, context: DeleteContext) -> tuple[str, ...]:
        """The operation."""
        return (OPERATION_COLUMN,)

    def is_delete(self, rows: pa.Table, context: DeleteContext) -> NDArray[np.bool_]:
        """One boolean per row."""
        return operation_deletes(rows)


@hookimpl
def hoodoo_delete_rule() -> type[HoodieOperation]:
    """The class behind the name."""
    return HoodieOperation
