"""Answers to what users ask of a record, read off what was traced."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from hoodoo.explain.explanation import Answer, Decision, Explanation, LostDelete, Result, RuleUse, SliceTrace, Version
from hoodoo.explain.render.short_values import short

__all__ = ["answers", "ordering_text"]

_USES = {"reading": "Readers and compaction merge logs by", "writing": "Writers merge by"}


def answers(found: Explanation, archived_before: str | None) -> tuple[Answer, ...]:
    """The answers to the questions that arise.

    Args:
        found: All but the answers.
        archived_before: Where the active timeline begins, if commits before it were archived.
    """
    return tuple(_answers(_Story(found, archived_before)))


def ordering_text(values: Mapping[str, object] | None) -> str:
    """Ordering values as a person reads them."""
    if not values:
        return "no ordering value"
    return ", ".join(f"{name} = {short(value)}" for name, value in values.items())


class _Story:
    """An explanation, with words for its parts."""

    def __init__(self, found: Explanation, archived_before: str | None) -> None:
        self.found = found
        self.archived_before = archived_before
        self.live = [(trace, result) for trace in found.current for result in trace.results]

    def commit(self, time: str | None) -> str:
        if time is None:
            return "a commit that no meta column names"
        operation = self.found.commits.get(time)
        return f"commit {time} ({operation})" if operation else f"commit {time}"

    def version(self, version: Version) -> str:
        what = {None: "row", "flagged": "delete with data"}.get(version.delete, "delete of the key")
        return f"version {version.number} ({what} of {self.commit(version.commit)}, {ordering_text(version.ordering)})"

    def decision(self, trace: SliceTrace, decision: Decision) -> str:
        newer = _met(trace.versions[decision.newer - 1])
        if decision.older is None:
            return f"{newer} met no base row: {decision.reason}"
        older = _met(trace.versions[decision.older - 1])
        chosen = {"keep": f"version {decision.older} stays", "take": f"version {decision.newer} wins"}
        return f"{newer} met {older}, and {chosen.get(decision.choice, 'the record is deleted')}: {decision.reason}"

    @property
    def unknown(self) -> str:
        """What cannot be known any more; nothing where all is."""
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


def _met(version: Version) -> str:
    kind = ", a delete" if version.delete else ""
    return f"version {version.number} ({ordering_text(version.ordering)}{kind})"


def _answers(story: _Story) -> Iterator[Answer]:
    found = story.found
    if not found.found:
        yield Answer("why_gone", _not_found(story))
    elif not story.live:
        yield Answer("why_gone", _gone(story))
    for trace, result in story.live:
        yield Answer("why_this_one", _this_one(story, trace, result))
    back = " ".join(_back(story))
    if back:
        yield Answer("why_back", back)
    if len(story.live) > 1:
        yield Answer("why_two_rows", _two_rows(story))
    yield Answer("which_field_orders", " ".join(_orders(use) for use in found.rules))


def _this_one(story: _Story, trace: SliceTrace, result: Result) -> str:
    version = trace.versions[result.version - 1]
    text = f"V{story.version(version)[1:]} is the record"
    mine = [story.decision(trace, decision) for decision in trace.decisions]
    parts = [f"{text}. {_sentences(mine)}" if mine else f"{text}, and the only version that its file slice holds."]
    if result.merged:
        parts.append(f"Not its own are the values of {', '.join(result.merged)}: the merge gave them.")
    if not mine:
        parts += _before(story, trace, version)
    return " ".join(parts)


def _before(story: _Story, trace: SliceTrace, version: Version) -> Iterator[str]:
    """What older base files of the group say of a row that met nothing since it was written."""
    group = trace.partition, trace.file_id
    if version.commit is not None and version.commit < trace.base_instant:
        yield (
            f"C{story.commit(trace.base_instant)[1:]} wrote the base file anew and left the row as it was: what came "
            "for the key in between, if anything did, lost against it and was not stored."
        )
    deleted = max((lost.commit for lost in story.found.lost if (lost.partition, lost.file_id) == group), default="")
    for older in story.found.earlier:
        for result in older.results:
            before = older.versions[result.version - 1]
            if (older.partition, older.file_id) == group and before.commit != version.commit:
                if (before.commit or "") < deleted:
                    return
                yield (
                    f"Before it the record was the {story.version(before).partition('(')[2][:-1]}, in the slice of "
                    f"{older.base_instant}. A writer decided between the two; a base file holds what came of that, "
                    "and nothing of what lost."
                )
                return


def _gone(story: _Story) -> str:
    parts = [
        _sentences([story.decision(trace, decision) for decision in trace.decisions])
        for trace in story.found.current
        if trace.versions
    ]
    parts += [_lost(story, lost) for lost in story.found.lost if not any(t.versions for t in story.found.current)]
    parts += _hidden(story)
    return " ".join(parts)


def _hidden(story: _Story) -> list[str]:
    return [
        f"File '{hidden.file}' holds the record, and {story.commit(hidden.replaced_by)} replaced its file group."
        for hidden in story.found.hidden
    ]


def _not_found(story: _Story) -> str:
    found = story.found
    where = "" if found.partition is None else f" of partition '{found.partition}'"
    text = f"No file{where} that is still there holds the record key '{found.key}' ({found.searched} file slices)."
    text += " A record key is what _hoodie_record_key has: of several columns, or by the key generator complex, "
    text += "it is written as 'id:1,name:a'."
    return f"{text} Whether there was one cannot be known: {story.unknown}." if story.unknown else text


def _back(story: _Story) -> Iterator[str]:
    told = False
    for trace, result in story.live:
        winner = trace.versions[result.version - 1]
        for lost in story.found.lost:
            if lost.partition == trace.partition and (winner.commit is None or winner.commit > lost.commit):
                told = True
                yield _lost(story, lost)
                yield f"V{story.version(winner)[1:]} came after that, and no tombstone was there to be compared with."
        for decision in trace.decisions:
            if decision.older is None or decision.choice == "delete":
                continue
            loser = decision.newer if decision.choice == "keep" else decision.older
            if trace.versions[loser - 1].delete is not None:
                told = True
                yield f"A delete of it is there and lost: {story.decision(trace, decision)}."
    if story.live and not told and story.unknown:
        yield f"Nothing that is still there deletes it. Whether something did cannot be known: {story.unknown}."


def _lost(story: _Story, lost: LostDelete) -> str:
    place = f"file group '{lost.file_id}'" + (f" of partition '{lost.partition}'" if lost.partition else "")
    if lost.version is None:
        return (
            f"C{story.commit(lost.commit)[1:]} deleted it from {place}: it wrote the base file anew without the row. A "
            "base file keeps no tombstone, so that the delete's ordering value is lost."
        )
    tombstone = lost.version
    ordering, log = ordering_text(tombstone.ordering), f"'{tombstone.file}' at byte {tombstone.offset}"
    return (
        f"C{story.commit(lost.commit)[1:]} deleted it from {place}: the tombstone ({ordering}) stands in log {log}. "
        f"C{story.commit(lost.dropped_by)[1:]} wrote the base file anew, which keeps no tombstones: it is lost."
    )


def _two_rows(story: _Story) -> str:
    places = Counter((trace.partition, trace.file_id) for trace, _ in story.live)
    rows = [
        f"{place} by {story.commit(trace.versions[result.version - 1].commit)}"
        for trace, result in story.live
        for place in [f"partition '{trace.partition}', file group '{trace.file_id}'"]
    ]
    why = []
    if len({partition for partition, _ in places}) > 1:
        why.append("a key is unique within its partition only, unless the index is a global one")
    if len({partition for partition, _ in places}) < len(places):
        why.append(
            "within a partition it stands in several file groups: it was written by an operation that does not look "
            "keys up (insert, bulk_insert), or by two writers at once"
        )
    if max(places.values()) > 1:
        why.append("within one file group it stands more than once: it was written by insert or bulk_insert")
    return f"There are {len(story.live)} rows: {'; '.join(rows)}. {_sentences(why)}"


def _orders(use: RuleUse) -> str:
    if use.compares is None:
        return f"{_USES[use.use]} a rule that cannot be used here: {use.label}."
    fields = ", ".join(use.ordering)
    if not use.ordering:
        how = "no field orders, as the table names none: arrival decides"
    elif use.compares:
        how = f"versions are ordered by {fields} ({use.ordering_from})"
    else:
        how = f"{fields} ({use.ordering_from}) is stored and not compared: arrival, or the rule's own columns, decide"
    deletes = f"; a record is a delete by {', '.join(use.delete_rules)}" if use.delete_rules else ""
    return f"{_USES[use.use]} {use.label}: {how}{deletes}."


def _sentences(texts: list[str]) -> str:
    return " ".join(f"{text[0].upper()}{text[1:]}." for text in texts)
