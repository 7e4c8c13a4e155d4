"""Stored rows that met newer records: what becomes of each, and the rows of the batch afterwards."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from attrs import evolve, field, frozen
from numpy.typing import NDArray

from hoodoo.merge.survivors import choose
from hoodoo.record import Choice, Outcome, Records

__all__ = ["MatchedRows", "MergedBatch", "pairs", "replaced"]

Mask = NDArray[np.bool_]
Rows = NDArray[np.int64]


@frozen(eq=False)
class MatchedRows:
    """Stored rows of one batch that met a newer record, and what becomes of them; one entry per pair.

    Attributes:
        rows: The rows of the batch.
        newer: The newer records.
        outcome: The rule's answer.
        removed: The stored row goes: the rule deleted it, or a delete won.
        patched: The chosen side stands, with columns that the rule changed.
        taken: The newer record stands in the stored row's place as it is.
    """

    rows: Rows
    newer: Records
    outcome: Outcome
    removed: Mask
    patched: Mask
    taken: Mask

    @classmethod
    def of(cls, rows: Rows, newer: Records, outcome: Outcome) -> MatchedRows:
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

    def untouched(self, length: int) -> Mask:
        """Which of the rows of a batch of this length stay as they are."""
        untouched = np.ones(length, dtype=bool)
        untouched[self.rows[self.removed | self.changed]] = False
        return untouched

    def only(self, chosen: Mask) -> MatchedRows:
        """Some of the pairs."""
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
    """The rows of a batch after its merge, in its order.

    New values stand behind the stored ones, in order of the pairs that changed.

    Attributes:
        met: What became of the pairs.
        length: Rows of the batch.
        pairs: The pairs whose row changed.
        keep: The rows of the batch that stay, changed or not.
        source: Per row of the batch its position among the stored rows followed by the changed ones.
    """

    met: MatchedRows
    length: int
    pairs: Rows = field(init=False)
    keep: Rows = field(init=False)
    source: Rows = field(init=False)
    _side: Records = field(init=False)
    _everywhere: Rows = field(init=False)

    @pairs.default
    def _changed(self) -> Rows:
        return np.flatnonzero(self.met.changed)

    @keep.default
    def _kept(self) -> Rows:
        kept = np.ones(self.length, dtype=bool)
        kept[self.met.rows[self.met.removed]] = False
        return np.flatnonzero(kept)

    @source.default
    def _source(self) -> Rows:
        source = np.arange(self.length)
        source[self.met.rows[self.pairs]] = self.length + np.arange(len(self.pairs))
        return source

    @_side.default
    def _newer(self) -> Records:
        return self.met.newer.take(self.pairs)

    @_everywhere.default
    def _standing(self) -> Rows:
        return self.source[self.keep]

    @property
    def is_unchanged(self) -> bool:
        """Whether the batch is as it was."""
        return not len(self.pairs) and len(self.keep) == self.length

    def column(self, name: str, base: pa.Array) -> pa.Array:
        """A column afterwards; `base` is the stored one."""
        return self.rows(base, self.changed(name, base))

    def changed(self, name: str, base: pa.Array) -> pa.Array:
        """A column of the rows that changed, in order of the pairs; `base` is the stored one, of the whole batch."""
        met = self.met
        # a view keeps what it gathers, and nobody needs a column twice
        values = evolve(self._side).column(name)
        from_newer = met.outcome.choice[self.pairs] == Choice.TAKE
        lacking = self._side.lacking(name)
        if lacking is not None:
            from_newer &= ~lacking
        if not from_newer.all():
            values = choose(from_newer, base.take(pa.array(met.rows[self.pairs])), values)
        if name in met.outcome.patch:
            patch = met.outcome.patch[name].take(pa.array(self.pairs))
            values = choose(met.patched[self.pairs], values, patch)
        return values if values.type == base.type else values.cast(base.type)

    def rows(self, base: pa.Array, values: pa.Array) -> pa.Array:
        """Stored values where a row is unchanged, else the new ones, of which there is one per changed pair."""
        return replaced(base, values, self._everywhere)


def pairs(stored_keys: pa.Array, keys: pa.Array) -> tuple[Rows, Rows]:
    """The stored rows whose key is among the given ones, and the place of each one's key; every stored row with a key.

    Args:
        stored_keys: n record keys, perhaps with repetitions.
        keys: Different record keys.
    """
    found = pc.index_in(stored_keys, value_set=keys)
    rows = np.flatnonzero(found.is_valid().to_numpy(zero_copy_only=False))
    return rows, found.take(pa.array(rows)).to_numpy(zero_copy_only=False).astype(np.int64)


def replaced(base: pa.Array, values: pa.Array, source: Rows) -> pa.Array:
    """Rows by position in `base` followed by `values`, which are of its type."""
    return pa.concat_arrays([base, values]).take(pa.array(source))
