"""The items of all lists in one list; a delete removes each of its items once."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from attrs import frozen
from hoodoo_library_column_values.items import Items, joined, rank, true_where
from numpy.typing import NDArray

from hoodoo.errors import SchemaError
from hoodoo.plugin import hookimpl, option
from hoodoo.record import Law

__version__ = "0.1.0"


@frozen(slots=False)
class Collect:
    """Aggregate function `collect` of Paimon."""

    distinct: bool = option(default=False, help="Keep only the first of equal items.")

    laws = frozenset({Law.ASSOCIATIVE})
    takes = "a list (with `distinct`, its items must not be or contain lists or maps)"

    def __attrs_post_init__(self) -> None:
        # not idempotent: adding a list to itself drops its equal items
        if self.distinct:
            object.__setattr__(self, "laws", self.laws | {Law.REPLAY_SAFE})

    def accepts(self, type_: pa.DataType) -> bool:
        """Return whether the type is a list; with `distinct`, its items must also be comparable."""
        return bool(pa.types.is_list(type_)) and not (self.distinct and _is_nested(type_.value_type))

    def add(self, older: pa.Array, newer: pa.Array) -> pa.Array:
        """Return the items of the older list, then those of the newer list; null if both lists are null.

        With `distinct`, only the first of equal items is kept.
        """
        items, _ = joined(Items.of(older), Items.of(newer))
        if self.distinct:
            items = items.keep(rank(items.codes()) == 0)
        return _lists(items, older.type, true_where(older.is_null()) & true_where(newer.is_null()))

    def retract(self, older: pa.Array, newer: pa.Array) -> pa.Array:
        """Return the older list, from which each item of the newer list is removed once; null if the older one is null.

        Raises:
            SchemaError: The items are or contain lists or maps, which cannot be compared.
        """
        if _is_nested(older.type.value_type):
            raise SchemaError(
                f"a delete cannot remove items of type {older.type.value_type} from a list, because they cannot be "
                "compared; set ignore_retract for the column",
                code="aggregate_type",
            )
        items, is_older = joined(Items.of(newer), Items.of(older))
        codes = items.codes()
        taken = np.bincount(codes[~is_older], minlength=int(codes.max(initial=-1)) + 1)
        kept = items.keep(is_older)
        codes = codes[is_older]
        return _lists(kept.keep(rank(codes) >= taken[codes]), older.type, true_where(older.is_null()))


def _lists(items: Items, type_: pa.DataType, nulls: NDArray[np.bool_]) -> pa.Array:
    return pa.ListArray.from_arrays(items.offsets(), items.values, mask=pa.array(nulls)).cast(type_)


def _is_nested(type_: pa.DataType) -> bool:
    """Return whether a type is or contains a list or a map, whose values cannot be compared."""
    if pa.types.is_struct(type_):
        return any(_is_nested(field.type) for field in type_)
    return bool(pa.types.is_nested(type_))


@hookimpl
def hoodoo_aggregate() -> type[Collect]:
    """Return the class of the function."""
    return Collect
