"""Every column is aggregated by its own function: sums, largest values, lists and others."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
import pyarrow as pa
from attrs import evolve, field, frozen
from hoodoo_library_aggregates import column_functions, uses_of

from hoodoo.plugin import hookimpl, option
from hoodoo.plugin.helpers.column_function import ColumnFunction
from hoodoo.plugin.helpers.partial_update import fillable
from hoodoo.plugin.helpers.version_pairs import Pairs
from hoodoo.record import Law, MergerConfig, Outcome, RecordContext, Records
from hoodoo.schema.columns import check_columns

__version__ = "0.1.0"


@frozen(slots=False)
class Aggregate:
    """Merger of Paimon's `aggregation`, in which values are added in order of arrival.

    The row gets the greatest ordering value of the added versions. The values of a delete with data are subtracted; a
    key-only delete removes the row. Key, partition and ordering columns are not aggregated.
    """

    fields: dict[str, dict[str, Any]] = option(
        default={}, help='Functions by column: {"price": {"agg": "max"}, "tags": {"agg": "listagg", "delimiter": ";"}}.'
    )
    default_agg: str = option(default="last-non-null-value", help="The function of columns that `fields` leaves out.")
    _functions: Mapping[str, ColumnFunction] = field(init=False, repr=False)
    _default: ColumnFunction = field(init=False, repr=False)

    laws = frozenset({Law.IDEMPOTENT, Law.REPLAY_SAFE})
    keeps_with_deletes = ("*",)  # a delete subtracts the values of its columns
    reasons = MappingProxyType(
        {
            0: "the newer version is a key-only delete, which removes the row, or it follows one",
            1: "the newer version's values are added to the older one's",
            2: "the newer version is a delete with data, whose values are subtracted",
            3: "the older version is a delete with data, whose values are subtracted from the newer one's",
            4: "both are deletes with data, whose values are added",
        }
    )

    def __attrs_post_init__(self) -> None:
        functions = column_functions({**self.fields, "*": {}}, self.default_agg)
        object.__setattr__(self, "_default", functions.pop("*"))
        object.__setattr__(self, "_functions", functions)
        # the laws of the functions replace those of the default
        claims = [function.laws for function in (self._default, *functions.values())]
        object.__setattr__(self, "laws", frozenset.intersection(*claims))

    @property
    def uses(self) -> tuple[tuple[str, str], ...]:
        """Return the aggregate functions that the options select, as pairs of family and name."""
        return uses_of([self._default, *self._functions.values()])

    def needs(self, schema: pa.Schema, config: MergerConfig) -> tuple[str, ...]:
        """Return no columns: each column is aggregated separately."""
        return ()

    def check(self, schema: pa.Schema, config: MergerConfig) -> None:
        """Raise `SchemaError` if `fields` names a missing column, or if a function does not accept its column."""
        check_columns(schema, self.fields, "'fields' of merger 'aggregate'")
        for name in _aggregated(schema, config):
            self._function(name).check(schema.field(name).type)

    def prepare(self, rows: Records, config: MergerConfig) -> dict[str, pa.Array]:
        """Return the columns whose incoming values are converted before they are added, such as those of a count."""
        functions = map(self._function, _aggregated(rows.schema, config))
        return {f.column: f.prepare(rows.column(f.column)) for f in functions if f.prepares}

    def merge(self, older: Records, newer: Records, context: RecordContext, config: MergerConfig) -> Outcome:
        """Return the version with the greater ordering value, with its columns replaced by the aggregated values.

        A tie goes to the newer version. Of a row and a delete with data, the row is returned, regardless of ordering
        values. If a version is a key-only delete, the newer version is returned unchanged; a delete with data does not
        replace a key-only delete.

        Raises:
            SchemaError: A function does not work with the type of its column.
            DataError: A function cannot subtract the values of a delete, or a result does not fit the column.
            PluginFault: A function raised another error, or did not return values of its column.
        """
        pairs = Pairs.of(older, newer)
        larger = newer.ordering.compare(older.ordering) >= 0
        lost = older.is_delete & newer.is_delete & newer.has_data & ~older.has_data
        take = np.where(pairs.adding | pairs.retractions, larger, ~pairs.retracting & ~lost)
        choice, mixed = take.astype(np.int8), pairs.mixed
        reason = pairs.kind if context.explaining else None
        if not mixed.any():
            return Outcome(choice, reason=reason)
        names = _aggregated(context.schema, config)
        return Outcome(choice, {name: pairs.aggregated(self._function(name)) for name in names}, mixed, reason)

    def _function(self, name: str) -> ColumnFunction:
        return self._functions.get(name) or evolve(self._default, column=name)


def _aggregated(schema: pa.Schema, config: MergerConfig) -> list[str]:
    return fillable(schema, (*config.record_key, *config.partition_by, *config.ordering))


@hookimpl
def hoodoo_merger() -> type[Aggregate]:
    """Return the class of the plugin."""
    return Aggregate
