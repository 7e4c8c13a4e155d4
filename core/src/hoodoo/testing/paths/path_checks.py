"""Histories of a rule along the ways through a table, many keys at once or few, once or twice."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from attrs import evolve

from hoodoo.plugin.base import RuleMembers
from hoodoo.plugin.completion import completed
from hoodoo.record import Law
from hoodoo.testing.checks.failure_report import history_lines, in_words
from hoodoo.testing.checks.generated import each_drawn, fail, faults_told
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
"""How many histories of the small domain are played alone."""
_STEP = 7
"""Of the histories of the small domain, every seventh: what has to be played for each column apart."""
Rows = Sequence[dict[str, Any] | None]


def check_answers(subject: Subject) -> None:
    """The core, which checks every answer, runs the rule without a complaint."""

    def check(tries: Tries) -> None:
        for path in _BASIC:
            subject.play(tries, path)

    faults_told(check)(subject.domain.histories)
    each_drawn(subject.histories(), check)


@faults_told
def check_keys_apart(subject: Subject) -> None:
    """Many keys at once, each alone, and in reverse order give the same rows."""

    def alone(tries: Tries) -> None:
        parts = [evolve(tries, histories=[history]) for history in tries.histories]
        streamed = ("each key alone", [row for part in parts for row in subject.play(part, Path.BATCH)])
        at_once = ("all keys at once", subject.play(tries, Path.BATCH))
        _compare(subject, tries.histories, at_once, streamed, Path.BATCH)

    small = subject.domain.histories
    turned = evolve(small, histories=small.histories[::-1])
    for path in _BASIC:
        reverse = ("in reverse order", subject.play(turned, path)[::-1])
        _compare(subject, small.histories, ("all keys at once", subject.play(small, path)), reverse, path)
    alone(evolve(small, histories=small.histories[:: len(small.histories) // _ALONE]))
    each_drawn(subject.histories(), alone)


@faults_told
def check_determinism(subject: Subject) -> None:
    """An instance that has been used, the same once more, and a new one give the same rows."""
    used = subject.rule()

    def check(tries: Tries, paths: Sequence[Path]) -> None:
        for path in paths:
            first = ("the first time", subject.play(tries, path, used))
            _compare(subject, tries.histories, first, ("the second time", subject.play(tries, path, used)), path)
            _compare(subject, tries.histories, first, ("by a new instance", subject.play(tries, path)), path)

    check(subject.domain.histories, _BASIC)
    each_drawn(subject.histories(), lambda tries: check(tries, [Path.BATCH]))


@faults_told
def check_needs(subject: Subject) -> None:
    """A read of one column, with those that the rule says it needs, gives what a read of all columns gives."""
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
        )
        for path in (Path.BATCH, Path.LOG):
            full = [None if row is None else _without(row, kept) for row in subject.play(whole, path)]
            columns = (f"a read of {', '.join(sorted(kept))}", subject.play(pruned, path))
            _compare(subject, whole.histories, ("a read of all columns", full), columns, path)


@faults_told
def check_row_form(subject: Subject, row_form: Subject) -> None:
    """The rule written one record at a time leaves the same rows."""

    def check(tries: Tries) -> None:
        for path in _BASIC:
            ours = ("the plugin", subject.play(tries, path))
            _compare(subject, tries.histories, ours, ("the row form", row_form.play(tries, path)), path)

    check(subject.domain.histories)
    each_drawn(subject.histories(), check)


def promises_paths(subject: Subject) -> bool:
    """Whether the claimed laws say that all paths leave the same live rows."""
    enough = {Law.DEDUPE_IS_COMBINE} | ({Law.ASSOCIATIVE} if subject.family == "merger" else set())
    return bool(subject.laws & enough)


@faults_told
def check_promised_paths(subject: Subject) -> None:
    """Live rows with ordering values take every path to the same row."""
    live = evolve(subject.domain, deletes=False).histories
    histories = [history for history in live.histories if _is_ordered(history, subject.config.ordering)]
    _check_paths(subject, evolve(live, histories=histories), ())


@faults_told
def check_deleted_paths(subject: Subject) -> None:
    """What versions leave where one is a delete, they leave as well where they meet in a batch or a log before.

    Of a delete a log keeps key and ordering value. The other paths forget deletes, whatever the rule is.
    """
    every, ordering = subject.domain.histories, subject.config.ordering
    histories = [history for history in every.histories if DELETE in traits(history, ordering)]
    histories = [history for history in histories if NO_ORDERING not in traits(history, ordering)]
    _check_paths(subject, evolve(every, histories=histories), (), (Path.BATCH, Path.LOG))


@faults_told
def check_unconditional_delete(subject: Subject) -> None:
    """A delete that has no ordering value removes the stored row, by a write and where a log is read."""
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
                    f"{subject.label} leaves a row that was deleted without an ordering value, on path '{path.value}'",
                    [*history_lines(history), (path.value, in_words(row))],
                    "It is what operation delete writes without ordering column. Take a newer delete whose ordering is "
                    "absent; or say why the row stays: @replaces('reason').",
                )


@faults_told
def check_paths(subject: Subject, listed: Sequence[Difference]) -> None:
    """Whatever a path leaves, the others leave, but for what is listed."""
    _check_paths(subject, subject.domain.histories, listed)
    each_drawn(subject.histories(), lambda tries: _check_paths(subject, tries, listed))


@faults_told
def check_listed(subject: Subject, listed: Sequence[Difference]) -> None:
    """What is listed occurs."""
    tries = subject.domain.histories
    expected = subject.play(tries, Path.ONE_BY_ONE)
    for entry in listed:
        rows = zip(tries.histories, expected, subject.play(tries, entry.path), strict=True)
        if not any(_differ(one, other) and entry.when <= _traits(subject, history) for history, one, other in rows):
            fail(
                f"{subject.label} never differs as the list of differences says",
                [("path", entry.path.value), ("when", sorted(entry.when)), ("reason", entry.reason)],
                "Take the entry out, or try the rule with rows in which it shows: `columns`, `values`.",
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
                    "Change the rule; or, where it is meant, list a hoodoo.testing.Difference with the reason.",
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
    # as text: NaN equals itself then
    return one != other and repr(one) != repr(other)


def _traits(subject: Subject, history: History) -> frozenset[str]:
    return traits(history, subject.config.ordering)


def _is_ordered(history: History, ordering: Sequence[str]) -> bool:
    return all(row.get(name) is not None for row in history.rows for name in ordering)
