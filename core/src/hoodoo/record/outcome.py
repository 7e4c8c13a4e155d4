"""Result of a merge rule: one choice per pair of versions, and the columns that the rule changes."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum

import numpy as np
import pyarrow as pa
from attrs import field, frozen
from numpy.typing import NDArray

from hoodoo.errors import PluginFault
from hoodoo.schema.columns import described, mask_advice

__all__ = ["NO_REASON", "Choice", "Outcome"]

NO_REASON = -1
"""The code of a pair without a reason, in the result of a rule that gives reasons."""


class Choice(IntEnum):
    """Decision of a rule about one pair of versions."""

    KEEP = 0
    """Keep the older version with its operation, ordering and data; without a patch, also with its meta columns."""
    TAKE = 1
    """Take the newer version with its operation, ordering and data; a newer delete remains a delete."""
    DELETE = 2
    """Delete the key: a tombstone with the newer data (if any, otherwise the older) and the larger ordering value."""


@frozen(eq=False)
class Outcome:
    """Decisions for n pairs of versions.

    Attributes:
        choice: `Choice` codes (int8), one per pair.
        patch: The columns that the rule changes, one value per pair; they replace those of the chosen version.
        patched: A mask of the pairs to which the patch applies; None: to all.
        reason: Small non-negative integers (int8) that the rule's `reasons` maps to sentences; only needed if
            `RecordContext.explaining` is true.
    """

    choice: NDArray[np.int8]
    patch: Mapping[str, pa.Array] = field(factory=dict)
    patched: NDArray[np.bool_] | None = None
    reason: NDArray[np.int8] | None = None

    @classmethod
    def take_where(cls, mask: NDArray[np.bool_], reason: NDArray[np.int8] | None = None) -> Outcome:
        """Return an outcome with TAKE where the mask is true and KEEP elsewhere.

        Raises:
            PluginFault: The mask is not a numpy array of booleans.
        """
        if not isinstance(mask, np.ndarray) or mask.dtype.kind not in "biu":
            raise PluginFault(f"it gives take_where no mask but {described(mask)}{mask_advice(mask)}")
        return cls(mask.astype(np.int8), reason=reason)

    @classmethod
    def all(cls, choice: Choice, length: int, reason: NDArray[np.int8] | None = None) -> Outcome:
        """Return an outcome with the same choice for every row."""
        return cls(np.full(length, choice, dtype=np.int8), reason=reason)
