"""Comparison of deletes with data in a copy-on-write table with the same deletes in logs.

A write to a copy-on-write table has all columns of a delete, and a log has few of them. The versions are grouped in the
same way on both sides, so that a rule gets the same pairs of versions with and without laws. Each difference is caused
by a column that the log does not keep, or by `has_data`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
from attrs import evolve, frozen

from hoodoo.merge import Rule
from hoodoo.merge.rule import ALL_COLUMNS
from hoodoo.record import Records, Source
from hoodoo.schema.columns import one_array
from hoodoo.testing.checks.failure_report import history_lines, in_words
from hoodoo.testing.checks.generated import fail, with_faults_reported
from hoodoo.testing.data.vector_records import log_records, table_of
from hoodoo.testing.data.version_domain import is_lacking
from hoodoo.testing.differences import Difference, traits
from hoodoo.testing.paths.table_paths import History, Path, Tries, live_rows
from hoodoo.testing.suites.rule_subject import Subject

__all__ = ["check_logged_deletes"]

Result = dict[str, Any] | None
_KEEPS = "A log keeps the key, the partition path and the ordering value of a delete."
_PAGE = "See 'Judge deletes by a column' in docs/your-own-merger.md."


@frozen
class Grouping:
    """Division of the versions of a history into writes, and the names of the two paths that have it.

    Attributes:
        bounds: The numbers, from 0, of the versions at which the second and later writes begin.
        written: The path through a copy-on-write table.
        logged: The path through a merge-on-read table.
        path: The path that an entry of the listed differences names.
        folds: Whether the versions of a write are merged before they are logged.
    """

    bounds: tuple[int, ...]
    written: str
    logged: str
    path: Path
    folds: bool = False

    def writes(self, tries: Tries) -> Iterator[list[tuple[int, int]]]:
        """Yield the versions of each write, as pairs of the number of a history and the number of a version in it."""
        last = max(len(history.incoming) for history in tries.histories)
        for low, high in pairwise([0, *self.bounds, last]):
            yield [
                (h, v)
                for h, history in enumerate(tries.histories)
                for v in range(low, min(high, len(history.incoming)))
            ]


@frozen
class Found:
    """History whose rows differ between the two paths.

    Attributes:
        grouping: The two paths.
        history: The history with its versions.
        written: The row of the copy-on-write table, or None.
        logged: The row of the merge-on-read table, or None.
        traits: The traits of the history.
    """

    grouping: Grouping
    history: History
    written: Result
    logged: Result
    traits: frozenset[str]


AT_ONCE = Grouping((), "copy-on-write, one write", "merge-on-read, logs before a compaction", Path.LOG)
FOLDED = Grouping((), "copy-on-write, one write", "merge-on-read, one write to a log", Path.LOG, folds=True)
EACH = Grouping((1,), "copy-on-write, a write each", "merge-on-read, each log compacted", Path.COMPACTED)


@with_faults_reported
def check_logged_deletes(subject: Subject, listed: Sequence[Difference] | None) -> None:
    """Check that a delete with data gives the same row in a write of a copy-on-write table and in a log.

    A listed difference is accepted for a rule that treats a delete without data differently, and not for a rule that
    reads a column that the log does not keep.
    """
    every, rule, ordering = subject.domain.deletions, subject.rule(), subject.config.ordering
    unlisted = []
    # a payload merges the versions of a write with another method than those of a log
    for grouping in (AT_ONCE, FOLDED, EACH) if subject.family == "merger" else (FOLDED, EACH):
        written, logs = (_played(rule, every, grouping, in_log=in_log) for in_log in (False, True))
        places = [place for place, pair in enumerate(zip(written, logs, strict=True)) if _differ(*pair)]
        if not places:
            continue
        tries = evolve(every, histories=[every.histories[place] for place in places])
        found = [
            Found(
                grouping, every.histories[place], written[place], logs[place], traits(every.histories[place], ordering)
            )
            for place in places
        ]
        for name in _lost_columns(rule, tries):
            for value in _values(subject, name):
                rows = _played(rule, tries, grouping, in_log=False, changed=(name, value))
                for difference, row in zip(found, rows, strict=True):
                    if _differ(difference.written, row):
                        _fail_on_column(subject, rule, name, difference)
        unlisted += [f for f in found if not any(entry.admits(grouping.path, f.traits) for entry in listed or ())]
    if unlisted:
        _fail_on_data(subject, unlisted[0])


def _played(
    rule: Rule, tries: Tries, grouping: Grouping, *, in_log: bool, changed: tuple[str, pa.Array] | None = None
) -> list[Result]:
    """Return the resulting rows; `changed` is a column with the value that all deletes get in it."""
    storage = tries.stored(rule)
    for versions in grouping.writes(tries):
        source = tries.incoming(rule, versions, in_log=False)
        if grouping.folds:
            source = _one_per_key(rule.fold(source))
        if in_log:
            source = log_records(rule, source)
        if changed is not None:
            source = _changed(source, *changed)
        if len(source):
            storage.write(rule.fold_log(source) if in_log else rule.fold(source))
    return live_rows(tries.keys, storage.records())


def _one_per_key(folded: Records) -> Source:
    """Return folded versions as the versions of a log block."""
    columns = [folded.column(name) for name in folded.schema.names]
    present = {name: mask for name in folded.source.present if (mask := folded.present(name)) is not None}
    table = pa.Table.from_arrays(columns, schema=folded.schema)
    partial = None if folded.source.partial is None else folded.source.partial[folded.rows]
    operation, has_data = folded.operation, folded.has_data
    return Source(table, folded.schema, folded.keys, folded.ordering, operation, has_data, present, partial)


def _changed(source: Source, name: str, value: pa.Array) -> Source:
    table, length = source.table, len(source)
    rows = np.where(source.records().is_delete, length, np.arange(length))
    values = pa.concat_arrays([one_array(table[name]), value]).take(pa.array(rows))
    return evolve(source, table=table.set_column(table.schema.get_field_index(name), name, values))


def _values(subject: Subject, name: str) -> list[pa.Array]:
    """Return the values of a column, including null, each as an array of length one.

    A rule reads a column of a delete if its decision depends on the value, even if null has no effect.
    """
    pool = [{name: value} for value in (None, *subject.domain.pool(name)) if not is_lacking(value)]
    column = one_array(table_of(pool, {name: subject.domain.columns[name]}, ())[name])
    return [column.slice(place, 1) for place in range(len(column))]


def _lost_columns(rule: Rule, tries: Tries) -> list[str]:
    """Return the columns of a delete that a log does not keep."""
    kept = {name.partition(".")[0] for name in (*tries.ordering, *rule.keeps_with_deletes)}
    return [] if ALL_COLUMNS in kept else [name for name in tries.columns if name not in kept]


def _differ(one: Result, other: Result) -> bool:
    # compared as text because NaN is not equal to itself
    return one != other and repr(one) != repr(other)


def _fail_on_column(subject: Subject, rule: Rule, column: str, found: Found) -> None:
    declared = (*rule.keeps_with_deletes, column)
    fail(
        f"{subject.label} reads column '{column}' of a delete, which a log does not keep: copy-on-write and "
        "merge-on-read tables have different rows",
        _lines(subject, found),
        f"{_KEEPS} Declare the column, keeps_with_deletes = {declared!r}, so that the log keeps it too; or judge a "
        f"delete by `is_delete` and `ordering` only. A listed difference does not excuse this. {_PAGE}",
    )


def _fail_on_data(subject: Subject, found: Found) -> None:
    fail(
        f"{subject.label} treats a delete that has data differently from the same delete in a log",
        _lines(subject, found),
        f"{_KEEPS} In a log, `has_data` of a delete is False. Judge a delete by `is_delete` and `ordering` only; or, "
        f"if this is intended, list a hoodoo.testing.Difference on Path.{found.grouping.path.name} with the reason.",
    )


def _lines(subject: Subject, found: Found) -> list[tuple[str, object]]:
    return [
        ("key", repr(found.history.rows[0][next(iter(subject.domain.columns))])),
        *history_lines(found.history),
        (found.grouping.written, in_words(found.written)),
        (found.grouping.logged, in_words(found.logged)),
        ("traits", sorted(found.traits)),
    ]
