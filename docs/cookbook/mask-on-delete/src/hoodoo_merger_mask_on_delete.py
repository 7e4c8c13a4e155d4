"""The greater ordering value wins, and a delete empties the personal columns of a row instead of removing it."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from attrs import frozen

from hoodoo.errors import OptionError
from hoodoo.plugin import hookimpl, option
from hoodoo.record import Law, MergerConfig, Ordering, Outcome, RecordContext, Records
from hoodoo.schema.columns import check_columns

__version__ = "0.1.0"


@frozen
class MaskOnDeleteMerger:
    """Merger of rows that must stay without their personal data. A delete without ordering value removes the row."""

    columns: tuple[str, ...] = option(help="Columns that become null.")
    masked_at: str = option(default="masked_at", help="Column for the ordering value of the last delete.")

    laws = frozenset({Law.ASSOCIATIVE, Law.ORDER_INDEPENDENT, Law.IDEMPOTENT, Law.REPLAY_SAFE})

    def needs(self, schema: pa.Schema, config: MergerConfig) -> tuple[str, ...]:
        """Return the columns that change."""
        return (*self.columns, self.masked_at)

    def adds(self, schema: pa.Schema, config: MergerConfig) -> Iterable[pa.Field]:
        """Return the column for the ordering value of deletes."""
        if self.masked_at in schema.names:
            return ()
        return (pa.field(self.masked_at, schema.field(_clock(config)).type),)

    def check(self, schema: pa.Schema, config: MergerConfig) -> None:
        """Raise unless the table has one ordering column and, apart from it, the columns to empty."""
        check_columns(schema, self.columns, "option 'columns' of 'mask-on-delete'")
        if _clock(config) in self.columns:
            raise OptionError(f"'{_clock(config)}' is the ordering column, which cannot be emptied")

    def merge(self, older: Records, newer: Records, context: RecordContext, config: MergerConfig) -> Outcome:
        """Return the later row, with the later delete of both. A delete is a row without data that masks."""
        erased, erases = (side.is_delete & side.ordering.absent for side in (older, newer))
        later = newer.ordering.compare(older.ordering) >= 0
        take = erases | (~erased & np.where(newer.is_delete == older.is_delete, later, older.is_delete))
        live = ~erased & ~erases & ~(older.is_delete & newer.is_delete)
        before, now = self._masked(older), self._masked(newer)
        of_newer = now.compare(before) > 0
        values = pc.if_else(pa.array(of_newer), now.values[0], before.values[0])
        mask = Ordering.of([self.masked_at], [values], len(take))
        winner = [pc.if_else(pa.array(take), newer.ordering.values[0], older.ordering.values[0])]
        masks = ~mask.absent & (mask.compare(Ordering.of(config.ordering, winner, len(take))) >= 0)
        patch = {self.masked_at: mask.values[0]}
        for name in self.columns:
            chosen = pc.if_else(pa.array(take), newer.column(name), older.column(name))
            patch[name] = pc.if_else(pa.array(masks), pa.scalar(None, chosen.type), chosen)
        return Outcome(take.astype(np.int8), patch, patched=live & ~mask.absent & (take | of_newer))

    def _masked(self, records: Records) -> Ordering:
        """Return the ordering value of the last delete: a delete's own one, or that which a row has met."""
        met, own = records.column(self.masked_at), records.ordering.values[0]
        values = pc.if_else(pa.array(records.is_delete), own, met.cast(own.type))
        return Ordering.of([self.masked_at], [values], len(records))


def _clock(config: MergerConfig) -> str:
    if len(config.ordering) != 1:
        raise OptionError(
            "merger 'mask-on-delete' compares deletes and rows by one ordering column; 'ordering' names "
            f"{len(config.ordering)}: {', '.join(config.ordering) or 'none'}"
        )
    return config.ordering[0]


@hookimpl
def hoodoo_merger() -> type[MaskOnDeleteMerger]:
    """Return the class of the plugin."""
    return MaskOnDeleteMerger
