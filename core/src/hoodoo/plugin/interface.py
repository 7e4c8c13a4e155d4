"""What a plugin class must look like, one Protocol per family.

A plugin class is an attrs class whose fields are its options; the core makes one instance per write or read.
Arrays in, arrays out: row i of every argument belongs to one key.
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from hoodoo.record import DeleteContext, KeyConfig, Law, MergerConfig, Outcome, RecordContext, Records

__all__ = ["DeleteRule", "KeyGenerator", "Payload", "RecordMerger"]


@runtime_checkable
class RecordMerger(Protocol):
    """One rule for batch, log and storage alike (RFC HUDI-9798).

    Optional methods, with what the core does without them:

    * `insert(newer, context, config) -> Outcome`: no stored version. TAKE; a KEEP means the record is ignored.
    * `partial_merge(older, newer, reader_schema, context, config) -> Outcome`: a side lacks columns (`Records.present`).
      `merge`, then what the chosen side lacks comes from the other.
    * `needs(schema, config) -> Sequence[str]`: columns that a pruned read must add. Key, ordering and delete columns.
    * `prepare(rows, config) -> pa.Table`: once per incoming row, before any merge. The rows as they are.
    * `fold(rows, starts, context, config) -> Outcome`: n-ary shortcut instead of pairwise rounds.
    """

    laws: frozenset[Law]

    def merge(self, older: Records, newer: Records, context: RecordContext, config: MergerConfig) -> Outcome:
        """Decide for each pair. `older` and `newer` mean arrival, never ordering value. Must not change its input."""
        ...


@runtime_checkable
class Payload(Protocol):
    """The older contract: batch and storage are told apart."""

    laws: frozenset[Law]

    def pre_combine(self, older: Records, newer: Records, context: RecordContext, config: MergerConfig) -> Outcome:
        """Two records of one batch."""
        ...

    def combine_and_get_update_value(
        self, stored: Records, incoming: Records, context: RecordContext, config: MergerConfig
    ) -> Outcome:
        """The incoming record against the stored one. KEEP ignores the incoming record: the stored row is untouched."""
        ...

    def get_insert_value(self, incoming: Records, context: RecordContext, config: MergerConfig) -> Outcome:
        """A key that is not stored yet. KEEP ignores the record; a DELETE writes nothing."""
        ...


@runtime_checkable
class KeyGenerator(Protocol):
    """Record keys and partition paths of incoming rows."""

    def record_keys(self, rows: pa.Table, config: KeyConfig) -> pa.Array:
        """Record keys (string, one per row). Raise `DataError` with code `key_null_or_empty` where one has none."""
        ...

    def partition_paths(self, rows: pa.Table, config: KeyConfig) -> pa.Array:
        """Table-relative partition paths (string, one per row; "" in a table without partitions)."""
        ...


@runtime_checkable
class DeleteRule(Protocol):
    """Which incoming rows are deletes."""

    def is_delete(self, rows: pa.Table, context: DeleteContext) -> NDArray[np.bool_]:
        """One boolean per row."""
        ...
