"""Checks of the claimed laws of a rule, with single versions and with the fold of the core."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from attrs import evolve
from numpy.typing import NDArray

from hoodoo.record import Law, Records
from hoodoo.testing.checks.failure_report import in_words
from hoodoo.testing.checks.generated import each_drawn, fail, with_faults_reported
from hoodoo.testing.data.vector_records import Row, is_key_only, spelled
from hoodoo.testing.laws.equations import Counterexample, differ, first_counterexample
from hoodoo.testing.laws.pairwise import Triples, every_triple
from hoodoo.testing.paths.table_paths import Tries
from hoodoo.testing.suites.rule_subject import Subject

__all__ = ["check_law", "check_laws", "check_laws_for_all_types", "check_ordering_columns"]

TRIPLES = 300
"""The number of random triples of versions of each wide domain."""


@with_faults_reported
def check_law(subject: Subject, law: Law) -> None:
    """Check a law for all combinations of versions of the small domain."""
    versions = subject.domain.versions
    check_laws(subject, [law], versions, every_triple(len(versions)), subject.domain.columns)


def check_laws_for_all_types(subject: Subject) -> None:
    """Check the claimed laws for rows with columns of all types: rows with all values, and random rows."""
    laws = subject.laws

    def check(tries: Tries) -> None:
        rows = [row for history in tries.histories for row in history.incoming]
        check_laws(subject, laws, rows, np.arange(len(rows)).reshape(-1, 3).T, tries.columns)

    chance = np.random.default_rng(0)
    for domain in subject.wide_domains():
        picks = chance.integers(0, len(domain.versions), (3, TRIPLES))
        with_faults_reported(check_laws)(subject, laws, domain.versions, picks, domain.columns)
    each_drawn(subject.triples(), check)


@with_faults_reported
def check_ordering_columns(subject: Subject) -> None:
    """Check that the ordering columns of a result have its ordering value, if the rule compares it.

    Storage has no ordering value apart from the ordering columns.
    """
    rule, versions = subject.rule(), subject.domain.versions
    if not rule.uses_ordering:
        return
    triples = Triples(rule, versions, every_triple(len(versions)), subject.domain.columns)
    a, b, _ = triples.versions
    for name, merge in subject.merges(triples).items():
        result = merge(a, b)
        for column, values in zip(subject.config.ordering, result.ordering.values, strict=True):
            wrong = np.flatnonzero(~result.is_delete & differ(result.column(column), values))
            if len(wrong):
                row = int(wrong[0])
                fail(
                    f"{subject.label} returns a row whose ordering column '{column}' differs from its ordering value",
                    [
                        *_letters(triples.spelled(row)[:2]),
                        (f"{name} gives", _in_words(result, row)),
                        ("its ordering", result.ordering.row(row)),
                    ],
                    "KEEP and TAKE use the ordering value of that side; do not patch an ordering column.",
                )


def check_laws(
    subject: Subject, laws: Iterable[Law], rows: Sequence[Row], picks: NDArray[np.int64], columns: Mapping[str, Any]
) -> None:
    """Check laws for triples of versions: `picks` has three rows of positions in `rows`."""
    whole = Triples(subject.rule(), rows, picks, columns)
    for law in laws:
        triples = evolve(whole, lacking=list(columns)[-1]) if law is Law.SCHEMA_LOCAL else whole
        merges = list(subject.merges(triples).values())
        found = first_counterexample(law, merges[-1], triples.versions, batch=merges[0])
        if found is None and law is Law.ASSOCIATIVE and len(merges) > 1:
            triples, found = _regrouped(whole)
        if found is not None:
            _fail(subject, law, triples, found)


def _regrouped(whole: Triples) -> tuple[Triples, Counterexample | None]:
    """Return the triples that the fold of the core regroups, and a counterexample to associativity among them, if any.

    If a payload claims the law, the core regroups versions that all have data, or that all have none.
    """
    key_only = np.array([is_key_only(row) for row in whole.rows])[whole.picks]
    triples = evolve(whole, picks=whole.picks[:, key_only.all(axis=0) | ~key_only.any(axis=0)])
    if not triples.picks.size:
        return triples, None
    in_batch = first_counterexample(Law.ASSOCIATIVE, triples.in_batch, triples.versions)
    return triples, in_batch or first_counterexample(Law.ASSOCIATIVE, triples.in_log, triples.versions)


def _fail(subject: Subject, law: Law, triples: Triples, found: Counterexample) -> None:
    name, records = found.left
    wanted = ("instead of", found.right)
    if not isinstance(found.right, str):
        wanted = (f"{found.right[0]} gives", _in_words(found.right[1], found.row))
    fail(
        f"{subject.label} claims {law.name}, and it does not hold: {law.value}",
        [*_letters(triples.spelled(found.row)), (f"{name} gives", _in_words(records, found.row)), wanted],
        f"It does not hold for {found.count[0]} of {found.count[1]} combinations. Change the rule, or remove the "
        "claim.",
    )


def _letters(rows: Sequence[Row]) -> list[tuple[str, str]]:
    return [(letter, in_words(row)) for letter, row in zip("abc", rows, strict=False)]


def _in_words(records: Records, row: int) -> str:
    """Return a record as text without its key, which is a number that the kit assigned."""
    key = records.schema.names[0]
    return in_words({name: value for name, value in spelled(records.take(np.array([row])))[0].items() if name != key})
