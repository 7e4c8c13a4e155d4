"""A row is a delete if `_hoodie_is_deleted` is true."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from attrs import frozen
from numpy.typing import NDArray

from hoodoo.plugin import hookimpl
from hoodoo.record import DeleteContext
from hoodoo.record.delete_markers import FLAG_COLUMN, flagged

__version__ = "0.1.0"


@frozen
class BuiltinFlag:
    """Delete rule of Hudi's built-in flag. A row without the column, or with null in it, is not a delete."""

    def needs(self, schema: pa.Schema, context: DeleteContext) -> tuple[str, ...]:
        """Return the column of the flag."""
        return (FLAG_COLUMN,)

    def is_delete(self, rows: pa.Table, context: DeleteContext) -> NDArray[np.bool_]:
        """Return the mask of the deletes: one boolean per row."""
        return flagged(rows)


@hookimpl
def hoodoo_delete_rule() -> type[BuiltinFlag]:
    """Return the class of the plugin."""
    return BuiltinFlag
