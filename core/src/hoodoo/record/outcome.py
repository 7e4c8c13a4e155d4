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
"""The reason code of a pair for which a rule with reasons has none."""


class Choice(IntEnum):
    """Decision of a rule about one pair of versions."""

    KEEP = 0
    """Keep the older version: its operation, ordering value and data, and without a patch also its meta columns."""
    TAKE = 1
    """Take the newer version: its operation, ordering value and data. A newer delete remains a delete."""
    DELETE = 2
    """Delete the key: the result is a delete with the data of the newer version, or of the older if the newer has none.

    The ordering value is that of the newer version, or the larger of the two if neither version is a delete.
    """


@frozen(eq=False)
class Outcome:
    """Decisions for n pairs of versions.

    Attributes:
        choice: `Choice` codes (int8), one per pair.
        patch: The columns that the rule changes, one value per pair; they replace those of the chosen version.
        patched: A mask of the pairs to which the patch applies; None if it applies to all.
        reason: Non-negative codes (int8) that the rule's `reasons` maps to sentences, or -1 for a pair without a
            reason; only needed if `RecordContext.explaining` is true. None if there are no reasons.
    """

    choice: NDArray[np.int8]
    patch: Mapping[str, pa.Array] = field(factory=dict)
    patched: NDArray[np.bool_] | None = None
    reason: NDArray[np.int8] | None = None

    @classmethod
    def take_where(cls, mask: NDArray[np.bool_], reason: NDArray[np.int8] | None = None) -> Outcome:
        """Return an outcome with TAKE where the mask is true and KEEP elsewhere.

        Raises:
            PluginFault: The mask is not a numpy array of booleans or integers.
        """
        if not isinstance(mask, np.ndarray) or mask.dtype.kind not in "biu":
            raise PluginFault(f"it calls take_where with {described(mask)} instead of a mask{mask_advice(mask)}")
        return cls(mask.astype(np.int8), reason=reason)

    @classmethod
    def all(cls, choice: Choice, length: int, reason: NDArray[np.int8] | None = None) -> Outcome:
        """Return an outcome with the same choice for every pair."""
        return cls(np.full(length, choice, dtype=np.int8), reason=reason)
