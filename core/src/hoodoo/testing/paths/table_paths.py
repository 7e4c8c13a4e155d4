"""The ways that versions of a record take through a table, played in memory with the core's own merge.

A history is a stored row, or none, and the versions that come after it in order of arrival. Many histories are played
at once, each under a key of its own, so that a rule sees what it sees in a write: one row per key, many keys.
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
from hoodoo.record import Choice, Law, MergerConfig, Outcome, RecordContext, Records, Source
from hoodoo.testing.data.vector_records import Row, delete, deletes_of, source_of, spelled, table_of

__all__ = ["History", "Path", "Storage", "Tries", "play"]


class Path(Enum):
    """A way through a table; `ONE_BY_ONE` is what the others are compared with."""

    ONE_BY_ONE = "one by one"
    """The versions meet one after the other, the stored row first. A merger's tombstones stay; a payload, which has a
    rule of its own for storage, meets storage every time."""
    BATCH = "batch"
    """All versions come in one write."""
    COMMITS = "commits"
    """Every version is a write to a copy-on-write table, which keeps no tombstone."""
    LOG = "log"
    """Every version is a log record of a merge-on-read table, which is read before any compaction."""
    COMPACTED = "compacted"
    """As `LOG`, with a compaction after the first version and one at the end."""


@frozen
class History:
    """A stored row, or none, and the versions that come after it, in the form of `testing.data.vector_records`."""

    stored: Row | None
    incoming: tuple[Row, ...]

    @property
    def rows(self) -> tuple[Row, ...]:
        """All versions, the stored one first."""
        return self.incoming if self.stored is None else (self.stored, *self.incoming)


@frozen
class Tries:
    """Histories to try a rule with, each under a key of its own.

    Attributes:
        columns: Types by column name, as merge vectors name them.
        ordering: The ordering columns.
        histories: The histories.
        rows: All their versions.
        history: Which history each of the rows belongs to.
        firsts: Where among the rows the incoming versions of each history begin.
        keys: The record key of each history: what its first version says, or its number where two say the same.
        table: The columns of the rows.
    """

    columns: Mapping[str, Any]
    ordering: tuple[str, ...]
    histories: Sequence[History]
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

    def stored(self, rule: Rule) -> Storage:
        """What is stored before anything comes."""
        firsts = zip(self.firsts, self.histories, strict=True)
        places = [first - 1 for first, history in firsts if history.stored is not None]
        return Storage(rule, self._take(places), self._keys(places))

    def incoming(self, rule: Rule, versions: Sequence[tuple[int, int]], *, tombstones: bool) -> Source:
        """Some versions as they come; `tombstones` makes key-only deletes of all deletes, as a log keeps them.

        Args:
            rule: What they come to.
            versions: History and number of each.
            tombstones: Whether a log lies between.
        """
        places = [self.firsts[h] + v for h, v in versions]
        rows, table = [self.rows[place] for place in places], self._take(places)
        if tombstones:
            deletes = deletes_of(rows)
            rows = [delete("") if gone else row for row, gone in zip(rows, deletes, strict=True)]
            table = _emptied(table, deletes, self.ordering)
        return source_of(rule, rows, table, self._keys(places))

    def folded(self, rule: Rule) -> Records:
        """All versions, stored ones included, one after the other."""
        source = source_of(rule, self.rows, self.table, self._keys(range(len(self.rows))), incoming=False)
        return fold(source, None, _OneByOne(rule), RecordContext(source.schema), rule.config)

    def _take(self, places: list[int]) -> pa.Table:
        return self.table.take(pa.array(places, pa.int64()))

    def _keys(self, places: Iterable[int]) -> pa.Array:
        return pa.array([self.keys[self.history[place]] for place in places], pa.string())


def play(rule: Rule, tries: Tries, path: Path) -> list[dict[str, Any] | None]:
    """The row that each history leaves, without its nulls; None where there is none."""
    if path is Path.ONE_BY_ONE and rule.batch is rule.storage:
        return _live(tries.keys, tries.folded(rule))
    storage = tries.stored(rule)
    through_log = path in (Path.LOG, Path.COMPACTED)
    for versions in _writes(tries.histories, path):
        source = tries.incoming(rule, versions, tombstones=through_log)
        if len(source):
            storage.write(rule.fold_log(source) if through_log else rule.fold(source))
    return _live(tries.keys, storage.records())


def _writes(histories: Sequence[History], path: Path) -> list[list[tuple[int, int]]]:
    """(history, version) of what meets storage at once, meeting after meeting."""
    everything = [(h, v) for h, history in enumerate(histories) for v in range(len(history.incoming))]
    if path in (Path.BATCH, Path.LOG):
        return [everything]
    last = max((v for _, v in everything), default=0)
    bounds = [1] if path is Path.COMPACTED else range(1, last + 1)
    steps = itertools.pairwise([0, *bounds, last + 1])
    return [[(h, v) for h, v in everything if low <= v < high] for low, high in steps]


@frozen
class _OneByOne:
    """The rule without its claims: it is folded one version after the other."""

    rule: Rule
    laws = frozenset[Law]()

    def merge(self, older: Records, newer: Records, context: RecordContext, config: MergerConfig) -> Outcome:
        return self.rule.batch.merge(older, newer, context, config)


class Storage:
    """Stored rows, one per key, and what writes make of them."""

    def __init__(self, rule: Rule, table: pa.Table, keys: pa.Array) -> None:
        self.rule = rule
        self.table = table
        self.keys = keys

    def records(self) -> Records:
        """The stored rows."""
        return self.rule.stored(self.table, self.table.schema, self.keys).records()

    def write(self, newer: Records) -> None:
        """Each of the records, one per key, meets what is stored."""
        place = {key: row for row, key in enumerate(self.keys.to_pylist())}
        found = np.array([place.get(key, -1) for key in newer.keys.to_pylist()], dtype=np.int64)
        self._meet(newer.take(np.flatnonzero(found >= 0)), found[found >= 0])
        self._insert(newer.take(np.flatnonzero(found < 0)))

    def _meet(self, newer: Records, rows: NDArray[np.int64]) -> None:
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


def _emptied(table: pa.Table, rows: NDArray[np.bool_], ordering: Sequence[str]) -> pa.Table:
    """The table with nulls in the given rows, but for the ordering columns."""
    kept = {name.partition(".")[0] for name in ordering}
    places = pa.array(np.arange(len(rows)), mask=rows)
    columns = [table[name] if name in kept else table[name].take(places) for name in table.column_names]
    return pa.table(columns, schema=table.schema)


def _live(keys: Sequence[str], records: Records) -> list[dict[str, Any] | None]:
    """The rows by record key; None where there is none."""
    found = dict(zip(records.keys.to_pylist(), spelled(records), strict=True))
    rows = [found.get(key) for key in keys]
    return [None if row is None or "$delete" in row else row for row in rows]
