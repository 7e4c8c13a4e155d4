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
    """Delete rule for tables whose rows are deleted only by the operation `delete`."""

    def needs(self, schema: pa.Schema, context: DeleteContext) -> tuple[str, ...]:
        """Return no columns."""
        return ()

    def is_delete(self, rows: pa.Table, context: DeleteContext) -> NDArray[np.bool_]:
        """Return a mask of False for each row: no row is a delete."""
        return np.zeros(rows.num_rows, dtype=bool)


@hookimpl
def hoodoo_delete_rule() -> type[Never]:
    """Return the class of the plugin."""
    return Never
