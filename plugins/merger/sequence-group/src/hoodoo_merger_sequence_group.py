"""Groups of columns, each with a sequence column that decides which version of the group is newer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from attrs import field, frozen
from hoodoo_library_aggregates import column_functions, uses_of
from numpy.typing import NDArray

from hoodoo.errors import OptionError
from hoodoo.plugin import hookimpl, option
from hoodoo.plugin.helpers.column_function import ColumnFunction
from hoodoo.plugin.helpers.partial_update import fillable
from hoodoo.plugin.helpers.version_pairs import Pairs, retracted_from_null
from hoodoo.record import Law, MergerConfig, Ordering, Outcome, RecordContext, Records
from hoodoo.schema.columns import check_columns

__version__ = "0.1.0"

Mask = NDArray[np.bool_]


@frozen(slots=False)
class SequenceGroup:
    """Merger of Paimon's `partial-update` with sequence groups.

    A version replaces a group if the version's sequence for it is not null, and not less than the current sequence. A
    delete with data empties such a group instead; a key-only delete removes the row. Columns without a group keep their
    last value that is not null. In columns with an aggregate function, values are added, and those of a delete are
    subtracted.
    """

    sequence_groups: dict[str, tuple[str, ...]] = option(
        help="The columns of each group, by its sequence column, or by several sequence columns separated by commas: "
        '{"g_1": ["a", "b"], "g_2": ["c"]}.'
    )
    fields: dict[str, dict[str, Any]] = option(
        default={}, help='Aggregate functions of columns within their group: {"b": {"agg": "sum"}}.'
    )
    default_agg: str | None = option(
        default=None, help="The aggregate function of grouped columns that are not in `fields`."
    )
    remove_on: tuple[str, ...] = option(
        default=(), help="Sequence columns of which a value in a delete removes the whole row."
    )
    ignore_delete: bool = option(default=False, help="Drop deletes instead of applying them.")
    _groups: Mapping[tuple[str, ...], Mapping[str, ColumnFunction | None]] = field(init=False, repr=False)

    laws = frozenset({Law.ASSOCIATIVE, Law.IDEMPOTENT, Law.REPLAY_SAFE})
    keeps_with_deletes = ("*",)  # a delete empties groups by its sequences, and subtracts aggregated values
    reasons = MappingProxyType(
        {
            0: "one version is a delete, which removes the row, is ignored, or precedes the row",
            1: "each group of columns is that of the version with the greater sequence",
            2: "the newer version is a delete, which empties the groups whose sequence is not newer",
            3: "the older version is a delete, which empties the groups whose sequence is older",
            4: "both are deletes, which empty the groups whose sequences they have",
        }
    )

    def __attrs_post_init__(self) -> None:
        grouped = {column: self.fields.get(column, {}) for names in self.sequence_groups.values() for column in names}
        aggregated = {
            column: given for column, given in grouped.items() if "agg" in given or self.default_agg is not None
        }
        functions = column_functions(aggregated, self.default_agg or "")
        groups = {
            tuple(name.strip() for name in names.split(",")): {column: functions.get(column) for column in columns}
            for names, columns in self.sequence_groups.items()
        }
        sequences, columns = [n for names in groups for n in names], [c for group in groups.values() for c in group]
        if twice := sorted(name for name, count in Counter(sequences + columns).items() if count > 1):
            raise ValueError(
                f"'sequence_groups' names {', '.join(twice)} more than once; name each column once: in one group, "
                "or as a sequence of one group"
            )
        if loose := sorted(set(self.fields) - set(columns)):
            raise ValueError(f"'fields' must name columns of a sequence group; these are in none: {', '.join(loose)}")
        if unknown := sorted(set(self.remove_on) - set(sequences)):
            raise ValueError(f"'remove_on' must name sequence columns; these are not: {', '.join(unknown)}")
        object.__setattr__(self, "_groups", groups)
        object.__setattr__(self, "laws", self._claims())

    @property
    def uses(self) -> tuple[tuple[str, str], ...]:
        """Return the aggregate functions that the options select, as pairs of family and name."""
        return uses_of(self._functions)

    def uses_ordering(self, config: MergerConfig) -> bool:
        """Return False: each group has its own sequence."""
        return False

    def needs(self, schema: pa.Schema, config: MergerConfig) -> tuple[str, ...]:
        """Return the sequence columns."""
        return tuple(name for names in self._groups for name in names)

    def check(self, schema: pa.Schema, config: MergerConfig) -> None:
        """Check the columns of the table.

        Raises:
            OptionError: A sequence column is not a column of the table.
            SchemaError: A grouped column is not a column of the table, or a function does not accept its column.
        """
        for names, columns in self._groups.items():
            _check_sequence(schema, names)
            check_columns(schema, columns, "'sequence_groups' of merger 'sequence-group'")
        for function in self._functions:
            function.check(schema.field(function.column).type)

    def prepare(self, rows: Records, config: MergerConfig) -> dict[str, pa.Array]:
        """Return the columns whose incoming values are converted before they are added, such as those of a count."""
        return {f.column: f.prepare(rows.column(f.column)) for f in self._functions if f.prepares}

    def merge(self, older: Records, newer: Records, context: RecordContext, config: MergerConfig) -> Outcome:
        """Return the decisions, and the columns merged by their groups.

        The decision is KEEP for a delete that empties groups of a row, for a delete after one that removes the row, and
        for an ignored delete; otherwise it is TAKE.

        Raises:
            OptionError: A sequence column is not a column of the table.
            SchemaError: A function does not work with the type of its column.
            DataError: A function cannot subtract the values of a delete, or a result does not fit the column.
            PluginFault: A function raised another error, or did not return values of its column.
        """
        gone, going = older.is_delete, newer.is_delete
        if self.ignore_delete:
            pairs, take = Pairs.of(older, newer, gone | going), ~going
        else:
            fresh = gone & (~older.has_data | self._removes(older, None))
            removed = going & (~newer.has_data | self._removes(newer, older))
            pairs = Pairs.of(older, newer, fresh | removed)
            take = ~pairs.retracting & ~(fresh & going)
        reason = pairs.kind if context.explaining else None
        if not pairs.mixed.any():
            return Outcome(take.astype(np.int8), reason=reason)
        return Outcome(take.astype(np.int8), dict(self._patch(pairs, context.schema, config)), pairs.mixed, reason)

    def _patch(self, pairs: Pairs, schema: pa.Schema, config: MergerConfig) -> Iterator[tuple[str, pa.Array]]:
        older, newer = pairs.older, pairs.newer
        loose = dict.fromkeys(fillable(schema, config.record_key))
        for names, columns in self._groups.items():
            before, now = _sequence(older, names), _sequence(newer, names)
            later = ~now.absent & (now.compare(before) >= 0)
            for name in names:
                loose.pop(name, None)
                yield name, _chosen(later, older, newer, name)
            for name, function in columns.items():
                if name in loose:
                    del loose[name]
                    yield (
                        name,
                        _plain(pairs, name, later)
                        if function is None
                        else pairs.column(
                            name, _aggregated(pairs, function, before.absent, later, ~now.absent & ~later)
                        ),
                    )
        for name in loose:
            given = newer.column(name).is_valid().to_numpy(zero_copy_only=False)
            yield name, _chosen((pairs.adding & given) | pairs.pending, older, newer, name)

    def _removes(self, records: Records, older: Records | None) -> Mask:
        """Return the mask of versions with a `remove_on` sequence that is not less than that of `older`, if given."""
        removes = np.zeros(len(records), dtype=bool)
        for names in self._groups:
            if set(names) & set(self.remove_on):
                sequence = _sequence(records, names)
                current = True if older is None else sequence.compare(_sequence(older, names)) >= 0
                removes |= ~sequence.absent & current
        return removes

    @property
    def _functions(self) -> list[ColumnFunction]:
        return [f for columns in self._groups.values() for f in columns.values() if f is not None]

    def _claims(self) -> frozenset[Law]:
        functions = self._functions
        claims = self.laws.intersection(*(function.laws for function in functions))
        # a late version of a group is added before all earlier arrivals, regardless of its position among them
        if self.remove_on or any(Law.ORDER_INDEPENDENT not in function.laws for function in functions):
            claims -= {Law.ASSOCIATIVE}
        return claims


def _check_sequence(schema: pa.Schema, names: tuple[str, ...]) -> None:
    if missing := [name for name in names if schema.get_field_index(name) < 0]:
        raise OptionError(
            f"sequence column '{missing[0]}' of merger 'sequence-group' is not a column of the table; correct "
            "'sequence_groups'"
        )


def _sequence(records: Records, names: tuple[str, ...]) -> Ordering:
    _check_sequence(records.schema, names)
    return Ordering.of(names, [records.column(name) for name in names], len(records))


def _chosen(of_newer: Mask, older: Records, newer: Records, name: str) -> pa.Array:
    return pc.if_else(pa.array(of_newer), newer.column(name), older.column(name))


def _plain(pairs: Pairs, name: str, later: Mask) -> pa.Array:
    """Return a column that is replaced together with its group, and set to null by a retraction."""
    values = _chosen(later & (pairs.adding | pairs.pending), pairs.older, pairs.newer, name)
    empty = (pairs.retracting & later) | (pairs.pending & ~later)
    return pc.if_else(pa.array(~empty), values, pa.scalar(None, values.type)) if empty.any() else values


def _aggregated(pairs: Pairs, function: ColumnFunction, nothing: Mask, later: Mask, late: Mask) -> list[Any]:
    """Return pairs of a mask and the function for its rows; values with a null sequence are ignored."""
    given = later | late

    def take_newer(older: pa.Array, newer: pa.Array) -> pa.Array:
        return newer

    def add_before(older: pa.Array, newer: pa.Array) -> pa.Array:
        return function.add(newer, older)

    def rest_of_older(older: pa.Array, newer: pa.Array) -> pa.Array:
        return retracted_from_null(function, older)

    def add_to_rest(older: pa.Array, newer: pa.Array) -> pa.Array:
        return function.add(retracted_from_null(function, older), newer)

    def add_before_rest(older: pa.Array, newer: pa.Array) -> pa.Array:
        return function.add(newer, retracted_from_null(function, older))

    there = ~nothing
    both = pairs.adding | pairs.retractions
    return [
        (both & later & there, function.add),
        (both & late, add_before),
        (both & given & nothing, take_newer),
        (pairs.retracting & given & there, function.retract),
        (pairs.retracting & given & nothing, lambda older, newer: retracted_from_null(function, newer)),
        (pairs.pending & later & there, add_to_rest),
        (pairs.pending & late, add_before_rest),
        (pairs.pending & ~given & there, rest_of_older),
        (pairs.pending & given & nothing, take_newer),
        (pairs.pending & ~given & nothing, lambda older, newer: pa.nulls(len(newer), newer.type)),
    ]


@hookimpl
def hoodoo_merger() -> type[SequenceGroup]:
    """Return the class of the plugin."""
    return SequenceGroup
