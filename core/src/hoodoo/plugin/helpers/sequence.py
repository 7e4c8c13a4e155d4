"""Order of change data by a sequence column of the source, for payloads of change data."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from hoodoo.errors import DataError
from hoodoo.plugin.base import BasePayload
from hoodoo.plugin.helpers.ordering_reasons import ORDERING_REASONS, compared_reason
from hoodoo.record import MergerConfig, Ordering, Outcome, RecordContext, Records
from hoodoo.schema.columns import examples_of

__all__ = ["SEQUENCE_REASONS", "SequencePayload", "is_at_least", "is_late", "sequence_column"]

Mask = NDArray[np.bool_]

SEQUENCE_REASONS: Mapping[int, str] = MappingProxyType(
    {code: sentence.replace("ordering value", "sequence") for code, sentence in ORDERING_REASONS.items()}
)
"""Sentences by code: the `reasons` of a rule that compares sequences and uses `compared_reason`."""


class SequencePayload(BasePayload):
    """Base of payloads of change data in which the greater sequence wins; a tie goes to the incoming record.

    A key-only delete is applied to the stored row without a comparison. An incoming row without a sequence is an error
    if its key has another version in the batch or in storage. A stored row without a sequence loses.

    Attributes:
        column: The column of the sequence.
    """

    column: str
    reasons = SEQUENCE_REASONS

    @abstractmethod
    def sequence(self, records: Records) -> Ordering:
        """Return the sequences of records, as values that can be compared."""
        raise NotImplementedError

    def uses_ordering(self, config: MergerConfig) -> bool:
        """Return whether the column of the sequence is the only ordering column of the table."""
        return config.ordering == (self.column,)

    def needs(self, schema: pa.Schema, config: MergerConfig) -> tuple[str, ...]:
        """Return the column of the sequence."""
        return (self.column,)

    def pre_combine(self, older: Records, newer: Records, context: RecordContext, config: MergerConfig) -> Outcome:
        """Return the newer record if `is_at_least` holds for the pair, and the older one otherwise.

        Raises:
            DataError: As `is_at_least`.
        """
        first, second = self.sequence(older), self.sequence(newer)
        take = is_at_least(older, newer, (first, second), self.column)
        return Outcome.take_where(
            take, compared_reason(context, first, second, take, applied=second.absent, followed=~older.has_data)
        )

    def combine_and_get_update_value(
        self, stored: Records, incoming: Records, context: RecordContext, config: MergerConfig
    ) -> Outcome:
        """Return the incoming record, unless it is late according to `is_late`.

        Raises:
            DataError: As `is_late`.
        """
        first, second = self.sequence(stored), self.sequence(incoming)
        take = ~is_late(stored, incoming, (first, second), self.column)
        reason = compared_reason(context, first, second, take, applied=~incoming.has_data, followed=np.zeros_like(take))
        return Outcome.take_where(take, reason)


def sequence_column(records: Records, name: str) -> pa.Array:
    """Return the values of the column; for a key-only delete, its ordering value if this is an ordering column."""
    values = records.column(name)
    ordering = records.ordering
    if name not in ordering.fields or records.has_data.all():
        return values
    return ordering.values[ordering.fields.index(name)].cast(values.type)


def is_at_least(older: Records, newer: Records, sequences: tuple[Ordering, Ordering], name: str) -> Mask:
    """Return a mask of the pairs of a batch whose newer record has an equal or greater sequence.

    No sequences are compared if the older record is a key-only delete, or the newer one is a key-only delete without a
    sequence: the result is then true.

    Raises:
        DataError: A row has no sequence (code `ordering_null`).
    """
    first, second = sequences
    _refuse_absent(older, first, name)
    _refuse_absent(newer, second, name)
    unconditional: Mask = ~older.has_data | second.absent
    return unconditional | (second.compare(first) >= 0)


def is_late(stored: Records, incoming: Records, sequences: tuple[Ordering, Ordering], name: str) -> Mask:
    """Return a mask of the pairs whose stored row has a greater sequence than the incoming record.

    It is false if the stored row has no sequence, or the incoming record is a key-only delete, which is not compared.

    Raises:
        DataError: An incoming row has no sequence (code `ordering_null`).
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
            f"column '{name}', the sequence of the source, is null in {len(rows)} incoming "
            f"row{'' if len(rows) == 1 else 's'} (keys such as {examples}); give such rows a value, or leave them out",
            code="ordering_null",
        )
