"""A version that breaks a check does not replace the row: it is kept next to the last good version."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from attrs import frozen
from numpy.typing import NDArray

from hoodoo.errors import OptionError
from hoodoo.plugin import hookimpl, option
from hoodoo.plugin.helpers.partial_update import fillable
from hoodoo.record import Choice, Law, MergerConfig, Ordering, Outcome, RecordContext, Records
from hoodoo.schema.columns import check_columns

__version__ = "0.1.0"

Mask = NDArray[np.bool_]


@frozen
class QuarantineMerger:
    """Merger of two records in one row: the latest good version, and the latest bad one where it is later.

    A row without a good version has nulls in all columns but its key and its ordering value.
    """

    required: tuple[str, ...] = option(help="Columns that are not null in a good version.")
    not_negative: tuple[str, ...] = option(default=(), help="Columns of numbers that are not less than 0.")
    quarantined: str = option(default="quarantined", help="Struct column for the columns of the bad version.")

    laws = frozenset({Law.ASSOCIATIVE, Law.ORDER_INDEPENDENT, Law.REPLAY_SAFE, Law.DELETE_STICKY})

    def adds(self, schema: pa.Schema, config: MergerConfig) -> Iterable[pa.Field]:
        """Return the column for bad versions, with the columns of the table at this time."""
        if self.quarantined in schema.names:
            return ()
        return (pa.field(self.quarantined, pa.struct([f for f in schema if f.name not in config.record_key])),)

    def check(self, schema: pa.Schema, config: MergerConfig) -> None:
        """Raise unless the table has one ordering column and the columns to check."""
        check_columns(schema, (*self.required, *self.not_negative), "the checks of 'quarantine'")
        _clock(config)

    def merge(self, older: Records, newer: Records, context: RecordContext, config: MergerConfig) -> Outcome:
        """Return the later good version, with the bad one that is later still. A delete outranks every row."""
        later = newer.ordering.compare(older.ordering) >= 0
        good_before, good_now = self._is_good(older), self._is_good(newer)
        choice = np.where(good_now == good_before, later, good_now)
        take = np.where(newer.is_delete == older.is_delete, choice, newer.is_delete)
        bad_before, bad_now = self._bad(older, ~good_before, config), self._bad(newer, ~good_now, config)
        of_newer = _times(bad_now, config).compare(_times(bad_before, config)) >= 0
        bad = pc.if_else(pa.array(of_newer), bad_now, bad_before)
        is_good = good_before | good_now
        winner = [pc.if_else(pa.array(take), newer.ordering.values[0], older.ordering.values[0])]
        shown = ~is_good | (_times(bad, config).compare(Ordering.of(config.ordering, winner, len(take))) > 0)
        patch = {self.quarantined: _where(shown, bad)}
        if not is_good.all():
            for name in self._emptied(context.schema, config):
                chosen = pc.if_else(pa.array(take), newer.column(name), older.column(name))
                patch[name] = _where(is_good, chosen)
        live = ~older.is_delete & ~newer.is_delete
        changed = take | ~is_good | (shown & of_newer & _valid(bad_now))
        return Outcome(take.astype(np.int8), patch, patched=live & changed)

    def insert(self, newer: Records, context: RecordContext, config: MergerConfig) -> Outcome:
        """Return TAKE; a bad version has its columns in quarantine only."""
        good = self._is_good(newer)
        patch = {self.quarantined: self._bad(newer, ~good, config)}
        patch |= {name: _where(good, newer.column(name)) for name in self._emptied(context.schema, config)}
        return Outcome(Outcome.all(Choice.TAKE, len(newer)).choice, patch)

    def _is_good(self, records: Records) -> Mask:
        """Return true for versions that pass the checks; replace this method by the checks of your own table."""
        good = np.ones(len(records), dtype=bool)
        for name in (*self.required, *self.not_negative):
            good &= _valid(records.column(name))
        for name in self.not_negative:
            good &= pc.fill_null(pc.greater_equal(records.column(name), 0), False).to_numpy(zero_copy_only=False)
        return good

    def _bad(self, records: Records, is_bad: Mask, config: MergerConfig) -> pa.Array:
        """Return what is in quarantine: of earlier merges, or the columns of a bad version itself; null for none."""
        type_ = records.schema.field(self.quarantined).type
        columns = [records.column(field.name).cast(field.type) for field in type_]
        own = pa.StructArray.from_arrays(columns, fields=list(type_))
        return pc.coalesce(records.column(self.quarantined), _where(is_bad, own))

    def _emptied(self, schema: pa.Schema, config: MergerConfig) -> list[str]:
        return fillable(schema, (*config.record_key, *config.ordering, *config.partition_by, self.quarantined))


def _valid(values: pa.Array) -> Mask:
    mask: Mask = values.is_valid().to_numpy(zero_copy_only=False)
    return mask


def _where(mask: Mask, values: pa.Array) -> pa.Array:
    return pc.if_else(pa.array(mask), values, pa.scalar(None, values.type))


def _times(bad: pa.Array, config: MergerConfig) -> Ordering:
    return Ordering.of(config.ordering, [pc.struct_field(bad, _clock(config))], len(bad))


def _clock(config: MergerConfig) -> str:
    if len(config.ordering) != 1:
        raise OptionError(
            "merger 'quarantine' compares good and bad versions by one ordering column; 'ordering' names "
            f"{len(config.ordering)}: {', '.join(config.ordering) or 'none'}"
        )
    return config.ordering[0]


@hookimpl
def hoodoo_merger() -> type[QuarantineMerger]:
    """Return the class of the plugin."""
    return QuarantineMerger
