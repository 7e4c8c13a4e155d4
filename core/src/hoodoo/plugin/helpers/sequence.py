"""Change data say in a column of their own in which order the source made them; payloads for them go by that column."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from hoodoo.errors import DataError
from hoodoo.plugin.helpers.ordering_reasons import ORDERING_REASONS
from hoodoo.record.ordering import Ordering
from hoodoo.record.records import Records
from hoodoo.schema.columns import examples_of

__all__ = ["SEQUENCE_REASONS", "is_at_least", "is_late", "sequence_column"]

Mask = NDArray[np.bool_]

SEQUENCE_REASONS: Mapping[int, str] = MappingProxyType(
    {code: sentence.replace("ordering value", "sequence") for code, sentence in ORDERING_REASONS.items()}
)
"""What a rule that goes by a sequence, and uses `compared_reason`, has as its `reasons`."""


def sequence_column(records: Records, name: str) -> pa.Array:
    """The values of the column; of a key-only delete its ordering value, where the table orders by this very column."""
    values = records.column(name)
    ordering = records.ordering
    if name not in ordering.fields or records.has_data.all():
        return values
    return ordering.values[ordering.fields.index(name)].cast(values.type)


def is_at_least(older: Records, newer: Records, sequences: tuple[Ordering, Ordering], name: str) -> Mask:
    """Of two records of one batch: whether the newer comes after the older, or at once with it.

    A delete of the key alone goes by arrival where it is the older, or has no sequence.

    Raises:
        DataError: a row without sequence (code `ordering_null`).
    """
    first, second = sequences
    _refuse_absent(older, first, name)
    _refuse_absent(newer, second, name)
    unconditional: Mask = ~older.has_data | second.absent
    return unconditional | (second.compare(first) >= 0)


def is_late(stored: Records, incoming: Records, sequences: tuple[Ordering, Ordering], name: str) -> Mask:
    """Whether the stored row comes after the incoming record; one without sequence, from a bootstrap, never does.

    Nothing is compared with a delete of the key alone, which is never late.

    Raises:
        DataError: an incoming row without sequence (code `ordering_null`).
    """
    first, second = sequences
    _refuse_absent(incoming, second, name)
    late: Mask = incoming.has_data & ~first.absent & (second.compare(first) < 0)
    return late


def _refuse_absent(records: Records, sequence: Ordering, name: str) -> None:
    rows = np.flatnonzero(sequence.absent & records.has_data)
    if len(rows):
        examples = examples_of(records.keys.take(pa.array(rows)))
        raise DataError(
            f"column '{name}' is null in {len(rows)} incoming rows (keys such as {examples}), and says in which order "
            "the source made them; give them a value, or leave them out",
            code="ordering_null",
        )
