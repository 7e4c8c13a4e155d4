"""Rows of a new base file: stored rows in their order, with changed rows in place and new rows at the end."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from attrs import frozen
from numpy.typing import NDArray

from hoodoo.merge.match import MatchedRows, MergedBatch
from hoodoo.record import Records
from hoodoo.schema.columns import one_array
from hoodoo.schema.meta_columns import COMMIT_SEQNO, COMMIT_TIME, FILE_NAME, PARTITION_PATH, RECORD_KEY

__all__ = ["Stamp", "inserted_rows", "merged_rows", "unchanged_rows", "with_constants"]

Mask = NDArray[np.bool_]
Rows = NDArray[np.int64]


@frozen
class Stamp:
    """Values of the meta columns of one file.

    Attributes:
        instant: The instant that is being written.
        task: The number of the task.
        partition: The partition path.
        file_name: The name of the base file; for a log file, the id of its file group.
        fills_meta: Whether all meta columns are filled; otherwise only the file name, as in Hudi.
    """

    instant: str
    task: int
    partition: str
    file_name: str
    fills_meta: bool = True

    def sequence_numbers(self, first: int, count: int) -> pa.Array:
        """Return sequence numbers `<instant>_<task>_<n>`, counting from `first`."""
        numbers = pa.array(np.arange(first, first + count)).cast(pa.string())
        return pc.binary_join_element_wise(f"{self.instant}_{self.task}", numbers, "_")


def unchanged_rows(stored: pa.Table, schema: pa.Schema, stamp: Stamp) -> pa.Table:
    """Return one batch of stored rows for a new file: only the file name differs."""
    names = (COMMIT_TIME, COMMIT_SEQNO, RECORD_KEY) if stamp.fills_meta else ()
    meta = {name: one_array(stored.column(name)) for name in names}
    return with_constants(meta, {name: one_array(stored.column(name)) for name in schema.names}, stamp, stored.num_rows)


def merged_rows(stored: pa.Table, schema: pa.Schema, matched: MatchedRows, stamp: Stamp, first: int) -> pa.Table:
    """Return one batch of stored rows after its merge, in its order, meta columns first.

    Args:
        stored: The batch, with the meta columns `_hoodie_commit_time` (dictionary), `_hoodie_commit_seqno` and
            `_hoodie_record_key`, which have no null if the table fills them, and the data columns of the schema.
        schema: The data columns.
        matched: The stored rows with an incoming record, and the outcome of their merge.
        stamp: The values of the meta columns.
        first: The first free sequence number.
    """
    after = MergedBatch(matched, stored.num_rows)
    if after.is_unchanged:
        return unchanged_rows(stored, schema, stamp)
    columns = {name: after.column(name, one_array(stored.column(name))) for name in schema.names}
    if not stamp.fills_meta:
        return with_constants({}, columns, stamp, len(after.keep))
    keys = one_array(stored.column(RECORD_KEY))
    if len(after.keep) < after.length:
        keys = keys.take(pa.array(after.keep))
    numbers = stamp.sequence_numbers(first, len(after.pairs))
    meta = {
        COMMIT_TIME: _commit_times(stored, stamp.instant, after.rows.source >= after.length, after.keep),
        COMMIT_SEQNO: after.rows(one_array(stored.column(COMMIT_SEQNO)), numbers),
        RECORD_KEY: keys,
    }
    return with_constants(meta, columns, stamp, len(after.keep))


def inserted_rows(newer: Records, schema: pa.Schema, stamp: Stamp, first: int) -> pa.Table:
    """Return records as rows of one file, meta columns first; their sequence numbers begin with `first`."""
    length = len(newer)
    columns = {name: newer.column(name) for name in schema.names}
    if not stamp.fills_meta:
        return with_constants({}, columns, stamp, length)
    times = pa.DictionaryArray.from_arrays(pa.array(np.zeros(length, dtype=np.int32)), pa.array([stamp.instant]))
    meta = {COMMIT_TIME: times, COMMIT_SEQNO: stamp.sequence_numbers(first, length), RECORD_KEY: newer.keys}
    return with_constants(meta, columns, stamp, length)


def with_constants(
    meta: Mapping[str, pa.Array | pa.ChunkedArray],
    columns: Mapping[str, pa.Array | pa.ChunkedArray],
    stamp: Stamp,
    length: int,
) -> pa.Table:
    """Return the rows of one file: the meta columns, followed by the data columns.

    Three of the meta columns are in `meta`, and the other two are constant in a file. If the table fills no
    meta columns, `meta` is not used, and all meta columns except the file name are null.
    """
    zeros = pa.array(np.zeros(length, dtype=np.int32))
    file_name = pa.DictionaryArray.from_arrays(zeros, pa.array([stamp.file_name]))
    if not stamp.fills_meta:
        empty = dict.fromkeys((COMMIT_TIME, COMMIT_SEQNO, RECORD_KEY, PARTITION_PATH), pa.nulls(length, pa.string()))
        return pa.table({**empty, FILE_NAME: file_name, **columns})
    return pa.table(
        {
            COMMIT_TIME: meta[COMMIT_TIME],
            COMMIT_SEQNO: meta[COMMIT_SEQNO],
            RECORD_KEY: meta[RECORD_KEY],
            PARTITION_PATH: pa.DictionaryArray.from_arrays(zeros, pa.array([stamp.partition])),
            FILE_NAME: file_name,
            **columns,
        }
    )


def _commit_times(stored: pa.Table, instant: str, changed: Mask, keep: Rows) -> pa.DictionaryArray:
    times = one_array(stored.column(COMMIT_TIME))
    if not isinstance(times, pa.DictionaryArray):
        times = times.dictionary_encode()
    codes = times.indices.to_numpy(zero_copy_only=False).astype(np.int32)
    codes[changed] = len(times.dictionary)
    dictionary = pa.concat_arrays([times.dictionary.cast(pa.string()), pa.array([instant])])
    return pa.DictionaryArray.from_arrays(pa.array(codes[keep]), dictionary)
