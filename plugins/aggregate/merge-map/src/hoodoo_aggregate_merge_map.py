"""The entries of all maps; a newer entry replaces the older entry of its key. A delete removes entries by key."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from attrs import frozen
from hoodoo_library_column_values.items import Items, joined, true_where
from numpy.typing import NDArray

from hoodoo.plugin import hookimpl
from hoodoo.record import Law

__version__ = "0.1.0"


@frozen
class MergeMap:
    """Aggregate function `merge_map` of Paimon."""

    laws = frozenset({Law.ASSOCIATIVE, Law.IDEMPOTENT, Law.REPLAY_SAFE})
    laws_of_retraction = frozenset({Law.IDEMPOTENT, Law.REPLAY_SAFE})
    takes = "a map"

    def accepts(self, type_: pa.DataType) -> bool:
        """Return whether the type is a map."""
        return bool(pa.types.is_map(type_))

    def add(self, older: pa.Array, newer: pa.Array) -> pa.Array:
        """Return the entries of both maps, the newer one for a key that is in both; null if both maps are null."""
        entries, is_newer = joined(Items.of(older), Items.of(newer))
        codes = _of_keys(entries).codes()
        kept = entries.keep(is_newer | ~np.isin(codes, codes[is_newer]))
        return _maps(kept, older.type, true_where(older.is_null()) & true_where(newer.is_null()))

    def retract(self, older: pa.Array, newer: pa.Array) -> pa.Array:
        """Return the entries of the older map whose keys the newer map lacks; null if the older map is null."""
        entries, is_newer = joined(Items.of(older), Items.of(newer))
        codes = _of_keys(entries).codes()
        kept = entries.keep(~is_newer & ~np.isin(codes, codes[is_newer]))
        return _maps(kept, older.type, true_where(older.is_null()))


def _of_keys(entries: Items) -> Items:
    return Items(entries.length, entries.rows, entries.values.field(0))


def _maps(entries: Items, type_: pa.DataType, nulls: NDArray[np.bool_]) -> pa.Array:
    keys, values = entries.values.flatten()
    return pa.MapArray.from_arrays(entries.offsets(), keys, values, mask=pa.array(nulls)).cast(type_)


@hookimpl
def hoodoo_aggregate() -> type[MergeMap]:
    """Return the class of the function."""
    return MergeMap
