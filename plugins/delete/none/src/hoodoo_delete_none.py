"""No row is a delete."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from attrs import frozen
from numpy.typing import NDArray

from hoodoo.plugin import hookimpl
from hoodoo.record import DeleteContext

__version__ = "0.1.0"


@frozen
class Never:
    """Deletes come only by the delete operation."""

    def needs(self, schema: pa.Schema, context: DeleteContext) -> tuple[str, ...]:
        """Nothing."""
        return ()

    def is_delete(self, rows: pa.Table, context: DeleteContext) -> NDArray[np.bool_]:
        """One boolean per row."""
        return np.zeros(rows.num_rows, dtype=bool)


@hookimpl
def hoodoo_delete_rule() -> type[Never]:
    """The class behind the name."""
    return Never
