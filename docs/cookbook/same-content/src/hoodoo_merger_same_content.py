"""The newer arrival wins, unless it has the same content: then the stored row stays unchanged, with its commit time."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from attrs import frozen
from hoodoo_library_column_values.comparison import compare, is_orderable
from hoodoo_library_column_values.items import Items
from numpy.typing import NDArray

from hoodoo.plugin import hookimpl, option
from hoodoo.plugin.helpers.partial_update import fillable
from hoodoo.record import Law, MergerConfig, Outcome, RecordContext, Records
from hoodoo.schema.columns import check_columns

__version__ = "0.1.0"

Mask = NDArray[np.bool_]


@frozen(slots=False)
class SameContentMerger:
    """Merger for sources that send all rows each time, of which most have not changed."""

    ignored: tuple[str, ...] = option(default=(), help="Columns that are not content, such as the time of the export.")

    laws = frozenset({Law.ASSOCIATIVE, Law.IDEMPOTENT, Law.REPLAY_SAFE, Law.SCHEMA_LOCAL})
    whole_versions = True

    def __attrs_post_init__(self) -> None:
        # of versions with one content, it depends on the order of merges which one leaves its ignored columns
        if self.ignored:
            object.__setattr__(self, "laws", self.laws - {Law.ASSOCIATIVE})

    def uses_ordering(self, config: MergerConfig) -> bool:
        """Return False: the order of arrival decides."""
        return False

    def check(self, schema: pa.Schema, config: MergerConfig) -> None:
        """Raise `SchemaError` if the table lacks an ignored column."""
        check_columns(schema, self.ignored, "option 'ignored' of 'same-content'")

    def merge(self, older: Records, newer: Records, context: RecordContext, config: MergerConfig) -> Outcome:
        """Return KEEP for rows of equal content, else TAKE. A column that the newer row lacks counts as equal."""
        same = ~older.is_delete & ~newer.is_delete
        for name in fillable(context.schema, self.ignored):
            if same.any():
                lacking = newer.lacking(name)
                equal = _equal(older.column(name), newer.column(name))
                same &= equal if lacking is None else equal | lacking
        return Outcome.take_where(~same)


def _equal(one: pa.Array, other: pa.Array) -> Mask:
    """Return where two arrays of one type are equal, nested values included; null equals null, NaN equals NaN."""
    valid, also_valid = (array.is_valid().to_numpy(zero_copy_only=False) for array in (one, other))
    if is_orderable(one.type) or pa.types.is_null(one.type):
        same = compare(one, other) == 0
    elif pa.types.is_struct(one.type):
        same = np.ones(len(one), dtype=bool)
        for left, right in zip(one.flatten(), other.flatten(), strict=True):
            same &= _equal(left, right)
    else:
        same = _equal_lists(Items.of(one), Items.of(other))
    equal: Mask = (valid == also_valid) & (~valid | same)
    return equal


def _equal_lists(one: Items, other: Items) -> Mask:
    sizes = np.bincount(one.rows, minlength=one.length)
    same: Mask = sizes == np.bincount(other.rows, minlength=other.length)
    left, right = one.keep(same[one.rows]), other.keep(same[other.rows])
    if len(left.rows):
        same[left.rows[~_equal(left.values, right.values)]] = False
    return same


@hookimpl
def hoodoo_merger() -> type[SameContentMerger]:
    """Return the class of the plugin."""
    return SameContentMerger
