"""Checks that a rule makes the same decisions with and without reasons, and that each reason code has a sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hoodoo.plugin.base import RuleMembers
from hoodoo.plugin.completion import completed
from hoodoo.record import Choice, Outcome, RecordContext, Records
from hoodoo.record.outcome import NO_REASON
from hoodoo.testing.checks.generated import each_drawn, fail, with_faults_reported
from hoodoo.testing.data.vector_records import Row
from hoodoo.testing.laws.pairwise import Triples
from hoodoo.testing.suites.rule_subject import Subject

__all__ = ["check_reasons"]


@with_faults_reported
def check_reasons(subject: Subject) -> None:
    """Check the decisions with and without reasons, and the sentences of the reason codes.

    The check uses all pairs of a few versions, and random rows.
    """

    def check(rows: Sequence[Row], columns: Mapping[str, Any], picks: np.ndarray[Any, np.dtype[np.int64]]) -> None:
        triples = Triples(subject.rule(), rows, picks, columns)
        older, newer, _ = triples.versions
        _check_stages(subject, triples, older, newer)

    few = subject.domain.versions
    each = np.indices((len(few), len(few))).reshape(2, -1)
    check(few, subject.domain.columns, np.stack([*each, each[0]]))
    each_drawn(
        subject.triples(),
        lambda tries: check(tries.rows, tries.columns, np.arange(len(tries.rows) // 3 * 3).reshape(-1, 3).T),
    )


def _check_stages(subject: Subject, triples: Triples, older: Records, newer: Records) -> None:
    rule, schema = triples.rule, triples.source.schema
    stored = np.flatnonzero(~older.is_delete)
    pairs = {"batch": (older, newer), "log": (older, newer), "storage": (older.take(stored), newer.take(stored))}
    for stage, (left, right) in pairs.items():
        if not len(left):
            continue
        merger = getattr(rule, stage)
        silent = merger.merge(left, right, RecordContext(schema), rule.config)
        explained = merger.merge(left, right, RecordContext(schema, explaining=True), rule.config)
        where = [("at", stage), ("reasons", dict(merger.reasons))]
        if not _same(silent, explained, right):
            fail(f"{subject.label} makes other decisions when it is explained", where)
        if explained.reason is None:
            if completed(subject.make(), RuleMembers).reasons:
                fail(
                    f"{subject.label} has reasons, but gives none when context.explaining is true; add them to the "
                    "outcome",
                    where,
                )
            continue
        unknown = set(explained.reason.tolist()) - set(merger.reasons) - {NO_REASON}
        if unknown:
            fail(
                f"{subject.label} gives reasons without a sentence; add a sentence for each code to `reasons`",
                [*where, ("codes", sorted(unknown))],
            )


def _same(one: Outcome, other: Outcome, newer: Records) -> bool:
    if (one.choice != other.choice).any() or one.patch.keys() != other.patch.keys():
        return False
    live = (one.choice != Choice.DELETE) & _patched(one, len(newer))
    return bool((_patched(one, len(newer)) == _patched(other, len(newer))).all()) and all(
        # compared as text because NaN is not equal to itself
        repr(values.filter(live).to_pylist()) == repr(other.patch[name].filter(live).to_pylist())
        for name, values in one.patch.items()
    )


def _patched(outcome: Outcome, length: int) -> np.ndarray[Any, np.dtype[np.bool_]]:
    return np.ones(length, dtype=bool) if outcome.patched is None else outcome.patched
