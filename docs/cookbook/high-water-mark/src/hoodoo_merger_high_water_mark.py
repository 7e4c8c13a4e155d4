"""The greater ordering value wins, and some columns never decrease: a late version still raises them."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from attrs import frozen
from numpy.typing import NDArray

from hoodoo.errors import OptionError
from hoodoo.plugin import hookimpl, option
from hoodoo.record import Law, MergerConfig, Ordering, Outcome, RecordContext, Records, check_orderable
from hoodoo.schema.columns import check_columns

__version__ = "0.1.0"


@frozen
class HighWaterMarkMerger:
    """Merger in which a delete outranks every row, so that the maximum of a deleted row cannot come back."""

    columns: tuple[str, ...] = option(help="Columns of which the largest value stays; null is less than any value.")

    laws = frozenset(
        {Law.ASSOCIATIVE, Law.ORDER_INDEPENDENT, Law.IDEMPOTENT, Law.REPLAY_SAFE, Law.DELETE_STICKY, Law.SCHEMA_LOCAL}
    )

    def needs(self, schema: pa.Schema, config: MergerConfig) -> tuple[str, ...]:
        """Return the columns with a maximum."""
        return self.columns

    def check(self, schema: pa.Schema, config: MergerConfig) -> None:
        """Raise for columns that the table lacks or that have no order, and for ordering columns."""
        check_columns(schema, self.columns, "option 'columns' of 'high-water-mark'")
        for name in self.columns:
            check_orderable(name, schema.field(name).type)
        if both := sorted(set(self.columns) & set(config.ordering)):
            raise OptionError(
                f"'{both[0]}' is an ordering column, which is the greatest anyway; remove it from columns"
            )

    def merge(self, older: Records, newer: Records, context: RecordContext, config: MergerConfig) -> Outcome:
        """Return the choice by ordering value, with the larger values where the winner has a smaller one."""
        later = newer.ordering.compare(older.ordering) >= 0
        take = (newer.is_delete > older.is_delete) | ((newer.is_delete == older.is_delete) & later)
        live = ~newer.is_delete & ~older.is_delete
        patch, raised = {}, np.zeros(len(take), dtype=bool)
        for name in self.columns:
            larger = _compare(newer.column(name), older.column(name))
            patch[name] = pc.if_else(pa.array(larger > 0), newer.column(name), older.column(name))
            raised |= np.where(take, larger < 0, larger > 0)
        return Outcome(take.astype(np.int8), patch, patched=live & raised)


def _compare(one: pa.Array, other: pa.Array) -> NDArray[np.int8]:
    one_, other_ = (Ordering.of(["value"], [values], len(values)) for values in (one, other))
    return one_.compare(other_)


@hookimpl
def hoodoo_merger() -> type[HighWaterMarkMerger]:
    """Return the class of the plugin."""
    return HighWaterMarkMerger
