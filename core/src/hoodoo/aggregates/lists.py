"""Functions of many values in one column: lists in text, lists, maps."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from attrs import frozen
from numpy.typing import NDArray

from hoodoo.aggregates.items import Items, joined, rank
from hoodoo.errors import SchemaError
from hoodoo.plugin import option
from hoodoo.record import Law

__all__ = ["Collect", "ListAgg", "MergeMap"]

Mask = NDArray[np.bool_]


@frozen
class ListAgg:
    """Texts one after the other with a delimiter between; nulls and blank texts are skipped."""

    delimiter: str = option(default=",", help="What stands between two texts.")
    distinct: bool = option(default=False, help="Add only those parts of the newer text that the older has not.")

    laws = frozenset({Law.ASSOCIATIVE})
    takes = "text"

    def accepts(self, type_: pa.DataType) -> bool:
        """Strings."""
        return bool(pa.types.is_string(type_))

    def add(self, older: pa.Array, newer: pa.Array) -> pa.Array:
        """The older text, the delimiter, the newer text."""
        first, second = _not_blank(older), _not_blank(newer)
        if self.distinct:
            second = self._new_parts(first, second)
        both = pc.binary_join_element_wise(first, second, pa.scalar(self.delimiter, older.type))
        return pc.coalesce(both, first, second, older, newer)

    def _new_parts(self, older: pa.Array, newer: pa.Array) -> pa.Array:
        """The newer's parts that are not blank and that the older has not; all of them where there is no older."""
        parts, is_new = joined(*(Items.of(pc.split_pattern(text, self.delimiter)) for text in (older, newer)))
        blank = _mask(pc.equal(pc.ascii_trim_whitespace(parts.values), ""))
        added = parts.keep(is_new & ~blank & (rank(parts.codes()) == 0))
        texts = pc.binary_join(pa.ListArray.from_arrays(added.offsets(), added.values), self.delimiter)
        return pc.if_else(older.is_null(), newer, _not_blank(texts))


@frozen
class Collect:
    """The items of both lists; what is taken back leaves once for each time that it is in the newer list."""

    distinct: bool = option(default=False, help="Keep one of equal items, the first.")

    takes = "a list; a distinct one must not hold lists or maps"

    @property
    def laws(self) -> frozenset[Law]:
        """A distinct list is the same after another go, but for its first one, which may hold equal items."""
        return frozenset({Law.ASSOCIATIVE, Law.REPLAY_SAFE} if self.distinct else {Law.ASSOCIATIVE})

    def accepts(self, type_: pa.DataType) -> bool:
        """Lists."""
        return bool(pa.types.is_list(type_)) and not (self.distinct and _is_nested(type_.value_type))

    def add(self, older: pa.Array, newer: pa.Array) -> pa.Array:
        """The older's items, then the newer's."""
        items, _ = joined(Items.of(older), Items.of(newer))
        if self.distinct:
            items = items.keep(rank(items.codes()) == 0)
        return _lists(items, older.type, _nulls(older) & _nulls(newer))

    def retract(self, older: pa.Array, newer: pa.Array) -> pa.Array:
        """The older's items without the newer's."""
        if _is_nested(older.type.value_type):
            raise SchemaError(
                f"items of type {older.type.value_type} cannot be compared, which taking them back from a list needs",
                code="aggregate_type",
            )
        items, is_newer = joined(Items.of(newer), Items.of(older))
        codes = items.codes()
        taken = np.bincount(codes[~is_newer], minlength=int(codes.max(initial=-1)) + 1)
        kept = items.keep(is_newer)
        codes = codes[is_newer]
        return _lists(kept.keep(rank(codes) >= taken[codes]), older.type, _nulls(older))


@frozen
class MergeMap:
    """The entries of both maps, the newer's where both have a key; what is taken back leaves by its key."""

    laws = frozenset({Law.ASSOCIATIVE, Law.IDEMPOTENT, Law.REPLAY_SAFE})
    laws_of_retraction = frozenset({Law.IDEMPOTENT, Law.REPLAY_SAFE})
    takes = "a map"

    def accepts(self, type_: pa.DataType) -> bool:
        """Maps."""
        return bool(pa.types.is_map(type_))

    def add(self, older: pa.Array, newer: pa.Array) -> pa.Array:
        """The entries of both."""
        entries, is_newer = joined(Items.of(older), Items.of(newer))
        codes = _of_keys(entries).codes()
        kept = entries.keep(is_newer | ~np.isin(codes, codes[is_newer]))
        return _maps(kept, older.type, _nulls(older) & _nulls(newer))

    def retract(self, older: pa.Array, newer: pa.Array) -> pa.Array:
        """The older's entries whose key the newer has not."""
        entries, is_newer = joined(Items.of(older), Items.of(newer))
        codes = _of_keys(entries).codes()
        return _maps(entries.keep(~is_newer & ~np.isin(codes, codes[is_newer])), older.type, _nulls(older))


def _of_keys(entries: Items) -> Items:
    return Items(entries.length, entries.rows, entries.values.field(0))


def _lists(items: Items, type_: pa.DataType, nulls: Mask) -> pa.Array:
    return pa.ListArray.from_arrays(items.offsets(), items.values, mask=pa.array(nulls)).cast(type_)


def _maps(entries: Items, type_: pa.DataType, nulls: Mask) -> pa.Array:
    keys, values = entries.values.flatten()
    return pa.MapArray.from_arrays(entries.offsets(), keys, values, mask=pa.array(nulls)).cast(type_)


def _not_blank(text: pa.Array) -> pa.Array:
    """The text, null where it is blank."""
    return pc.if_else(pc.equal(pc.ascii_trim_whitespace(text), ""), pa.scalar(None, text.type), text)


def _is_nested(type_: pa.DataType) -> bool:
    """Whether there are lists or maps among the values, which have no numbers to compare them by."""
    if pa.types.is_struct(type_):
        return any(_is_nested(field.type) for field in type_)
    return bool(pa.types.is_nested(type_))


def _nulls(values: pa.Array) -> Mask:
    return _mask(values.is_null())


def _mask(values: pa.Array) -> Mask:
    mask: Mask = values.fill_null(False).to_numpy(zero_copy_only=False)
    return mask
