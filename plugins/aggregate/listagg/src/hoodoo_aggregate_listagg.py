"""Texts joined by a delimiter; nulls and blank texts are skipped."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc
from attrs import frozen
from hoodoo_library_column_values.items import Items, joined, rank, true_where

from hoodoo.plugin import hookimpl, option
from hoodoo.record import Law

__version__ = "0.1.0"


@frozen
class ListAgg:
    """Aggregate function `listagg` of Paimon."""

    delimiter: str = option(default=",", help="The delimiter between two texts.")
    distinct: bool = option(default=False, help="Add only the parts of the newer text that the older text lacks.")

    laws = frozenset({Law.ASSOCIATIVE})
    takes = "text"

    def accepts(self, type_: pa.DataType) -> bool:
        """Return whether the type is string."""
        return bool(pa.types.is_string(type_))

    def add(self, older: pa.Array, newer: pa.Array) -> pa.Array:
        """Return the older text, the delimiter and the newer text; only one text if the other is null or blank.

        With `distinct`, only the parts of the newer text that the older text lacks are added.
        """
        first, second = _not_blank(older), _not_blank(newer)
        if self.distinct:
            second = self._new_parts(first, second)
        both = pc.binary_join_element_wise(first, second, pa.scalar(self.delimiter, older.type))
        return pc.coalesce(both, first, second, older, newer)

    def _new_parts(self, older: pa.Array, newer: pa.Array) -> pa.Array:
        """Return the newer text with only the parts that the older text lacks, each once and without blank parts.

        The result is null if no part remains. If the older text is null, the newer text is not changed.
        """
        parts, is_new = joined(*(Items.of(pc.split_pattern(text, self.delimiter)) for text in (older, newer)))
        blank = true_where(pc.equal(pc.ascii_trim_whitespace(parts.values), ""))
        added = parts.keep(is_new & ~blank & (rank(parts.codes()) == 0))
        texts = pc.binary_join(pa.ListArray.from_arrays(added.offsets(), added.values), self.delimiter)
        return pc.if_else(older.is_null(), newer, _not_blank(texts))


def _not_blank(text: pa.Array) -> pa.Array:
    """Return the texts, null where they are blank."""
    return pc.if_else(pc.equal(pc.ascii_trim_whitespace(text), ""), pa.scalar(None, text.type), text)


@hookimpl
def hoodoo_aggregate() -> type[ListAgg]:
    """Return the class of the function."""
    return ListAgg
