"""What a merge rule answers: for each pair of versions one choice, and the columns that it changes."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum

import numpy as np
import pyarrow as pa
from attrs import field, frozen
from numpy.typing import NDArray

__all__ = ["NO_REASON", "Choice", "Outcome"]

NO_REASON = -1
"""The code of a pair for which a rule that gives reasons has none."""


class Choice(IntEnum):
    """One decision."""

    KEEP = 0
    """The older version stays, with its operation, ordering and data; unpatched with its meta columns as well."""
    TAKE = 1
    """The newer version wins, with its operation, ordering and data: a newer delete stays a delete."""
    DELETE = 2
    """The rule itself deletes: a tombstone with the newer's data (else the older's) and the larger ordering."""


@frozen(eq=False)
class Outcome:
    """One row per pair of versions.

    `choice` holds `Choice` codes (int8). `patch` holds the columns that the rule changes, laid over the chosen side
    where `patched` is true (everywhere by default). `reason` may hold small integers (int8, not negative) that the rule
    explains by its `reasons`, a mapping to sentences; they are asked for only where `RecordContext.explaining` is true.
    """

    choice: NDArray[np.int8]
    patch: Mapping[str, pa.Array] = field(factory=dict)
    patched: NDArray[np.bool_] | None = None
    reason: NDArray[np.int8] | None = None

    @classmethod
    def take_where(cls, mask: NDArray[np.bool_], reason: NDArray[np.int8] | None = None) -> Outcome:
        """TAKE where the mask is true, KEEP elsewhere."""
        return cls(mask.astype(np.int8), reason=reason)

    @classmethod
    def all(cls, choice: Choice, length: int, reason: NDArray[np.int8] | None = None) -> Outcome:
        """The same choice for every row."""
        return cls(np.full(length, choice, dtype=np.int8), reason=reason)
