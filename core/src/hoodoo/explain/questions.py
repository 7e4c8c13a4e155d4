"""Answers to questions about a record, derived from its traces."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from textwrap import indent

from hoodoo.explain.explanation import Answer, Decision, Explanation, LostDelete, Result, RuleUse, SliceTrace, Version
from hoodoo.explain.render.short_values import short
from hoodoo.explain.statements import Statement
from hoodoo.schema.meta_columns import META_COLUMNS

__all__ = ["answers", "ordering_text"]

_USES = {"reading": "Readers and compaction merge logs by", "writing": "Writers merge by"}


def answers(found: Explanation, archived_before: str | None) -> tuple[Answer, ...]:
    """Return the answers to the questions that apply.

    Args:
        found: The explanation without answers.
        archived_before: The time of the first commit of the active timeline if earlier ones were archived, or None.
    """
    return tuple(_answers(_Descriptions(found, archived_before)))


def ordering_text(values: Mapping[str, object] | None) -> str:
    """Return ordering values as text for users."""
    if not values:
        return "no ordering value"
    return ", ".join(f"{name} = {short(value)}" for name, value in values.items())


_PATHS = {
    "one by one": "the versions merged one by one, the base row first, deletes kept",
    "batch": "all versions of the logs in one write",
    "commits": "each version of the logs as a write to a copy-on-write table",
}


class _Descriptions:
    """Descriptions of the parts of an explanation, as text for users."""

    def __init__(self, found: Explanation, archived_before: str | None) -> None:
        self.found = found
        self.archived_before = archived_before
        self.live = [(trace, result) for trace in found.current for result in trace.results]

    def commit(self, time: str | None) -> str:
        if time is None:
            return "a commit that is not in the meta columns"
        operation = self.found.commits.get(time)
        return f"commit {time} ({operation})" if operation else f"commit {time}"

    def version(self, version: Version) -> str:
        what = {None: "row", "flagged": "delete with data"}.get(version.delete, "delete of the key")
        return f"version {version.number} ({what} of {self.commit(version.commit)}, {ordering_text(version.ordering)})"

    def decision(self, trace: SliceTrace, decision: Decision) -> str:
        newer = _side(trace.versions[decision.newer - 1])
        if decision.older is None:
            return f"{newer} has no base row: {decision.reason}"
        older = _side(trace.versions[decision.older - 1])
        chosen = {"keep": f"version {decision.older} is kept", "take": f"version {decision.newer} wins"}
        chosen_text = chosen.get(decision.choice, "the record is deleted")
        return f"{newer} is compared with {older}, and {chosen_text}: {decision.reason}"

    @property
    def missing(self) -> str:
        """Return a description of the missing part of the history; "" if none is missing."""
        gone = []
        if self.found.cleaned:
            first, last = self.found.cleaned[0], self.found.cleaned[-1]
            span = (
                f"of commit {first}" if first == last else f"of {len(self.found.cleaned)} commits, {first} to {last},"
            )
            gone.append(f"the files {span} were cleaned")
        if self.archived_before is not None:
            gone.append(f"commits before {self.archived_before} were archived")
        return " and ".join(gone)


def _side(version: Version) -> str:
    kind = ", a delete" if version.delete else ""
    return f"version {version.number} ({ordering_text(version.ordering)}{kind})"


def _answers(texts: _Descriptions) -> Iterator[Answer]:
    found = texts.found
    if not found.found:
        yield Answer("why_gone", _not_found(texts))
    elif not texts.live:
        yield Answer("why_gone", _why_no_row(texts))
    for trace, result in texts.live:
        yield Answer("why_this_one", _why_winner(texts, trace, result))
    back = " ".join(_why_returned(texts))
    if back:
        yield Answer("why_back", back)
    if len(texts.live) > 1:
        yield Answer("why_two_rows", _why_several(texts))
    if found.statements:
        yield Answer("which_statement", "\n".join(_statement(texts, each) for each in found.statements))
    for trace in found.current:
        if trace.other_paths:
            yield Answer("other_paths", _other_paths(trace))
    yield Answer("which_field_orders", " ".join(_ordering_of(use) for use in found.rules))


def _other_paths(trace: SliceTrace) -> str:
    row = trace.results[0].row if trace.results else None
    parts = []
    for other in trace.other_paths:
        how = _PATHS[other.path]
        if other.error:
            parts.append(f"Path '{other.path}' ({how}) fails for these versions: {other.error}.")
        elif row is None or other.row is None:
            has = "has no row" if other.row is None else f"has the row {_shown(other.row, other.row)}"
            parts.append(
                f"Path '{other.path}' ({how}) {has}, and this table {'has none' if row is None else 'has one'}."
            )
        else:
            there, here = _shown(other.row, other.differing), _shown(row, other.differing)
            parts.append(f"Path '{other.path}' ({how}) gives {there}, and this table has {here}.")
    return (
        f"{' '.join(parts)} So the row depends on the division of the versions into writes and on compactions. "
        "`test_paths_agree` of the test kit compares these paths; the tests of the rule list the differences that are "
        "intended."
    )


def _shown(row: Mapping[str, object], names: Iterable[str]) -> str:
    named = (name for name in names if name not in META_COLUMNS and row[name] is not None)
    return ", ".join(f"{name} = {short(row[name])}" for name in named) or "nulls"


def _why_winner(texts: _Descriptions, trace: SliceTrace, result: Result) -> str:
    version = trace.versions[result.version - 1]
    text = f"V{texts.version(version)[1:]} is the record"
    decisions = [texts.decision(trace, decision) for decision in trace.decisions]
    only = f"{text}, and the only version in its file slice."
    parts = [f"{text}. {_sentences(decisions)}" if decisions else only]
    if result.merged:
        parts.append(f"The values of {', '.join(result.merged)} come from the merge and not from this version.")
    if not decisions:
        parts += _older_base_files(texts, trace, version)
    return " ".join(parts)


def _older_base_files(texts: _Descriptions, trace: SliceTrace, version: Version) -> Iterator[str]:
    """Yield sentences about earlier states of a row that no log changed, from older base files of the file group."""
    group = trace.partition, trace.file_id
    if version.commit is not None and version.commit < trace.base_instant:
        yield (
            f"C{texts.commit(trace.base_instant)[1:]} rewrote the base file and kept the row: versions of the key that "
            "were written in between, if any, lost and were not stored."
        )
    deleted = max((lost.commit for lost in texts.found.lost if (lost.partition, lost.file_id) == group), default="")
    for older in texts.found.earlier:
        for result in older.results:
            before = older.versions[result.version - 1]
            if (older.partition, older.file_id) == group and before.commit != version.commit:
                if (before.commit or "") < deleted:
                    return
                yield (
                    f"Before that, the record was the {texts.version(before).partition('(')[2][:-1]}, in the slice of "
                    f"{older.base_instant}. A writer decided between the two; a base file contains the result of a "
                    "merge and not the versions that lost."
                )
                return


def _why_no_row(texts: _Descriptions) -> str:
    parts = [
        _sentences([texts.decision(trace, decision) for decision in trace.decisions])
        for trace in texts.found.current
        if trace.versions
    ]
    parts += [_lost(texts, lost) for lost in texts.found.lost if not any(t.versions for t in texts.found.current)]
    parts += _hidden(texts)
    return " ".join(parts)


def _hidden(texts: _Descriptions) -> list[str]:
    return [
        f"File '{hidden.file}' holds the record, and {texts.commit(hidden.replaced_by)} replaced its file group."
        for hidden in texts.found.hidden
    ]


def _statement(texts: _Descriptions, statement: Statement) -> str:
    said = f"{_capital(texts.commit(statement.commit))} executed a statement on the file group"
    if statement.refused is not None:
        said += (
            f"; the merge rule refused its change of this record, made by {statement.refused}, and kept the stored row"
        )
    return f"{said}:\n{indent(statement.text, '  ')}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _not_found(texts: _Descriptions) -> str:
    found = texts.found
    where = "" if found.partition is None else f" of partition '{found.partition}'"
    text = f"No existing file{where} has the record key '{found.key}' (file slices searched: {found.searched})."
    text += " Give the key as in _hoodie_record_key: for several columns, or with the key generator complex, it is "
    text += "written as 'id:1,name:a'."
    return f"{text} It is unknown whether earlier files had it: {texts.missing}." if texts.missing else text


def _why_returned(texts: _Descriptions) -> Iterator[str]:
    explained = False
    for trace, result in texts.live:
        winner = trace.versions[result.version - 1]
        for lost in texts.found.lost:
            if lost.partition == trace.partition and (winner.commit is None or winner.commit > lost.commit):
                explained = True
                yield _lost(texts, lost)
                yield f"V{texts.version(winner)[1:]} came after that, and there was no tombstone to compare it with."
        for decision in trace.decisions:
            if decision.older is None or decision.choice == "delete":
                continue
            loser = decision.newer if decision.choice == "keep" else decision.older
            if trace.versions[loser - 1].delete is not None:
                explained = True
                yield f"A delete of the record exists and lost: {texts.decision(trace, decision)}."
    if texts.live and not explained and texts.missing:
        yield f"No existing file deletes the record. It is unknown whether earlier files did: {texts.missing}."


def _lost(texts: _Descriptions, lost: LostDelete) -> str:
    place = f"file group '{lost.file_id}'" + (f" of partition '{lost.partition}'" if lost.partition else "")
    if lost.version is None:
        return (
            f"C{texts.commit(lost.commit)[1:]} deleted the record from {place}: it rewrote the base file without the "
            "row. A base file keeps no tombstones, so the ordering value of the delete is lost."
        )
    tombstone = lost.version
    ordering, log = ordering_text(tombstone.ordering), f"'{tombstone.file}' at byte {tombstone.offset}"
    return (
        f"C{texts.commit(lost.commit)[1:]} deleted the record from {place}: the tombstone ({ordering}) is in log "
        f"{log}. C{texts.commit(lost.dropped_by)[1:]} rewrote the base file. A base file keeps no tombstones, so the "
        "tombstone is lost."
    )


def _why_several(texts: _Descriptions) -> str:
    places = Counter((trace.partition, trace.file_id) for trace, _ in texts.live)
    rows = [
        f"{place} by {texts.commit(trace.versions[result.version - 1].commit)}"
        for trace, result in texts.live
        for place in [f"partition '{trace.partition}', file group '{trace.file_id}'"]
    ]
    why = []
    if len({partition for partition, _ in places}) > 1:
        why.append("a key is unique only within its partition, unless the table has a global index")
    if len({partition for partition, _ in places}) < len(places):
        why.append(
            "one partition has the key in several file groups: an operation without key lookup (insert, bulk_insert) "
            "or two concurrent writers wrote it"
        )
    if max(places.values()) > 1:
        why.append("one file group has the key more than once: insert or bulk_insert wrote it")
    return f"There are {len(texts.live)} rows: {'; '.join(rows)}. {_sentences(why)}"


def _ordering_of(use: RuleUse) -> str:
    if use.compares is None:
        return f"{_USES[use.use]} a rule that cannot be used here: {use.label}."
    fields = ", ".join(use.ordering)
    if not use.ordering:
        how = (
            "the table has no ordering field, so the order of arrival decides, unless the rule compares its own columns"
        )
    elif use.compares:
        how = f"versions are ordered by {fields} ({use.ordering_from})"
    else:
        how = f"{fields} ({use.ordering_from}) is stored and not compared: arrival or the rule's own columns decide"
    deletes = f"; delete rules: {', '.join(use.delete_rules)}" if use.delete_rules else ""
    return f"{_USES[use.use]} {use.label}: {how}{deletes}."


def _sentences(texts: list[str]) -> str:
    return " ".join(f"{text[0].upper()}{text[1:]}." for text in texts)
