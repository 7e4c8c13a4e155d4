"""Checks of the claimed laws of an aggregate function, with a merger for rows with one aggregated column."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from attrs import frozen

from hoodoo.errors import HoodooError, PluginFault
from hoodoo.plugin.helpers.column_function import ColumnFunction
from hoodoo.plugin.helpers.version_pairs import Pairs
from hoodoo.record import Law, MergerConfig, Outcome, RecordContext, Records
from hoodoo.testing.checks.generated import with_faults_reported
from hoodoo.testing.data.vector_records import Row, flagged
from hoodoo.testing.data.version_domain import Domain
from hoodoo.testing.laws.law_checks import check_laws
from hoodoo.testing.laws.pairwise import every_triple
from hoodoo.testing.suites.rule_subject import Subject

__all__ = ["LAWS_OF_VALUES", "check_function_law"]

LAWS_OF_VALUES = frozenset({Law.ASSOCIATIVE, Law.ORDER_INDEPENDENT, Law.IDEMPOTENT, Law.REPLAY_SAFE})
"""The laws about values; the other laws are about rows."""

_FEWEST = 2


@frozen
class _Aggregating:
    """Merger of one column that works like the merger `aggregate`."""

    function: ColumnFunction
    laws = frozenset[Law]()

    def merge(self, older: Records, newer: Records, context: RecordContext, config: MergerConfig) -> Outcome:
        """Return the outcome in which the remaining version of each pair gets the aggregated value.

        Of a row and a retraction, the row remains; otherwise the version with the greater ordering value, or the newer
        one if the values are equal.
        """
        pairs = Pairs.of(older, newer)
        larger = newer.ordering.compare(older.ordering) >= 0
        take = np.where(pairs.adding | pairs.retractions, larger, ~pairs.retracting)
        return Outcome(take.astype(np.int8), {self.function.column: pairs.aggregated(self.function)}, pairs.mixed)


@with_faults_reported
def check_function_law(
    label: str, function: ColumnFunction, law: Law, type_: str, values: Sequence[Any], *, deletes: bool
) -> bool:
    """Check a law for all triples of values of a type.

    If the function rejects a triple, the extreme values at the end of the pool are omitted.

    Args:
        label: The name of the function in messages.
        function: The function with its column.
        law: The law to check, one of `LAWS_OF_VALUES`.
        type_: The type of the column, in the notation of merge vectors.
        values: The values, plain values first.
        deletes: Whether the versions include deletes with values.

    Returns:
        True if the law was checked with two or more values; False if the function rejected even the first two, or
        if there are fewer.
    """
    columns = {"id": "string", "ts": "long", function.column: type_}
    config, domain = MergerConfig(record_key=("id",), ordering=("ts",)), Domain(columns, ("ts",))
    subject = Subject("merger", label, partial(_Aggregating, function), config, domain, ())
    for count in range(len(values), _FEWEST - 1, -1):
        rows = [_row(function.column, place, value) for place in range(3) for value in values[:count]]
        rows = [kind for row in rows for kind in ((row, flagged(row)) if deletes else (row,))]
        each = len(rows) // 3
        # the first of three versions has the least ordering value
        picks = every_triple(each) + each * np.arange(3)[:, np.newaxis]
        try:
            check_laws(subject, [law], rows, picks, columns)
        except PluginFault:
            raise
        except HoodooError:
            continue
        return True
    return False


def _row(column: str, place: int, value: Any) -> Row:
    return {"ts": place, column: value}
