"""A row is a delete if it has the custom marker or, without a custom marker, the flag `_hoodie_is_deleted`."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from attrs import frozen
from numpy.typing import NDArray

from hoodoo.plugin import hookimpl
from hoodoo.record import DeleteContext
from hoodoo.record.delete_markers import FLAG_COLUMN, flagged, marked

__version__ = "0.1.0"


@frozen
class PayloadDefault:
    """Delete rule of DefaultHoodieRecordPayload: a custom marker replaces the built-in flag."""

    def needs(self, schema: pa.Schema, context: DeleteContext) -> tuple[str, ...]:
        """Return the column of the custom marker, or that of the flag."""
        return (context.field,) if context.field else (FLAG_COLUMN,)

    def is_delete(self, rows: pa.Table, context: DeleteContext) -> NDArray[np.bool_]:
        """Return the mask of the deletes: one boolean per row."""
        return flagged(rows) if context.field is None else marked(rows, context)


@hookimpl
def hoodoo_delete_rule() -> type[PayloadDefault]:
    """Return the class of the plugin."""
    return PayloadDefault
