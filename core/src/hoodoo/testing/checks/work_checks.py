"""Checks that a rule does not change its input, and that it works on columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
from attrs import evolve

from hoodoo.errors import DataError
from hoodoo.plugin.base import BaseMerger
from hoodoo.plugin.completion import defines
from hoodoo.record import Ordering, RecordContext, Records
from hoodoo.testing.checks.generated import each_drawn, fail
from hoodoo.testing.checks.instrumented_rule import changed_by, lines_run, unconvertible
from hoodoo.testing.data.vector_records import Row
from hoodoo.testing.laws.pairwise import Triples
from hoodoo.testing.suites.rule_subject import Subject

__all__ = ["check_input_unchanged", "check_no_loop", "check_no_objects", "check_vectorised", "repeated"]

TIMES = 32
"""The factor by which the rows are repeated; the number of executed lines must not increase."""


def check_input_unchanged(subject: Subject) -> None:
    """Check that a rule does not change its input, which other merges use."""

    def check(rows: Sequence[Row], columns: Mapping[str, Any]) -> None:
        picks = np.arange(len(rows) // 3 * 3).reshape(-1, 3).T
        triples = Triples(subject.rule(), rows, picks, columns)
        older, newer, _ = triples.versions
        for name, call in _calls(subject, triples, older, newer).items():
            changed = changed_by(call, [older, newer])
            if changed:
                fail(f"{subject.label} changes its input", [("in", name), ("changed", changed)])

    check(subject.domain.versions, subject.domain.columns)
    each_drawn(subject.triples(), lambda tries: check(tries.rows, tries.columns))


def check_vectorised(subject: Subject) -> None:
    """Check that a rule does not convert columns to Python objects, and runs no more lines of code for more rows."""
    rows = subject.domain.versions
    pairs = np.stack([np.arange(len(rows)), np.arange(len(rows))[::-1], np.zeros(len(rows), dtype=np.int64)])
    few, many = (Triples(subject.rule(), rows, np.tile(pairs, times), subject.domain.columns) for times in (1, TIMES))
    older, newer, _ = few.versions
    for name, call in _calls(subject, few, _unconvertible(older), _unconvertible(newer)).items():
        check_no_objects(subject.label, name, call)
    many_calls = _calls(subject, many, *many.versions[:2])
    for name, call in _calls(subject, few, older, newer).items():
        check_no_loop(subject.label, name, call, many_calls[name])


def check_no_objects(label: str, name: str, call: Callable[[], Any]) -> None:
    """Check that a call with unconvertible columns does not convert them to Python objects."""
    try:
        call()
    except (pa.ArrowInvalid, DataError):
        return  # the error may come from a function of Arrow or from the rule itself
    except (UnicodeDecodeError, OverflowError, pa.ArrowException) as error:
        what = f"a column was converted to Python objects: {type(error).__name__}: {error}"
        _not_vectorised(label, name, what)


def check_no_loop(label: str, name: str, few: Callable[[], Any], many: Callable[[], Any]) -> None:
    """Check that a call with the rows repeated `TIMES` times runs no more lines of Python than with the rows once."""
    few(), many()  # the first call may import modules, and records cache gathered columns
    once, more = lines_run(few), lines_run(many)
    if more > once:
        _not_vectorised(label, name, f"{once} lines of Python were run, and {more} for {TIMES} times as many rows")


def _not_vectorised(label: str, name: str, what: str) -> None:
    fail(
        f"{label} works row by row",
        [("in", name), ("found", what)],
        "Use pyarrow.compute or numpy; or set vectorised = False and not_vectorised_because = 'reason' in the test.",
    )


def repeated(table: pa.Table) -> pa.Table:
    """Return a table with its rows repeated `TIMES` times."""
    return pa.concat_tables([table] * TIMES).combine_chunks()


def _calls(subject: Subject, triples: Triples, older: Records, newer: Records) -> dict[str, Callable[[], Any]]:
    """Return calls of the plugin's own functions on records, without the checks of the core."""
    rule, context = triples.rule, RecordContext(triples.source.schema)
    stages = {"merge": rule.batch.merger}
    if subject.family == "payload":
        stages = {"pre_combine": rule.batch.merger, "combine_and_get_update_value": rule.storage.merger}
    calls: dict[str, Callable[[], Any]] = {
        name: partial(merger.merge, older, newer, context, rule.config) for name, merger in stages.items()
    }
    if defines(rule.storage.merger, BaseMerger, "insert"):
        calls["insert"] = partial(rule.storage.merger.insert, newer, context, rule.config)
    return calls


def _unconvertible(records: Records) -> Records:
    source = records.source
    table = unconvertible(source.table)
    ordering = [table[name].combine_chunks() for name in source.ordering.fields]
    return evolve(
        records,
        source=evolve(
            source,
            table=table,
            keys=unconvertible(pa.table({"key": source.keys}))["key"].combine_chunks(),
            ordering=Ordering.of(source.ordering.fields, ordering, len(source)),
        ),
    )
