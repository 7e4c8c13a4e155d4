"""Merge of stored rows with newer records of the same keys, and the resulting rows of the batch."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from attrs import evolve, field, frozen
from numpy.typing import NDArray

from hoodoo.merge.replaced_values import Replacement
from hoodoo.merge.survivors import choose
from hoodoo.record import Choice, Outcome, Records
from hoodoo.schema.columns import decoded

__all__ = ["MatchedRows", "MergedBatch", "pairs"]

Mask = NDArray[np.bool_]
Rows = NDArray[np.int64]


@frozen(eq=False)
class MatchedRows:
    """Pairs of a stored row and a newer record of its key, with the outcome of their merge.

    Attributes:
        rows: Positions of the stored rows in the batch.
        newer: The newer record of each pair.
        outcome: The decisions of the rule, one per pair.
        removed: True where the stored row is removed: the rule deleted it, or a delete won.
        patched: True where the chosen version survives with columns that the rule changed.
        taken: True where the newer record, without changes by the rule, replaces the stored row.
    """

    rows: Rows
    newer: Records
    outcome: Outcome
    removed: Mask
    patched: Mask
    taken: Mask

    @classmethod
    def of(cls, rows: Rows, newer: Records, outcome: Outcome) -> MatchedRows:
        """Return the pairs, with the masks that follow from the outcome of the rule."""
        take = outcome.choice == Choice.TAKE
        removed = (outcome.choice == Choice.DELETE) | (take & newer.is_delete)
        patched = np.zeros(len(take), dtype=bool)
        if outcome.patch:
            patched = ~removed if outcome.patched is None else outcome.patched & ~removed
        return cls(rows, newer, outcome, removed, patched, take & ~removed & ~patched)

    @property
    def changed(self) -> Mask:
        """Return a mask of the pairs whose stored row gets new values and new meta columns."""
        return self.taken | self.patched

    def untouched(self, length: int) -> Mask:
        """Return a mask of the unchanged rows of a batch that has `length` rows."""
        untouched = np.ones(length, dtype=bool)
        untouched[self.rows[self.removed | self.changed]] = False
        return untouched

    def only(self, chosen: Mask) -> MatchedRows:
        """Return the pairs for which the mask `chosen` is true."""
        if chosen.all():
            return self
        pairs = np.flatnonzero(chosen)
        outcome = evolve(
            self.outcome,
            choice=self.outcome.choice[pairs],
            patch={name: values.take(pa.array(pairs)) for name, values in self.outcome.patch.items()},
            patched=None if self.outcome.patched is None else self.outcome.patched[pairs],
            reason=None if self.outcome.reason is None else self.outcome.reason[pairs],
        )
        return MatchedRows.of(self.rows[pairs], self.newer.take(pairs), outcome)


@frozen(eq=False)
class MergedBatch:
    """Rows of a batch of stored rows after its merge, in the order of the batch.

    New values are appended to the stored ones, in order of the pairs that changed.

    Attributes:
        matched: The pairs with their outcome.
        length: Number of rows of the batch.
        pairs: Positions of the pairs whose row changed.
        keep: Positions of the rows of the batch that remain, changed or not.
        rows: Function that returns a column of these rows, from the stored values and the new values of changed rows.
    """

    matched: MatchedRows
    length: int
    pairs: Rows = field(init=False)
    keep: Rows = field(init=False)
    rows: Replacement = field(init=False)
    _side: Records = field(init=False)

    @pairs.default
    def _changed(self) -> Rows:
        return np.flatnonzero(self.matched.changed)

    @keep.default
    def _kept(self) -> Rows:
        kept = np.ones(self.length, dtype=bool)
        kept[self.matched.rows[self.matched.removed]] = False
        return np.flatnonzero(kept)

    @rows.default
    def _replacement(self) -> Replacement:
        return Replacement(self.length, self.matched.rows[self.pairs], self.keep)

    @_side.default
    def _newer(self) -> Records:
        return self.matched.newer.take(self.pairs)

    @property
    def is_unchanged(self) -> bool:
        """Return whether the merge changed no row of the batch."""
        return not len(self.pairs) and len(self.keep) == self.length

    def column(self, name: str, base: pa.Array) -> pa.Array:
        """Return a column of the merged batch; `base` is the stored one."""
        return self.rows(base, self.changed(name, base))

    def changed(self, name: str, base: pa.Array) -> pa.Array:
        """Return a column of the changed rows, in order of the pairs, in the type of `base`.

        `base` is the stored column of the whole batch, which may be dictionary-encoded.
        """
        matched = self.matched
        # a view would cache the column, which is used once only
        values = evolve(self._side).column(name)
        from_newer = matched.outcome.choice[self.pairs] == Choice.TAKE
        lacking = self._side.lacking(name)
        if lacking is not None:
            from_newer &= ~lacking
        if not from_newer.all():
            values = choose(from_newer, decoded(base.take(pa.array(matched.rows[self.pairs]))), values)
        if name in matched.outcome.patch:
            patch = matched.outcome.patch[name].take(pa.array(self.pairs))
            values = choose(matched.patched[self.pairs], values, patch)
        if pa.types.is_dictionary(base.type):
            values = values.cast(base.type.value_type).dictionary_encode()
        return values if values.type == base.type else values.cast(base.type)


def pairs(stored_keys: pa.Array, keys: pa.Array) -> tuple[Rows, Rows]:
    """Return the positions of all stored rows whose key is in `keys`, and the position of each row's key in `keys`.

    Args:
        stored_keys: n record keys, possibly with repetitions.
        keys: Different record keys.
    """
    found = pc.index_in(stored_keys, value_set=keys)
    rows = np.flatnonzero(found.is_valid().to_numpy(zero_copy_only=False))
    return rows, found.take(pa.array(rows)).to_numpy(zero_copy_only=False).astype(np.int64)
