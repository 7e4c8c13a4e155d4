"""The greatest ordering value wins, and a list column has the values of every version with the time of its validity."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from attrs import frozen
from hoodoo_library_column_values.items import Items, joined
from numpy.typing import NDArray

from hoodoo.errors import OptionError
from hoodoo.plugin import hookimpl, option
from hoodoo.record import Law, MergerConfig, Ordering, Outcome, RecordContext, Records
from hoodoo.schema.columns import check_columns

__version__ = "0.1.0"

FROM, TO = "valid_from", "valid_to"


@frozen
class ValidityMerger:
    """Merger of slowly changing rows (type 2), with all versions of a row in the row. A delete removes them all.

    The list is null as long as the row has had one version, which is the row itself.
    """

    columns: tuple[str, ...] = option(help="Columns whose values are kept.")
    history: str = option(default="history", help="List column of the versions, from the oldest to the current one.")

    laws = frozenset({Law.ASSOCIATIVE, Law.ORDER_INDEPENDENT, Law.IDEMPOTENT, Law.REPLAY_SAFE, Law.DELETE_STICKY})

    def adds(self, schema: pa.Schema, config: MergerConfig) -> Iterable[pa.Field]:
        """Return the column of the versions."""
        if self.history in schema.names:
            return ()
        time = schema.field(_clock(config)).type
        values = [(name, schema.field(name).type) for name in self.columns]
        return (pa.field(self.history, pa.list_(pa.struct([(FROM, time), (TO, time), *values]))),)

    def check(self, schema: pa.Schema, config: MergerConfig) -> None:
        """Raise unless the table has one ordering column and the columns to keep."""
        _clock(config)
        check_columns(schema, self.columns, "option 'columns' of 'validity'")

    def merge(self, older: Records, newer: Records, context: RecordContext, config: MergerConfig) -> Outcome:
        """Return the choice by ordering value, with the versions of both. A delete outranks every row."""
        later = newer.ordering.compare(older.ordering) >= 0
        take = (newer.is_delete > older.is_delete) | ((newer.is_delete == older.is_delete) & later)
        items, is_newer = joined(Items.of(self._versions(older, config)), Items.of(self._versions(newer, config)))
        live = ~older.is_delete & ~newer.is_delete
        return Outcome(take.astype(np.int8), {self.history: _closed(items, is_newer)}, patched=live)

    def _versions(self, records: Records, config: MergerConfig) -> pa.Array:
        """Return the column of the versions; a record that has met no other one has one version, its own."""
        type_ = records.schema.field(self.history).type
        time = records.column(_clock(config))
        given = {name: records.column(name) for name in self.columns}
        given |= {FROM: time, TO: pa.nulls(len(records), time.type)}
        fields = list(type_.value_type)
        own = pa.StructArray.from_arrays([given[field.name].cast(field.type) for field in fields], fields=fields)
        offsets = pa.array(np.arange(len(records) + 1, dtype=np.int32))
        return pc.coalesce(records.column(self.history), pa.ListArray.from_arrays(offsets, own).cast(type_))


def _closed(items: Items, is_newer: NDArray[np.bool_]) -> pa.Array:
    """Return lists sorted by time, without older versions of equal time; each version ends where the next begins.

    A list of one version is null.
    """
    begins = items.values.field(FROM)
    keys = pa.table({"row": items.rows, "has_time": begins.is_valid(), "time": begins, "newer": is_newer})
    order = pc.sort_indices(keys, [(name, "ascending") for name in keys.column_names])
    rows, values = items.rows[order.to_numpy()], items.values.take(order)
    follows = rows[1:] == rows[:-1]
    replaced = follows & (_times(values.slice(1)).compare(_times(values.slice(0, max(len(rows) - 1, 0)))) == 0)
    kept = Items(items.length, rows, values).keep(np.append(~replaced, True)[: len(rows)])
    follows = np.append(kept.rows[1:] == kept.rows[:-1], False)[: len(kept.rows)]
    places = pa.array(np.arange(1, len(kept.rows) + 1), mask=~follows)
    ends = kept.values.field(FROM).take(places)
    fields = list(items.values.type)
    arrays = [ends if field.name == TO else kept.values.field(field.name) for field in fields]
    alone = pa.array(np.bincount(kept.rows, minlength=kept.length) < 2)
    return pa.ListArray.from_arrays(kept.offsets(), pa.StructArray.from_arrays(arrays, fields=fields), mask=alone)


def _times(values: pa.StructArray) -> Ordering:
    return Ordering.of([FROM], [values.field(FROM)], len(values))


def _clock(config: MergerConfig) -> str:
    if len(config.ordering) != 1:
        raise OptionError(
            "merger 'validity' takes the time from which a version is valid from one ordering column; 'ordering' names "
            f"{len(config.ordering)}: {', '.join(config.ordering) or 'none'}"
        )
    return config.ordering[0]


@hookimpl
def hoodoo_merger() -> type[ValidityMerger]:
    """Return the class of the plugin."""
    return ValidityMerger
