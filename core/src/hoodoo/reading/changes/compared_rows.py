"""Changes of a commit to a file group, computed from its rows before and after the commit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from hoodoo.reading.changes.change_table import DELETED, INSERTED, UPDATED, changes
from hoodoo.schema.columns import one_array
from hoodoo.schema.meta_columns import COMMIT_SEQNO, COMMIT_TIME, RECORD_KEY, without_meta

__all__ = ["compared", "images"]


def compared(before: Iterable[pa.Table], after: Iterable[pa.Table], instant: str) -> Iterator[pa.Table]:
    """Yield the changes of a commit as rows of `CHANGES`.

    A row that the commit did not write keeps its record key and its sequence number. Rows that only one side has are
    in memory, and the keys and sequence numbers of the rows that the commit kept.

    Args:
        before: The rows before the commit, with record key, commit time and sequence number.
        after: The rows after the commit.
        instant: The instant of the commit.
    """
    written: list[pa.Table] = []
    kept: list[pa.Array] = []
    for rows in after:
        is_new = pc.equal(rows[COMMIT_TIME], instant)
        written.append(rows.filter(is_new))
        kept.append(_identities(rows.filter(pc.invert(is_new))))
    known = pa.concat_arrays([pa.array([], pa.string()), *kept])
    gone: list[pa.Table] = []
    for rows in before:
        lost = rows.filter(pc.invert(pc.is_in(_identities(rows), value_set=known)))
        if written:
            gone.append(lost)
        elif lost.num_rows:
            yield changes(DELETED, instant, images(lost), None)
    if not gone:
        for rows in written:
            if rows.num_rows:
                yield changes(INSERTED, instant, None, images(rows))
        return
    yield from _paired(pa.concat_tables(gone), pa.concat_tables(written), instant)


def images(rows: pa.Table) -> pa.Table:
    """Return rows without meta columns."""
    return rows.select(without_meta(rows.schema).names)


def _identities(rows: pa.Table) -> pa.Array:
    """Return a text for each row that no other version of a row has."""
    return one_array(pc.binary_join_element_wise(rows[RECORD_KEY], rows[COMMIT_SEQNO], "\0", null_handling="replace"))


def _paired(before: pa.Table, after: pa.Table, instant: str) -> Iterator[pa.Table]:
    old, new = (_numbered(one_array(rows[RECORD_KEY])) for rows in (before, after))
    place = pc.index_in(old, value_set=new)
    is_updated = place.is_valid()
    deleted = before.filter(pc.invert(is_updated))
    updated, successor = before.filter(is_updated), place.drop_null()
    is_inserted = np.ones(after.num_rows, dtype=bool)
    is_inserted[successor.to_numpy()] = False
    inserted = after.filter(pa.array(is_inserted))
    if updated.num_rows:
        yield changes(UPDATED, instant, images(updated), images(after.take(successor)))
    if deleted.num_rows:
        yield changes(DELETED, instant, images(deleted), None)
    if inserted.num_rows:
        yield changes(INSERTED, instant, None, images(inserted))


def _numbered(keys: pa.Array) -> pa.Array:
    """Return the keys; where a key occurs several times, each occurrence with its number."""
    if pc.count_distinct(keys).as_py() == len(keys):
        return pc.binary_join_element_wise(keys, "0", "\0")
    codes = keys.dictionary_encode().indices.to_numpy()
    return pc.binary_join_element_wise(keys, pa.array(_occurrences(codes)).cast(pa.string()), "\0")


def _occurrences(codes: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return how often each code occurs before its position."""
    order = np.argsort(codes, kind="stable")
    ordered = codes[order]
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    lengths = np.diff(np.append(starts, len(codes)))
    numbers = np.empty(len(codes), dtype=np.int64)
    numbers[order] = np.arange(len(codes)) - np.repeat(starts, lengths)
    return numbers
