"""A row is a delete if a column of your choice equals a marker."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from attrs import frozen
from numpy.typing import NDArray

from hoodoo.errors import OptionError
from hoodoo.plugin import hookimpl
from hoodoo.record import DeleteContext
from hoodoo.record.delete_markers import marked

__version__ = "0.1.0"


@frozen
class CustomMarker:
    """Delete rule of `hoodie.payload.delete.field` and `.marker`: the column equals the marker, in the same case."""

    def needs(self, schema: pa.Schema, context: DeleteContext) -> tuple[str, ...]:
        """Return the column of the marker; no column if none is configured."""
        return (context.field,) if context.field else ()

    def is_delete(self, rows: pa.Table, context: DeleteContext) -> NDArray[np.bool_]:
        """Return the mask of the deletes: one boolean per row.

        Raises:
            OptionError: The column of the marker is not configured.
        """
        if context.field is None:
            raise OptionError(
                "delete rule 'custom-marker' needs a column and a marker, which are not set; set "
                "'hoodie.payload.delete.field' and 'hoodie.payload.delete.marker'",
                code="delete_config",
            )
        return marked(rows, context)


@hookimpl
def hoodoo_delete_rule() -> type[CustomMarker]:
    """Return the class of the plugin."""
    return CustomMarker
