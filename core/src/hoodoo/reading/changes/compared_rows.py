"""Changes of a commit to a file group, computed from its rows before and after the commit."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from attrs import frozen
from numpy.typing import NDArray

from hoodoo.reading.changes.change_table import DELETED, INSERTED, UPDATED, changes
from hoodoo.reading.changes.json_text import json_objects
from hoodoo.schema.columns import one_array
from hoodoo.schema.meta_columns import COMMIT_SEQNO, COMMIT_TIME, RECORD_KEY, without_meta

__all__ = ["ComparedSide", "compared", "images"]


@frozen
class ComparedSide:
    """Rows of one side of a comparison.

    Attributes:
        read: A function that yields the rows in batches, including record key, commit time and sequence number. It may
            be called more than once.
        is_merged: Whether the rows are merged with logs. A merge may change columns of a row and keep its sequence
            number, and a row of an earlier commit may become visible again.
    """

    read: Callable[[], Iterator[pa.Table]]
    is_merged: bool = False


def compared(before: ComparedSide, after: ComparedSide, instant: str) -> Iterator[pa.Table]:
    """Yield the changes of a commit as rows of `CHANGES`.

    A row that the commit did not change has the same record key and sequence number on both sides. If a side is merged,
    the columns are compared as well. The changed rows and a short text for each row are in memory.

    Args:
        before: The rows before the commit.
        after: The rows after the commit.
        instant: The instant of the commit.

    Raises:
        UnsupportedTable: A column has a type without a JSON form.
    """
    by_columns = before.is_merged or after.is_merged
    identities = _identities_of_columns if by_columns else _identities
    earlier = _concatenated([identities(rows) for rows in before.read()]) if by_columns else None
    written: list[pa.Table] = []
    kept: list[pa.Array] = []
    for rows in after.read():
        found = identities(rows)
        is_old = pc.is_in(found, value_set=earlier) if by_columns else pc.not_equal(rows[COMMIT_TIME], instant)
        written.append(rows.filter(pc.invert(is_old)))
        kept.append(found.filter(one_array(is_old)))
    known = _concatenated(kept)
    gone = [rows.filter(pc.invert(pc.is_in(identities(rows), value_set=known))) for rows in before.read()]
    if written and gone:
        yield from _paired(pa.concat_tables(gone), pa.concat_tables(written), instant)
        return
    for rows in filter(len, written):
        yield changes(INSERTED, instant, None, images(rows))
    for rows in filter(len, gone):
        yield changes(DELETED, instant, images(rows), None)


def images(rows: pa.Table) -> pa.Table:
    """Return rows without meta columns."""
    return rows.select(without_meta(rows.schema).names)


def _identities(rows: pa.Table) -> pa.Array:
    """Return the record key and the sequence number of each row, as one string."""
    return one_array(pc.binary_join_element_wise(rows[RECORD_KEY], rows[COMMIT_SEQNO], "\0", null_handling="replace"))


def _identities_of_columns(rows: pa.Table) -> pa.Array:
    """Return the record key, the sequence number and a hash of the columns of each row, as one string."""
    import polars as pl

    states = pl.Series(json_objects(images(rows))).hash().cast(pl.String).to_arrow().cast(pa.string())
    return pc.binary_join_element_wise(_identities(rows), states, "\0")


def _concatenated(texts: list[pa.Array]) -> pa.Array:
    return pa.concat_arrays([pa.array([], pa.string()), *texts])


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
    """Return each key with the number of its earlier occurrences, as one string, so that no key is repeated."""
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
