"""Paths of the versions of a record through a table, executed in memory with the merge of the core.

A history is a stored row, or none, and the later versions in order of arrival. Many histories are merged at once, each
with its own key, so that a rule gets the same input as in a write: many keys, with one row per key.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from typing import Any

import numpy as np
import pyarrow as pa
from attrs import evolve, field, frozen
from numpy.typing import NDArray

from hoodoo.merge import Rule
from hoodoo.merge.fold import fold
from hoodoo.merge.match import MatchedRows, MergedBatch
from hoodoo.plugin.base import BaseMerger
from hoodoo.plugin.completion import defines
from hoodoo.record import Choice, Law, MergerConfig, Outcome, RecordContext, Records, Source
from hoodoo.testing.data.vector_records import Row, log_records, source_of, spelled, table_of

__all__ = ["History", "Path", "RowStore", "Tries", "live_rows", "play"]


class Path(Enum):
    """Path through a table. The other paths are compared with `ONE_BY_ONE`."""

    ONE_BY_ONE = "one by one"
    """The versions are merged one by one, the stored row first. Tombstones of a merger are kept. A payload, which has
    another rule for storage, merges each version with storage."""
    BATCH = "batch"
    """All versions are in one write."""
    COMMITS = "commits"
    """Each version is a write to a copy-on-write table, which keeps no tombstones."""
    LOG = "log"
    """Each version is a log record of a merge-on-read table that is read before a compaction."""
    COMPACTED = "compacted"
    """Like `LOG`, with a compaction after the first version and one at the end."""


@frozen
class History:
    """Stored row, or none, and the later versions, in the form of `testing.data.vector_records`."""

    stored: Row | None
    incoming: tuple[Row, ...]

    @property
    def rows(self) -> tuple[Row, ...]:
        """Return all versions, the stored one first."""
        return self.incoming if self.stored is None else (self.stored, *self.incoming)


@frozen
class Tries:
    """Histories for a test of a rule, each with its own key.

    Attributes:
        columns: The types by column name, in the notation of merge vectors.
        ordering: The ordering columns.
        histories: The histories.
        unread: Columns of the table that are not among `columns`, because the rule does not need them.
        rows: The versions of all histories.
        history: The number of the history of each row.
        firsts: The row of the first incoming version of each history.
        keys: The record key of each history: that of its first version, or its number if keys are not unique.
        table: The columns of the rows.
    """

    columns: Mapping[str, Any]
    ordering: tuple[str, ...]
    histories: Sequence[History]
    unread: frozenset[str] = frozenset()
    rows: list[Row] = field(init=False)
    history: list[int] = field(init=False)
    firsts: list[int] = field(init=False)
    keys: list[str] = field(init=False)
    table: pa.Table = field(init=False)

    @rows.default
    def _rows(self) -> list[Row]:
        return [row for history in self.histories for row in history.rows]

    @history.default
    def _history(self) -> list[int]:
        return [number for number, history in enumerate(self.histories) for _ in history.rows]

    @firsts.default
    def _incoming_begins(self) -> list[int]:
        firsts, count = [], 0
        for history in self.histories:
            firsts.append(count + (history.stored is not None))
            count += len(history.rows)
        return firsts

    @keys.default
    def _record_keys(self) -> list[str]:
        name = next(iter(self.columns))
        keys = [str(history.rows[0].get(name)) for history in self.histories]
        return keys if len(set(keys)) == len(keys) else [str(number) for number in range(len(keys))]

    @table.default
    def _table(self) -> pa.Table:
        return table_of(self.rows, self.columns, self.ordering)

    def stored(self, rule: Rule) -> RowStore:
        """Return the storage before the first write."""
        firsts = zip(self.firsts, self.histories, strict=True)
        places = [first - 1 for first, history in firsts if history.stored is not None]
        return RowStore(rule, self._take(places), self._keys(places), self.unread)

    def incoming(self, rule: Rule, versions: Sequence[tuple[int, int]], *, in_log: bool) -> Source:
        """Return incoming versions.

        Args:
            rule: The rule that merges them.
            versions: Pairs of the number of a history and the number of a version in it, from 0.
            in_log: Whether the versions are log records, whose deletes have only the columns that a log keeps.
        """
        places = [self.firsts[h] + v for h, v in versions]
        rows = [self.rows[place] for place in places]
        source = evolve(source_of(rule, rows, self._take(places), self._keys(places)), unread=self.unread)
        return log_records(rule, source) if in_log else source

    def folded(self, rule: Rule) -> Records:
        """Fold all versions one by one, including stored versions."""
        source = source_of(rule, self.rows, self.table, self._keys(range(len(self.rows))), incoming=False)
        source = evolve(source, unread=self.unread)
        return fold(source, None, _OneByOne(rule), RecordContext(source.schema), rule.config)

    def _take(self, places: list[int]) -> pa.Table:
        return self.table.take(pa.array(places, pa.int64()))

    def _keys(self, places: Iterable[int]) -> pa.Array:
        return pa.array([self.keys[self.history[place]] for place in places], pa.string())


def play(rule: Rule, tries: Tries, path: Path) -> list[dict[str, Any] | None]:
    """Return the resulting row of each history without its nulls, or None if there is no row."""
    if path is Path.ONE_BY_ONE and rule.batch is rule.storage:
        return _one_by_one(rule, tries)
    storage = tries.stored(rule)
    through_log = path in (Path.LOG, Path.COMPACTED)
    for versions in _writes(tries.histories, path):
        source = tries.incoming(rule, versions, in_log=through_log)
        if len(source):
            storage.write(rule.fold_log(source) if through_log else rule.fold(source))
    return live_rows(tries.keys, storage.records())


def _one_by_one(rule: Rule, tries: Tries) -> list[dict[str, Any] | None]:
    """Return the rows after a merger folded all versions one by one.

    If the merger has a method `insert`, the results for keys that are not stored pass through it.
    """
    folded = tries.folded(rule)
    rows = live_rows(tries.keys, folded)
    if not defines(rule.storage.merger, BaseMerger, "insert"):
        return rows
    new = {key for key, history in zip(tries.keys, tries.histories, strict=True) if history.stored is None}
    places = [place for place, key in enumerate(folded.keys.to_pylist()) if key in new]
    storage = RowStore(rule, tries.table.slice(0, 0), pa.array([], pa.string()))
    storage.write(folded.take(np.array(places, dtype=np.int64)))
    inserted = live_rows(tries.keys, storage.records())
    return [late if key in new else row for key, row, late in zip(tries.keys, rows, inserted, strict=True)]


def _writes(histories: Sequence[History], path: Path) -> list[list[tuple[int, int]]]:
    """Return the writes of a path, each as a list of pairs: the number of a history, and that of a version in it."""
    everything = [(h, v) for h, history in enumerate(histories) for v in range(len(history.incoming))]
    if path in (Path.BATCH, Path.LOG):
        return [everything]
    last = max((v for _, v in everything), default=0)
    bounds = [1] if path is Path.COMPACTED else range(1, last + 1)
    steps = itertools.pairwise([0, *bounds, last + 1])
    return [[(h, v) for h, v in everything if low <= v < high] for low, high in steps]


@frozen
class _OneByOne:
    """Merger that claims no laws, so that versions are folded one by one."""

    rule: Rule
    laws = frozenset[Law]()

    def merge(self, older: Records, newer: Records, context: RecordContext, config: MergerConfig) -> Outcome:
        return self.rule.batch.merge(older, newer, context, config)


class RowStore:
    """Stored rows, one per key, and writes to them."""

    def __init__(self, rule: Rule, table: pa.Table, keys: pa.Array, unread: frozenset[str] = frozenset()) -> None:
        self.rule = rule
        self.table = table
        self.keys = keys
        self.unread = unread

    def records(self) -> Records:
        """Return the stored rows."""
        return evolve(self.rule.stored(self.table, self.table.schema, self.keys), unread=self.unread).records()

    def write(self, newer: Records) -> None:
        """Merge records, one per key, with the stored rows."""
        place = {key: row for row, key in enumerate(self.keys.to_pylist())}
        found = np.array([place.get(key, -1) for key in newer.keys.to_pylist()], dtype=np.int64)
        self._update(newer.take(np.flatnonzero(found >= 0)), found[found >= 0])
        self._insert(newer.take(np.flatnonzero(found < 0)))

    def _update(self, newer: Records, rows: NDArray[np.int64]) -> None:
        if not len(newer):
            return
        outcome = self.rule.combine(self.records().take(rows), newer)
        after = MergedBatch(MatchedRows.of(rows, newer, outcome), self.table.num_rows)
        columns = [after.column(name, self.table[name].combine_chunks()) for name in self.table.column_names]
        self.table = pa.table(columns, schema=self.table.schema)
        self.keys = self.keys.take(pa.array(after.keep))

    def _insert(self, newer: Records) -> None:
        if not len(newer):
            return
        outcome = self.rule.insert(newer)
        admitted = np.flatnonzero(outcome.choice == Choice.TAKE)
        patch = {name: values.take(pa.array(admitted)) for name, values in outcome.patch.items()}
        newer = newer.take(admitted)
        newer = evolve(newer, patches={**newer.patches, **patch})
        columns = [newer.column(name) for name in self.table.column_names]
        self.table = pa.concat_tables([self.table, pa.table(columns, schema=self.table.schema)])
        self.keys = pa.concat_arrays([self.keys, newer.keys])


def live_rows(keys: Sequence[str], records: Records) -> list[dict[str, Any] | None]:
    """Return the live row of each record key, or None if there is none."""
    found = dict(zip(records.keys.to_pylist(), spelled(records), strict=True))
    rows = [found.get(key) for key in keys]
    return [None if row is None or "$delete" in row else row for row in rows]
