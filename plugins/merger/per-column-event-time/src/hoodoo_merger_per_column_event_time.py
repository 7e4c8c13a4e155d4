"""Each column keeps its own ordering value, so that partial updates of several sources converge in any order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from attrs import frozen
from numpy.typing import NDArray

from hoodoo.errors import OptionError, SchemaError
from hoodoo.plugin import hookimpl, option
from hoodoo.plugin.helpers.ordering_reasons import ORDERING_REASONS, ordering_reason
from hoodoo.plugin.helpers.partial_update import absent, fillable
from hoodoo.record import Law, MergerConfig, Ordering, Outcome, RecordContext, Records

__version__ = "0.1.0"

Mask = NDArray[np.bool_]
MIXED = 100


@frozen
class PerColumnEventTime:
    """Merger in which the last writer of each column wins. Null means that the version does not set the column.

    A value has the ordering value of its row, unless the row's map of orderings has one for its column. A column in the
    map is set even if it is null: a source or a delete set it to null. A delete removes a row that is not newer. In a
    newer row, the columns that are not newer than the delete become null.
    """

    column: str = option(
        default="_column_ordering",
        help="The map column, which maps column names to ordering values; it is added to rows that do not have it.",
    )

    laws = frozenset(set(Law) - {Law.SCHEMA_LOCAL})
    reasons = ORDERING_REASONS | {
        MIXED: "each column is from the version with the greater ordering value for it; in a delete, all are null"
    }

    # no `needs`: a late record that sets a column changes the commit time of the row, so a read needs all columns

    def adds(self, schema: pa.Schema, config: MergerConfig) -> Iterable[pa.Field]:
        """Return the map column, whose values have the type of the ordering column; nothing if the schema has it.

        Raises:
            OptionError: Not exactly one ordering column is configured.
            SchemaError: The ordering column is not a top-level column, or the map column has another type.
        """
        ordering = _ordering_column(config)
        if ordering not in schema.names:
            raise SchemaError(
                f"'ordering' names '{ordering}', which is not a top-level column of the table, and merger "
                "'per-column-event-time' needs one; name one"
            )
        item = schema.field(ordering).type
        if self.column not in schema.names:
            return [pa.field(self.column, pa.map_(pa.string(), item))]
        found = schema.field(self.column).type
        if not pa.types.is_map(found) or (found.key_type, found.item_type) != (pa.string(), item):
            raise SchemaError(
                f"column '{self.column}' has type {found}, and merger 'per-column-event-time' keeps the ordering "
                f"values of columns in it, as {pa.map_(pa.string(), item)}; cast it, or set another column in the "
                "option 'column'"
            )
        return []

    def merge(self, older: Records, newer: Records, context: RecordContext, config: MergerConfig) -> Outcome:
        """Return TAKE or KEEP by the ordering value of the row, with each column merged by its own ordering value.

        A delete without an ordering value removes all earlier versions, and all versions are accepted after it.

        Raises:
            OptionError: The table does not have the map column, or not exactly one ordering column is configured.
        """
        _ordering_column(config)
        if self.column not in context.schema.names:
            raise OptionError(
                f"merger 'per-column-event-time' needs column '{self.column}', which the table does not have; add it"
            )
        gone, going = older.is_delete, newer.is_delete
        deleted_for_good = gone & older.ordering.absent & going & ~newer.has_data
        later_row = newer.ordering.compare(older.ordering)
        take = (going & newer.ordering.absent) | (later_row >= 0)
        take &= ~deleted_for_good
        choice = take.astype(np.int8)
        reason = ordering_reason(
            context,
            older,
            newer,
            take,
            applied=going & newer.ordering.absent & take,
            followed=gone & older.ordering.absent,
        )
        # the result is a row, and neither side is an unconditional delete
        mixed = np.where(take, ~going, ~gone) & ~(gone & older.ordering.absent)
        if not mixed.any():
            return Outcome(choice, reason=reason)

        before, now = _Versions.of(older, self.column), _Versions.of(newer, self.column)
        # a version without a map would get the map of the other version
        changed = np.where(take, absent(newer, self.column), absent(older, self.column))
        patch: dict[str, pa.Array] = {}
        orderings: dict[str, pa.Array] = {}
        for name in fillable(context.schema, (*config.record_key, *config.ordering, self.column)):
            old, new = before.column(name), now.column(name)
            if before.is_whole(old) and now.is_whole(new):
                continue  # the value of the winner, which has the ordering value of its row
            if before.named is None and now.named is None:
                later = np.where(old.given & new.given, later_row, new.given.astype(np.int8) - old.given)
            else:
                later = _compare(new.ordering, old.ordering)
            chosen = (later > 0) | ((later == 0) & new.given)
            changed |= (chosen != take) & (old.given | new.given)
            changed |= np.where(take, new.lacking, old.lacking)
            patch[name] = pc.if_else(pa.array(chosen), new.values, old.values)
            orderings[name] = pc.if_else(pa.array(chosen), new.ordering, old.ordering)
        patched = mixed & changed
        if not patched.any():
            return Outcome(choice, reason=reason)
        row = pc.if_else(pa.array(take), now.row, before.row)
        patch[self.column] = _as_map(patch, orderings, row, patched, context.schema.field(self.column).type)
        if reason is not None:
            reason[patched] = MIXED
        return Outcome(choice, patch, patched, reason)


@frozen(eq=False)
class _Column:
    """One column of n versions.

    Attributes:
        values: The values of the column; null for a delete.
        ordering: The ordering value of each value; null if it has none.
        given: The mask of versions that set the column.
        lacking: The mask of versions that set the column to null in their map and whose data do not have the column;
            without a patch they would get the value of the other version.
    """

    values: pa.Array
    ordering: pa.Array
    given: Mask
    lacking: Mask


@frozen(eq=False)
class _Versions:
    """Versions of n records, with the ordering values of rows and columns.

    Attributes:
        records: The versions, whose columns `column` reads.
        row: The ordering values of the rows.
        deletes: The mask of deletes.
        named: The maps from column name to ordering value; None if all maps are null.
    """

    records: Records
    row: pa.Array
    deletes: Mask
    named: pa.Array | None

    @classmethod
    def of(cls, records: Records, column: str) -> _Versions:
        """Return the versions, with the maps of ordering values in `column`."""
        named = records.column(column)
        row = records.ordering.values[0]
        if row.type != named.type.item_type:
            row = row.cast(named.type.item_type)
        return cls(records, row, records.is_delete, None if named.null_count == len(named) else named)

    def is_whole(self, column: _Column) -> bool:
        """Return whether all versions have the column with the ordering value of their row."""
        return self.named is None and not self.deletes.any() and column.values.null_count == 0

    def column(self, name: str) -> _Column:
        """Return a column. A delete sets all columns to null."""
        values, deletes = self.records.column(name), self.deletes
        if deletes.any():
            values = pc.if_else(pa.array(deletes), pa.scalar(None, values.type), values)
        ordering, given = self.row, _mask(values.is_valid()) | deletes
        if not given.all():
            ordering = pc.if_else(pa.array(given), ordering, pa.scalar(None, ordering.type))
        if self.named is not None:
            # no value of a row is newer than the row
            entry = pc.map_lookup(self.named, pa.scalar(name), "last")
            counts = _mask(entry.is_valid()) & ~deletes
            older = counts & (_compare(entry, self.row) <= 0)
            ordering = pc.if_else(pa.array(older), entry, pc.if_else(pa.array(counts), self.row, ordering))
            given |= counts
        return _Column(values, ordering, given, given & ~deletes & absent(self.records, name))


def _as_map(
    values: Mapping[str, pa.Array],
    orderings: Mapping[str, pa.Array],
    row: pa.Array,
    rows: Mask,
    type_: pa.MapType,
) -> pa.Array:
    """Return the maps of ordering values of rows; null for a row without entries.

    A map has an entry for each column that is older than its row, or that was set to null.
    """
    places, codes = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    items = [pa.array([], type_.item_type)]
    for code, name in enumerate(orderings):
        ordering = orderings[name]
        plain = _mask(values[name].is_valid()) & (_compare(ordering, row) == 0)
        named = rows & _mask(ordering.is_valid()) & ~plain
        place = np.flatnonzero(named)
        places.append(place)
        codes.append(np.full(len(place), code))
        items.append(ordering.filter(pa.array(named)))
    place = np.concatenate(places)
    order = np.argsort(place, kind="stable")
    counts = np.bincount(place, minlength=len(rows))
    empty = np.append(counts == 0, False)
    offsets = pa.array(np.append(0, np.cumsum(counts)), pa.int32(), mask=empty)
    keys = pa.array(list(orderings), pa.string()).take(pa.array(np.concatenate(codes)[order]))
    return pa.MapArray.from_arrays(offsets, keys, pa.concat_arrays(items).take(pa.array(order)), type_)


def _compare(left: pa.Array, right: pa.Array) -> NDArray[np.int8]:
    """Compare ordering values by row: -1, 0 or 1; null is the lowest."""
    one, other = (Ordering.of(("",), [values], len(values)) for values in (left, right))
    return one.compare(other)


def _mask(array: pa.Array) -> Mask:
    mask: Mask = array.to_numpy(zero_copy_only=False)
    return mask


def _ordering_column(config: MergerConfig) -> str:
    if len(config.ordering) != 1:
        named = ", ".join(config.ordering) or "none"
        raise OptionError(f"merger 'per-column-event-time' compares one column, and 'ordering' names {named}; name one")
    return config.ordering[0]


@hookimpl
def hoodoo_merger() -> type[PerColumnEventTime]:
    """Return the class of the plugin."""
    return PerColumnEventTime
