"""Recorder of the versions of one key in a merge, and of the decisions of the rule."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

import attrs
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from attrs import define, evolve, field, frozen
from numpy.typing import NDArray

from hoodoo.explain.explanation import Decision, Version
from hoodoo.explain.other_paths import Versions
from hoodoo.format.log import LogBlock
from hoodoo.merge import Rule
from hoodoo.merge.match import MatchedRows
from hoodoo.merge.plugin_checks import GuardedMerger
from hoodoo.reading.schema.stored_names import StoredNames
from hoodoo.record import Choice, MergerConfig, Ordering, Outcome, RecordContext, Records, Source
from hoodoo.record.delete_markers import OPERATION_COLUMN
from hoodoo.schema.columns import column_at, null_array, one_array
from hoodoo.schema.meta_columns import COMMIT_TIME

__all__ = ["Trace"]

Numbers = dict[int, int]
"""Version numbers by row."""


@define
class Trace:
    """Recorder of one key during the merge of a slice; see `hoodoo.reading.slice.slice_reader.Watch`.

    Attributes:
        key: The record key.
        path: The path of the base file; None if the slice has none.
        ordering: The ordering columns.
        instant: The instant of the base file; "" if it does not matter, because no column has another name.
        names: The names of columns in older files.
        versions: The versions of the key in the order of the merge, logs first; after `in_order`, in order of arrival.
        decisions: The decisions of the rule about the versions.
    """

    key: str
    path: str | None
    ordering: tuple[str, ...]
    instant: str = ""
    names: StoredNames = StoredNames()
    versions: list[Version] = field(init=False, factory=list)
    decisions: list[Decision] = field(init=False, factory=list)
    _stored: list[pa.Table] = field(init=False, factory=list)
    _logged: list[Source] = field(init=False, factory=list)
    _rule: Rule | None = field(init=False, default=None)
    _gathered: list[int] = field(init=False, factory=list)
    _folding: Numbers = field(init=False, factory=dict)
    _base: Numbers = field(init=False, factory=dict)
    _base_rows: int = field(init=False, default=0)
    _unmatched: list[int] = field(init=False, factory=list)
    _surviving: list[int] = field(init=False, factory=list)
    _last: list[int] = field(init=False, factory=list)
    _has_matched: bool = field(init=False, default=False)

    def in_order(self) -> Trace:
        """Return a copy with the versions numbered in order of arrival: a base row arrived before the logs."""
        order = sorted(self.versions, key=lambda version: version.place != "base")
        numbers = {version.number: place for place, version in enumerate(order, 1)}
        trace = Trace(self.key, self.path, self.ordering, self.instant, self.names)
        trace.versions = [evolve(version, number=numbers[version.number]) for version in order]
        trace.decisions = [
            evolve(d, older=None if d.older is None else numbers[d.older], newer=numbers[d.newer])
            for d in self.decisions
        ]
        trace._surviving = [numbers[number] for number in self.surviving]
        return trace

    @property
    def replayable(self) -> Versions | None:
        """Return the versions for merges on other paths; None if no log has the key, or several base rows have it."""
        if self._rule is None or len(self._stored) > 1 or not self._logged:
            return None
        return Versions(self._rule, self.key, self._stored[0] if self._stored else None, self._logged)

    @property
    def surviving(self) -> list[int]:
        """Return the number of the winning version of each row of the slice, in the order of the rows."""
        return self._surviving + self._unmatched + self._last

    def rule(self, rule: Rule) -> Rule:
        """Return a rule that merges as the given one and reports its calls to this recorder."""
        self._rule = rule
        parts = {name: getattr(rule, name) for name in attrs.fields_dict(Rule)}
        parts["log"] = _RecordedMerger(rule.log.merger, rule.log.label, rule.log.whole_versions, self._paired)
        return _RecordedRule(**(parts | {"explaining": True}), trace=self)

    def logged(self, block: LogBlock, versions: Source, rows: NDArray[np.int64]) -> None:
        """Record and number the versions of the key in a log block; `rows` are the row numbers in the block."""
        for row in self._rows(versions.keys):
            data = _data(versions.table, row, {n for n, has in versions.present.items() if not has[row]})
            is_delete = bool(versions.records(np.array([row])).is_delete[0])
            has_data, ordering = bool(versions.has_data[row]), _values(versions.ordering, row)
            self._add(
                "log",
                data.get(COMMIT_TIME) or block.instant or None,
                (block.file, block.offset, int(rows[row])),
                _delete_kind(is_delete, has_data, ordering),
                ordering,
                data if has_data else None,
                block.instant if has_data else None,
            )
            self._gathered.append(len(self.versions))
            self._logged.append(_only(versions, row))

    def stored(self, rows: pa.Table, keys: pa.Array) -> None:
        """Record and number the versions of the key in a batch of base rows."""
        self._surviving, self._unmatched, self._base = self._surviving + self._unmatched, [], {}
        assert self.path is not None
        for row in self._rows(keys):
            columns = [column_at(rows, name) for name in self.ordering]
            arrays = [
                null_array(rows.schema, name, rows.num_rows) if column is None else one_array(column)
                for name, column in zip(self.ordering, columns, strict=True)
            ]
            data, ordering = _data(rows, row), _values(Ordering.of(self.ordering, arrays, rows.num_rows), row)
            place = (self.path, None, self._base_rows + row)
            self._stored.append(rows.slice(row, 1).combine_chunks())
            self._base[row] = self._add("base", data.get(COMMIT_TIME), place, None, ordering, data, self.instant)
        self._unmatched = list(self._base.values())
        self._base_rows += rows.num_rows

    def folding(self, source: Source) -> None:
        """Record the rows of the versions before they are folded."""
        self._folding = dict(zip(self._rows(source.keys), self._gathered, strict=True))

    def folded(self, records: Records) -> None:
        """Record the result of a fold, which may be folded again with later versions."""
        self._gathered = [self._folding[row] for row in records.rows[self._rows(records.keys)].tolist()]

    def matched(self, stored: Records, newer: Records, outcome: Outcome, merger: GuardedMerger) -> None:
        """Record the decisions about base rows and the folded logs."""
        match = MatchedRows.of(stored.rows, newer, outcome)
        for pair in self._rows(newer.keys):
            older = self._base[int(stored.rows[pair])]
            self._decide("base", older, self._gathered[0], outcome, pair, merger)
            if match.removed[pair]:
                self._unmatched.remove(older)
            elif match.changed[pair]:
                # the reader puts rows with changed columns at the end of their batch, and records that win as a whole
                # at the end of all rows
                is_last = match.taken[pair] and not self._has_matched and not newer.source.present
                self._unmatched.remove(older)
                winner = self._gathered[0] if outcome.choice[pair] == Choice.TAKE else older
                (self._last if is_last else self._unmatched).append(winner)
            self._has_matched = True

    def inserted(self, newer: Records, outcome: Outcome, merger: GuardedMerger) -> None:
        """Record the decisions about records without a base row."""
        for row in self._rows(newer.keys):
            self._decide("insert", None, self._gathered[0], outcome, row, merger)
            if outcome.choice[row] == Choice.TAKE:
                self._last.append(self._gathered[0])

    def _paired(self, older: Records, newer: Records, outcome: Outcome, merger: GuardedMerger) -> None:
        for pair in self._rows(newer.keys):
            numbers = self._folding[int(older.rows[pair])], self._folding[int(newer.rows[pair])]
            self._decide("logs", *numbers, outcome, pair, merger)

    def _decide(
        self, stage: str, older: int | None, newer: int, outcome: Outcome, pair: int, merger: GuardedMerger
    ) -> None:
        choice = Choice(outcome.choice[pair])
        code = None if outcome.reason is None else int(outcome.reason[pair])
        sentence = None if code is None else merger.reasons.get(code)
        is_patched = outcome.patched is None or bool(outcome.patched[pair])
        changed = {name: values[pair].as_py() for name, values in outcome.patch.items()} if is_patched else {}
        reason = sentence or self._generic(stage, newer, choice, merger.label)
        if changed and choice is Choice.DELETE:
            changed = {}
        known = code if sentence else None
        self.decisions.append(Decision(stage, older, newer, choice.name.lower(), changed, reason, known))

    def _generic(self, stage: str, newer: int, choice: Choice, label: str) -> str:
        if stage == "insert":
            if choice is Choice.TAKE:
                return "no base row has the key, so nothing is compared"
            is_delete = self.versions[newer - 1].delete is not None
            return "a delete without a base row has no effect" if is_delete else f"{label} omits the record"
        does = {Choice.KEEP: "keeps the older version", Choice.TAKE: "takes the newer version"}
        return f"{label} {does.get(choice, 'deletes the record')}, and gives no reason"

    def _rows(self, keys: pa.Array) -> list[int]:
        found: list[int] = np.flatnonzero(pc.equal(keys, self.key).to_numpy(zero_copy_only=False)).tolist()
        return found

    def _add(
        self,
        where: str,
        commit: str | None,
        place: tuple[str, int | None, int],
        delete: str | None,
        ordering: Mapping[str, Any] | None,
        data: Mapping[str, Any] | None,
        instant: str | None,
    ) -> int:
        number = len(self.versions) + 1
        names = self.names.other_names(instant) if instant else {}
        self.versions.append(Version(number, where, commit, *place, delete, ordering, data, names))
        return number


@frozen
class _RecordedMerger(GuardedMerger):
    """Merger that reports every pair to the recorder."""

    paired: Callable[[Records, Records, Outcome, GuardedMerger], None]

    def merge(self, older: Records, newer: Records, context: RecordContext, config: MergerConfig) -> Outcome:
        outcome = super().merge(older, newer, context, config)
        self.paired(older, newer, outcome, self)
        return outcome


@frozen
class _RecordedRule(Rule):
    """Rule that reports every fold, match and insert to the recorder."""

    trace: Trace = field(kw_only=True)

    def fold_log(self, source: Source) -> Records:
        self.trace.folding(source)
        records = super().fold_log(source)
        self.trace.folded(records)
        return records

    def combine(self, stored: Records, incoming: Records) -> Outcome:
        outcome = super().combine(stored, incoming)
        self.trace.matched(stored, incoming, outcome, self.storage)
        return outcome

    def insert(self, incoming: Records) -> Outcome:
        outcome = super().insert(incoming)
        self.trace.inserted(incoming, outcome, self.storage)
        return outcome


def _data(rows: pa.Table, row: int, lacking: Collection[str] = ()) -> dict[str, Any]:
    values: dict[str, Any] = rows.slice(row, 1).to_pylist()[0]
    if values.get(OPERATION_COLUMN) is None:
        values.pop(OPERATION_COLUMN, None)
    absent = frozenset(lacking)
    return {name: value for name, value in values.items() if name not in absent}


def _only(source: Source, row: int) -> Source:
    """Return one version of a source."""
    rows = np.array([row])
    return evolve(
        source,
        table=source.table.take(pa.array(rows)).combine_chunks(),
        keys=source.keys.take(pa.array(rows)),
        ordering=source.ordering.take(rows),
        operation=source.operation[rows],
        has_data=source.has_data[rows],
        present={name: mask[rows] for name, mask in source.present.items()},
        partial=None if source.partial is None else source.partial[rows],
    )


def _values(ordering: Ordering, row: int) -> dict[str, Any] | None:
    values = ordering.row(row)
    return None if values is None else dict(zip(ordering.fields, values, strict=True))


def _delete_kind(is_delete: bool, has_data: bool, ordering: Mapping[str, Any] | None) -> str | None:
    if not is_delete:
        return None
    if has_data:
        return "flagged"
    return "key_only_unordered" if ordering is None else "key_only"
