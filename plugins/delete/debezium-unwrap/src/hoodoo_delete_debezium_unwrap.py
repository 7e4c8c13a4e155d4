"""A row is a delete if `__deleted` is true, the form of deletes after Debezium's unwrapping."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from attrs import frozen
from numpy.typing import NDArray

from hoodoo.plugin import hookimpl
from hoodoo.record import DeleteContext
from hoodoo.record.delete_markers import matches_text

__version__ = "0.1.0"

DELETED_COLUMN = "__deleted"


@frozen
class DebeziumUnwrap:
    """Delete rule for `delete.handling.mode=rewrite` of Debezium's ExtractNewRecordState.

    The column may be a text or a boolean; the case of the text is ignored.
    """

    def needs(self, schema: pa.Schema, context: DeleteContext) -> tuple[str, ...]:
        """Return the column that marks a rewritten delete."""
        return (DELETED_COLUMN,)

    def is_delete(self, rows: pa.Table, context: DeleteContext) -> NDArray[np.bool_]:
        """Return the mask of the deletes: one boolean per row."""
        return matches_text(rows, DELETED_COLUMN, "true", any_case=True)


@hookimpl
def hoodoo_delete_rule() -> type[DebeziumUnwrap]:
    """Return the class of the plugin."""
    return DebeziumUnwrap
