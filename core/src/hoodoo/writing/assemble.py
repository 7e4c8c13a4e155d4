"""The rows of a new base file: stored rows in their order, changed ones in place, new ones at the end."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from attrs import evolve, frozen
from numpy.typing import NDArray

from hoodoo.record import Choice, Outcome, Records
from hoodoo.schema.meta import COMMIT_SEQNO, COMMIT_TIME, FILE_NAME, PARTITION_PATH, RECORD_KEY

__all__ = ["Met", "Stamp", "inserted_rows", "merged_rows", "unchanged_rows"]

Mask = NDArray[np.bool_]
Rows = NDArray[np.int64]


@frozen
class Stamp:
    """What goes into the meta columns of one file."""

    instant: str
    task: int
    partition: str
    file_name: str

    def sequence_numbers(self, first: int, count: int) -> pa.Array:
        """`<instant>_<task>_<n>`, counting from `first`."""
        numbers = pa.array(np.arange(first, first + count)).cast(pa.string())
        return pc.binary_join_element_wise(f"{self.instant}_{self.task}", numbers, "_")


@frozen(eq=False)
class Met:
    """Stored rows of one batch that met an incoming record, and what becomes of them; one entry per pair.

    Attributes:
        rows: The rows of the batch.
        newer: The incoming records.
        outcome: The rule's answer.
        removed: The stored row goes: the rule deleted it, or a delete won.
        patched: The chosen side stands, with columns that the rule changed.
        taken: The incoming record stands in the stored row's place as it is.
    """

    rows: Rows
    newer: Records
    outcome: Outcome
    removed: Mask
    patched: Mask
    taken: Mask

    @classmethod
    def of(cls, rows: Rows, newer: Records, outcome: Outcome) -> Met:
        """Read an outcome against storage."""
        take = outcome.choice == Choice.TAKE
        removed = (outcome.choice == Choice.DELETE) | (take & newer.is_delete)
        patched = np.zeros(len(take), dtype=bool)
        if outcome.patch:
            patched = ~removed if outcome.patched is None else outcome.patched & ~removed
        return cls(rows, newer, outcome, removed, patched, take & ~removed & ~patched)

    @property
    def changed(self) -> Mask:
        """Pairs whose stored row gets new values and new meta columns."""
        return self.taken | self.patched


def unchanged_rows(stored: pa.Table, schema: pa.Schema, stamp: Stamp) -> pa.Table:
    """One batch of stored rows in a new file: only the file name differs."""
    meta = {name: _array(stored, name) for name in (COMMIT_TIME, COMMIT_SEQNO, RECORD_KEY)}
    return _with_constants(meta, {name: _array(stored, name) for name in schema.names}, stamp, stored.num_rows)


def merged_rows(stored: pa.Table, schema: pa.Schema, met: Met, stamp: Stamp, first: int) -> pa.Table:
    """One batch of stored rows after its merge, in its order, meta columns first.

    Args:
        stored: The batch, with the meta columns `_hoodie_commit_time` (dictionary), `_hoodie_commit_seqno` and
            `_hoodie_record_key` and the data columns of the schema.
        schema: The data columns.
        met: What became of the rows that met an incoming record.
        stamp: For the meta columns.
        first: First sequence number that is free.
    """
    length = stored.num_rows
    changed = np.flatnonzero(met.changed)
    if not len(changed) and not met.removed.any():
        return unchanged_rows(stored, schema, stamp)

    kept = np.ones(length, dtype=bool)
    kept[met.rows[met.removed]] = False
    keep = np.flatnonzero(kept)
    # new values stand behind the stored ones, in order of the pairs that changed
    source = np.arange(length)
    source[met.rows[changed]] = length + np.arange(len(changed))
    everywhere = source[keep]

    side = met.newer.take(changed)
    from_newer = met.outcome.choice[changed] == Choice.TAKE
    columns: dict[str, pa.Array] = {}
    stored_side = pa.array(met.rows[changed])
    for name in schema.names:
        base = _array(stored, name)
        # a view keeps what it gathers, and nobody needs this column twice
        values = evolve(side).column(name)
        if not from_newer.all():
            values = _choose(from_newer, base.take(stored_side), values)
        if name in met.outcome.patch:
            values = _choose(met.patched[changed], values, met.outcome.patch[name].take(pa.array(changed)))
        columns[name] = _replaced(base, values, everywhere)

    keys = _array(stored, RECORD_KEY)
    if len(keep) < length:
        keys = keys.take(pa.array(keep))
    meta = {
        COMMIT_TIME: _commit_times(stored, stamp.instant, source >= length, keep),
        COMMIT_SEQNO: _replaced(_array(stored, COMMIT_SEQNO), stamp.sequence_numbers(first, len(changed)), everywhere),
        RECORD_KEY: keys,
    }
    return _with_constants(meta, columns, stamp, len(keep))


def inserted_rows(newer: Records, schema: pa.Schema, stamp: Stamp, first: int) -> pa.Table:
    """New rows, meta columns first."""
    length = len(newer)
    times = pa.DictionaryArray.from_arrays(pa.array(np.zeros(length, dtype=np.int32)), pa.array([stamp.instant]))
    meta = {COMMIT_TIME: times, COMMIT_SEQNO: stamp.sequence_numbers(first, length), RECORD_KEY: newer.keys}
    return _with_constants(meta, {name: newer.column(name) for name in schema.names}, stamp, length)


def _with_constants(meta: dict[str, pa.Array], columns: dict[str, pa.Array], stamp: Stamp, length: int) -> pa.Table:
    zeros = pa.array(np.zeros(length, dtype=np.int32))
    return pa.table(
        {
            COMMIT_TIME: meta[COMMIT_TIME],
            COMMIT_SEQNO: meta[COMMIT_SEQNO],
            RECORD_KEY: meta[RECORD_KEY],
            PARTITION_PATH: pa.DictionaryArray.from_arrays(zeros, pa.array([stamp.partition])),
            FILE_NAME: pa.DictionaryArray.from_arrays(zeros, pa.array([stamp.file_name])),
            **columns,
        }
    )


def _commit_times(stored: pa.Table, instant: str, changed: Mask, keep: Rows) -> pa.DictionaryArray:
    times = _array(stored, COMMIT_TIME)
    if not isinstance(times, pa.DictionaryArray):
        times = times.dictionary_encode()
    indices = times.indices
    if indices.null_count:
        raise ValueError("a stored row has no _hoodie_commit_time")
    codes = indices.to_numpy(zero_copy_only=False).astype(np.int32)
    codes[changed] = len(times.dictionary)
    dictionary = pa.concat_arrays([times.dictionary.cast(pa.string()), pa.array([instant])])
    return pa.DictionaryArray.from_arrays(pa.array(codes[keep]), dictionary)


def _replaced(base: pa.Array, values: pa.Array, source: Rows) -> pa.Array:
    """Rows by position in `base` followed by `values`."""
    if values.type != base.type:
        values = values.cast(base.type)
    return pa.concat_arrays([base, values]).take(pa.array(source))


def _choose(mask: Mask, otherwise: pa.Array, values: pa.Array) -> pa.Array:
    positions = np.arange(len(mask))
    return _replaced(otherwise, values, np.where(mask, positions + len(mask), positions))


def _array(table: pa.Table, name: str) -> pa.Array:
    column = table.column(name)
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
