"""Claimed laws against versions of a rule, and against what the core does with them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from attrs import evolve
from numpy.typing import NDArray

from hoodoo.record import Law, Records
from hoodoo.testing.checks.failure_report import in_words
from hoodoo.testing.checks.generated import each_drawn, fail, faults_told
from hoodoo.testing.data.vector_records import Row, is_key_only, spelled
from hoodoo.testing.laws.equations import Broken, broken, differ
from hoodoo.testing.laws.pairwise import Triples, every_triple
from hoodoo.testing.paths.table_paths import Tries
from hoodoo.testing.suites.rule_subject import Subject

__all__ = ["check_law", "check_laws", "check_laws_for_all_types", "check_ordering_columns"]

TRIPLES = 300
"""Of the versions with columns of all types, so many threes are tried."""


@faults_told
def check_law(subject: Subject, law: Law) -> None:
    """A law holds for every combination of versions of the small domain."""
    versions = subject.domain.versions
    check_laws(subject, [law], versions, every_triple(len(versions)), subject.domain.columns)


def check_laws_for_all_types(subject: Subject) -> None:
    """Every claimed law holds for rows with columns of all types: some that have every value, and random ones."""
    laws = subject.laws

    def check(tries: Tries) -> None:
        rows = [row for history in tries.histories for row in history.incoming]
        check_laws(subject, laws, rows, np.arange(len(rows)).reshape(-1, 3).T, tries.columns)

    chance = np.random.default_rng(0)
    for domain in subject.wide_domains():
        picks = chance.integers(0, len(domain.versions), (3, TRIPLES))
        faults_told(check_laws)(subject, laws, domain.versions, picks, domain.columns)
    each_drawn(subject.triples(), check)


@faults_told
def check_ordering_columns(subject: Subject) -> None:
    """A result's ordering columns hold its ordering value, if the rule compares any: storage has nothing else."""
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
                    f"{subject.label} leaves a row whose ordering column '{column}' is not its ordering value",
                    [
                        *_letters(triples.spelled(row)[:2]),
                        (f"{name} gives", _in_words(result, row)),
                        ("its ordering", result.ordering.row(row)),
                    ],
                    "KEEP and TAKE bring the ordering value of that side; do not patch an ordering column.",
                )


def check_laws(
    subject: Subject, laws: Iterable[Law], rows: Sequence[Row], picks: NDArray[np.int64], columns: Mapping[str, Any]
) -> None:
    """Laws hold for some threes of versions: `picks` are three rows of places in `rows`."""
    whole = Triples(subject.rule(), rows, picks, columns)
    for law in laws:
        triples = evolve(whole, lacking=list(columns)[-1]) if law is Law.SCHEMA_LOCAL else whole
        merges = list(subject.merges(triples).values())
        found = broken(law, merges[-1], triples.versions, batch=merges[0])
        if found is None and law is Law.ASSOCIATIVE and len(merges) > 1:
            triples, found = _regrouped(whole)
        if found is not None:
            _fail(subject, law, triples, found)


def _regrouped(whole: Triples) -> tuple[Triples, Broken | None]:
    """Associativity in a batch and in logs, for what the fold regroups: versions that all have data, or none of which.

    It is these that the core regroups where a payload claims the law.
    """
    key_only = np.array([is_key_only(row) for row in whole.rows])[whole.picks]
    triples = evolve(whole, picks=whole.picks[:, key_only.all(axis=0) | ~key_only.any(axis=0)])
    if not triples.picks.size:
        return triples, None
    in_batch = broken(Law.ASSOCIATIVE, triples.in_batch, triples.versions)
    return triples, in_batch or broken(Law.ASSOCIATIVE, triples.in_log, triples.versions)


def _fail(subject: Subject, law: Law, triples: Triples, found: Broken) -> None:
    name, records = found.left
    wanted = ("instead of", found.right)
    if not isinstance(found.right, str):
        wanted = (f"{found.right[0]} gives", _in_words(found.right[1], found.row))
    fail(
        f"{subject.label} claims {law.name}, and it does not hold: {law.value}",
        [*_letters(triples.spelled(found.row)), (f"{name} gives", _in_words(records, found.row)), wanted],
        f"{found.count[0]} of {found.count[1]} combinations break it. Change the rule, or claim the law no longer.",
    )


def _letters(rows: Sequence[Row]) -> list[tuple[str, str]]:
    return [(letter, in_words(row)) for letter, row in zip("abc", rows, strict=False)]


def _in_words(records: Records, row: int) -> str:
    """A record without its key, which is a number of the kit's."""
    key = records.schema.names[0]
    return in_words({name: value for name, value in spelled(records.take(np.array([row])))[0].items() if name != key})
