"""Merges of the versions of one record on the paths of the test kit, for comparison with the row of the table.

A merge-on-read table folds the versions in logs, then merges the result with the base row. A rule that is not
associative, or treats deletes in logs differently, may give another row if each version is written separately.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from attrs import frozen

from hoodoo.errors import HoodooError
from hoodoo.explain.explanation import OtherPath
from hoodoo.merge import Rule
from hoodoo.merge.fold import fold
from hoodoo.merge.match import MatchedRows, MergedBatch
from hoodoo.merge.plugin_checks import GuardedMerger
from hoodoo.reading.slice.log_records import joined
from hoodoo.record import Choice, Law, MergerConfig, Outcome, RecordContext, Records, Source
from hoodoo.record.delete_markers import OPERATION_COLUMN
from hoodoo.schema.columns import one_array
from hoodoo.schema.meta_columns import META_COLUMNS

__all__ = ["Versions", "other_paths"]

ONE_BY_ONE, BATCH, COMMITS = "one by one", "batch", "commits"
"""The paths, as `hoodoo.testing.Path` names them."""

_NOT_COMPARED = {*META_COLUMNS, OPERATION_COLUMN}


@frozen(eq=False)
class Versions:
    """Versions of one record in one file slice.

    Attributes:
        rule: The merge rule of the table.
        key: The record key.
        base: The base row; None if the base file has none.
        logged: The versions in logs, in order of arrival.
    """

    rule: Rule
    key: str
    base: pa.Table | None
    logged: Sequence[Source]

    @property
    def schema(self) -> pa.Schema:
        """Return the columns of the versions."""
        return self.logged[0].schema

    @property
    def stored(self) -> Source | None:
        """Return the base row as a version; None without a base row."""
        return None if self.base is None else self._stored(self.base)

    def in_one_fold(self) -> pa.Table | None:
        """Return the row of a fold of all versions, also the base row and deletes; None if the result is a delete."""
        rule, sources = self.rule, [*([] if self.stored is None else [self.stored]), *self.logged]
        source = joined(sources, self.schema, rule.payload_ordering)
        context = RecordContext(self.schema)
        folded = fold(source, None, _OneByOne(rule.storage), context, rule.config)
        return None if folded.is_delete[0] else self._row(folded)

    def in_one_batch(self) -> pa.Table | None:
        """Return the row after one write of all versions in logs; None if no row remains."""
        source = joined(list(self.logged), self.schema, self.rule.payload_ordering)
        return self._written(self.base, self.rule.fold(source))

    def in_commits(self) -> pa.Table | None:
        """Return the row after one write for each version in logs to a copy-on-write table; None if no row remains.

        Such a table keeps no deletes.
        """
        row = self.base
        for source in self.logged:
            row = self._written(row, source.records())
        return row

    def _written(self, stored: pa.Table | None, newer: Records) -> pa.Table | None:
        if stored is None:
            return self._inserted(newer)
        outcome = self.rule.combine(self._stored(stored).records(), newer)
        after = MergedBatch(MatchedRows.of(np.zeros(1, dtype=np.int64), newer, outcome), 1)
        if not len(after.keep):
            return None
        columns = [after.column(name, one_array(stored.column(name))) for name in stored.column_names]
        return pa.Table.from_arrays(columns, schema=stored.schema)

    def _inserted(self, newer: Records) -> pa.Table | None:
        outcome = self.rule.insert(newer)
        return self._row(newer, outcome.patch) if outcome.choice[0] == Choice.TAKE else None

    def _stored(self, row: pa.Table) -> Source:
        return self.rule.stored(row, self.schema, pa.array([self.key]))

    def _row(self, records: Records, patch: Mapping[str, pa.Array] | None = None) -> pa.Table:
        patch = patch or {}
        columns = [patch[name] if name in patch else records.column(name) for name in self.schema.names]
        return pa.Table.from_arrays(columns, schema=self.schema)


@frozen
class _OneByOne:
    """Merger without laws, so that versions are folded one by one."""

    merger: GuardedMerger
    laws = frozenset[Law]()

    def merge(self, older: Records, newer: Records, context: RecordContext, config: MergerConfig) -> Outcome:
        return self.merger.merge(older, newer, context, config)


def other_paths(versions: Versions, row: Mapping[str, Any] | None) -> tuple[OtherPath, ...]:
    """Return the paths that fail, or whose result is not the row of the table; () for fewer than two versions in logs.

    Args:
        versions: The versions of the record in a file slice.
        row: The row that a reader of the table gets; None if there is none.
    """
    if len(versions.logged) < 2:
        return ()  # nothing is folded, so that all paths are equal
    return tuple(_differing(versions, row))


def _differing(versions: Versions, row: Mapping[str, Any] | None) -> Iterator[OtherPath]:
    is_merger = versions.rule.batch is versions.rule.storage
    first: tuple[str, Callable[[], pa.Table | None]] = (
        # a merger folds a batch as it folds logs; a payload has another rule for storage than for a batch
        (ONE_BY_ONE, versions.in_one_fold) if is_merger else (BATCH, versions.in_one_batch)
    )
    for name, merged in (first, (COMMITS, versions.in_commits)):
        try:
            table = merged()
        except HoodooError as error:
            yield OtherPath(name, None, (), str(error))
            continue
        other = None if table is None else table.to_pylist()[0]
        if row is None or other is None:
            if row is not other:
                yield OtherPath(name, other, ())
            continue
        # compared as text because NaN is not equal to itself
        named = [key for key in row if key in other and key not in _NOT_COMPARED]
        if differing := tuple(key for key in named if repr(row[key]) != repr(other[key])):
            yield OtherPath(name, other, differing)
