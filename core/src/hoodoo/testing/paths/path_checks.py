"""Checks of a rule on histories along the paths through a table."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from attrs import evolve

from hoodoo.plugin.base import RuleMembers
from hoodoo.plugin.completion import completed
from hoodoo.record import Law
from hoodoo.testing.checks.failure_report import history_lines, in_words
from hoodoo.testing.checks.generated import each_drawn, fail, with_faults_reported
from hoodoo.testing.data.vector_records import Row
from hoodoo.testing.differences import DELETE, NO_ORDERING, UNCONDITIONAL, Difference, traits
from hoodoo.testing.paths.table_paths import History, Path, Tries
from hoodoo.testing.suites.rule_subject import Subject

__all__ = [
    "check_answers",
    "check_deleted_paths",
    "check_determinism",
    "check_keys_apart",
    "check_listed",
    "check_needs",
    "check_paths",
    "check_promised_paths",
    "check_row_form",
    "check_unconditional_delete",
    "promises_paths",
]

_OTHERS = [path for path in Path if path is not Path.ONE_BY_ONE]
_BASIC = (Path.BATCH, Path.COMMITS)
_ALONE = 20
"""The number of histories of the small domain that are merged separately."""
_STEP = 7
"""The step between the histories of the small domain that are merged for each column."""
Rows = Sequence[dict[str, Any] | None]


def check_answers(subject: Subject) -> None:
    """Check that the core, which validates all outcomes, accepts those of the rule."""

    def check(tries: Tries) -> None:
        for path in _BASIC:
            subject.play(tries, path)

    with_faults_reported(check)(subject.domain.histories)
    each_drawn(subject.histories(), check)


@with_faults_reported
def check_keys_apart(subject: Subject) -> None:
    """Check that merging many keys at once, one by one, and in reverse order gives the same rows."""

    def alone(tries: Tries) -> None:
        parts = [evolve(tries, histories=[history]) for history in tries.histories]
        streamed = ("for each key alone", [row for part in parts for row in subject.play(part, Path.BATCH)])
        at_once = ("for all keys at once", subject.play(tries, Path.BATCH))
        _compare(subject, tries.histories, at_once, streamed, Path.BATCH)

    small = subject.domain.histories
    turned = evolve(small, histories=small.histories[::-1])
    for path in _BASIC:
        reverse = ("in reverse order", subject.play(turned, path)[::-1])
        _compare(subject, small.histories, ("for all keys at once", subject.play(small, path)), reverse, path)
    alone(evolve(small, histories=small.histories[:: len(small.histories) // _ALONE]))
    each_drawn(subject.histories(), alone)


@with_faults_reported
def check_determinism(subject: Subject) -> None:
    """Check that repeated calls of an instance, and calls of a new one, give the same rows."""
    used = subject.rule()

    def check(tries: Tries, paths: Sequence[Path]) -> None:
        for path in paths:
            first = ("the first time", subject.play(tries, path, used))
            _compare(subject, tries.histories, first, ("the second time", subject.play(tries, path, used)), path)
            _compare(subject, tries.histories, first, ("by a new instance", subject.play(tries, path)), path)

    check(subject.domain.histories, _BASIC)
    each_drawn(subject.histories(), lambda tries: check(tries, [Path.BATCH]))


@with_faults_reported
def check_needs(subject: Subject) -> None:
    """Check that a rule gives the same values if only the columns that it needs and one other column are read.

    A rule needs the record key, the ordering columns and the columns that its method `needs` returns.
    """
    every = subject.domain.histories
    whole = evolve(every, histories=every.histories[::_STEP])
    needed = completed(subject.make(), RuleMembers).needs(whole.table.schema, subject.config)
    key, *others = whole.columns
    named = {name.partition(".")[0] for name in (whole.columns if needed is None else needed)}
    always = {key, *subject.config.ordering, *named}
    for wanted in others:
        kept = always | {wanted}
        pruned = evolve(
            whole,
            columns={name: type_ for name, type_ in whole.columns.items() if name in kept},
            histories=[_only(history, kept) for history in whole.histories],
            unread=frozenset(whole.columns) - kept,
        )
        for path in (Path.BATCH, Path.LOG):
            full = [None if row is None else _without(row, kept) for row in subject.play(whole, path)]
            columns = (f"with a read of {', '.join(sorted(kept))}", subject.play(pruned, path))
            _compare(subject, whole.histories, ("with a read of all columns", full), columns, path)


@with_faults_reported
def check_row_form(subject: Subject, row_form: Subject) -> None:
    """Check that the rule in row form gives the same rows as the plugin."""

    def check(tries: Tries) -> None:
        for path in _BASIC:
            ours = ("as the plugin", subject.play(tries, path))
            _compare(subject, tries.histories, ours, ("in its row form", row_form.play(tries, path)), path)

    check(subject.domain.histories)
    each_drawn(subject.histories(), check)


def promises_paths(subject: Subject) -> bool:
    """Return whether the claimed laws imply that all paths give the same live rows."""
    enough = {Law.DEDUPE_IS_COMBINE} | ({Law.ASSOCIATIVE} if subject.family == "merger" else set())
    return bool(subject.laws & enough)


@with_faults_reported
def check_promised_paths(subject: Subject) -> None:
    """Check that live rows with ordering values give the same row on all paths."""
    live = evolve(subject.domain, deletes=False).histories
    histories = [history for history in live.histories if _is_ordered(history, subject.config.ordering)]
    _check_paths(subject, evolve(live, histories=histories), ())


@with_faults_reported
def check_deleted_paths(subject: Subject) -> None:
    """Check that versions that include a delete give the same row one by one, in one batch, and in a log.

    A log keeps the key and the ordering value of a delete. The other paths keep no deletes, whatever the rule is.
    Histories with a stored row without ordering value are left out.
    """
    every, ordering = subject.domain.histories, subject.config.ordering
    histories = [history for history in every.histories if DELETE in traits(history, ordering)]
    histories = [history for history in histories if NO_ORDERING not in traits(history, ordering)]
    _check_paths(subject, evolve(every, histories=histories), (), (Path.BATCH, Path.LOG))


@with_faults_reported
def check_unconditional_delete(subject: Subject) -> None:
    """Check that a delete without ordering value removes the stored row, in a write and in the read of a log."""
    every, ordering = subject.domain.histories, subject.config.ordering
    histories = [
        history
        for history in every.histories
        if history.stored is not None and len(history.incoming) == 1 and UNCONDITIONAL in traits(history, ordering)
    ]
    for path in (Path.COMMITS, Path.LOG):
        rows = subject.play(evolve(every, histories=histories), path)
        for history, row in zip(histories, rows, strict=True):
            if row is not None:
                fail(
                    f"{subject.label} keeps a row that was deleted without an ordering value, on path '{path.value}'",
                    [*history_lines(history), (path.value, in_words(row))],
                    "The operation `delete` writes such deletes. TAKE a newer delete whose ordering is absent; or, if "
                    "the row must stay, replace this test and state the reason: @replaces('reason').",
                )


@with_faults_reported
def check_paths(subject: Subject, listed: Sequence[Difference]) -> None:
    """Check that all paths give the same rows, except for the listed differences."""
    _check_paths(subject, subject.domain.histories, listed)
    each_drawn(subject.histories(), lambda tries: _check_paths(subject, tries, listed))


@with_faults_reported
def check_listed(subject: Subject, listed: Sequence[Difference]) -> None:
    """Check that each listed difference occurs."""
    tries = subject.domain.histories
    expected = subject.play(tries, Path.ONE_BY_ONE)
    for entry in listed:
        rows = zip(tries.histories, expected, subject.play(tries, entry.path), strict=True)
        if not any(_differ(one, other) and entry.when <= _traits(subject, history) for history, one, other in rows):
            fail(
                f"{subject.label} does not have a listed difference",
                [("path", entry.path.value), ("when", sorted(entry.when)), ("reason", entry.reason)],
                "Remove the entry, or set `columns` and `values` to rows that have the difference.",
            )


def _check_paths(
    subject: Subject, tries: Tries, listed: Sequence[Difference], paths: Sequence[Path] = tuple(_OTHERS)
) -> None:
    expected = subject.play(tries, Path.ONE_BY_ONE)
    for path in paths:
        for history, one, other in zip(tries.histories, expected, subject.play(tries, path), strict=True):
            if not _differ(one, other):
                continue
            found = _traits(subject, history)
            if not any(entry.admits(path, found) for entry in listed):
                fail(
                    f"{subject.label} gives another row on path '{path.value}' than with the versions one by one",
                    [
                        *history_lines(history),
                        ("one by one", in_words(one)),
                        (path.value, in_words(other)),
                        ("traits", sorted(found) or "none"),
                    ],
                    "Change the rule; or, if this is intended, list a hoodoo.testing.Difference with the reason.",
                )


def _compare(
    subject: Subject, histories: Sequence[History], one: tuple[str, Rows], other: tuple[str, Rows], path: Path
) -> None:
    for history, left, right in zip(histories, one[1], other[1], strict=True):
        if _differ(left, right):
            fail(
                f"{subject.label} gives another row {other[0]} than {one[0]}, on path '{path.value}'",
                [*history_lines(history), (one[0], in_words(left)), (other[0], in_words(right))],
            )


def _only(history: History, kept: Collection[str]) -> History:
    stored = None if history.stored is None else _without(history.stored, kept)
    return History(stored, tuple(_without(row, kept) for row in history.incoming))


def _without(row: Row, kept: Collection[str]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name in kept or name.startswith("$")}


def _differ(one: dict[str, Any] | None, other: dict[str, Any] | None) -> bool:
    # compared as text because NaN is not equal to itself
    return one != other and repr(one) != repr(other)


def _traits(subject: Subject, history: History) -> frozenset[str]:
    return traits(history, subject.config.ordering)


def _is_ordered(history: History, ordering: Sequence[str]) -> bool:
    return all(row.get(name) is not None for row in history.rows for name in ordering)
