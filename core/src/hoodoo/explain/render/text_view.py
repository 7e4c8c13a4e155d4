"""Explanations as text: the versions and decisions of each file slice, and the answers."""

from __future__ import annotations

import io
from collections.abc import Iterator

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from hoodoo.explain.explanation import Explanation, SliceTrace, Version
from hoodoo.explain.questions import ordering_text
from hoodoo.explain.render.short_values import short
from hoodoo.schema.meta_columns import META_COLUMNS

__all__ = ["as_text", "rendered"]

QUESTIONS = {
    "why_this_one": "Why did this one win?",
    "why_back": "Why is a deleted row back?",
    "why_gone": "Why is there no row?",
    "why_two_rows": "Why are there several rows?",
    "which_statement": "Which statement refused or wrote it?",
    "other_paths": "Would other writes of the same versions give another row?",
    "which_field_orders": "Which field orders?",
}
_WIDE = 100_000


def as_text(explanation: Explanation) -> str:
    """Return the explanation as plain text, whose lines are neither wrapped nor shortened."""
    console = Console(file=io.StringIO(), width=_WIDE, color_system=None, highlight=False, markup=False)
    with console.capture() as captured:
        console.print(rendered(explanation))
    return "\n".join(line.rstrip() for line in captured.get().splitlines())


def rendered(explanation: Explanation) -> RenderableType:
    """Return the explanation as an object that a console of `rich` can print."""
    return Group(*_parts(explanation))


def _parts(explanation: Explanation) -> Iterator[RenderableType]:
    where = "" if explanation.partition is None else f" in partition '{explanation.partition}'"
    when = "" if explanation.as_of is None else f" as of {explanation.as_of}"
    yield Text(f"record key '{explanation.key}'{where} of {explanation.table}{when}", "bold")
    for trace in (*explanation.current, *explanation.earlier):
        yield Text("")
        yield from _slice(explanation, trace)
    for answer in explanation.answers:
        yield Text("")
        yield Text(QUESTIONS[answer.question], "bold")
        yield Text(answer.text)


def _slice(explanation: Explanation, trace: SliceTrace) -> Iterator[RenderableType]:
    group = f"file group {trace.file_id}" + (f" of partition '{trace.partition}'" if trace.partition else "")
    read = "read" if trace.is_current else "no longer read"
    yield Text(f"{group}, slice of {trace.base_instant} ({read})", "bold")
    if not trace.versions:
        yield Text("  has no version of the record")
        return
    table = Table("", "version", "commit", "ordering", "what", box=None, pad_edge=False, padding=(0, 1))
    for name in ("where", "data"):
        table.add_column(name, overflow="fold")
    for version in trace.versions:
        won = version.number in trace.winners
        operation = explanation.commits.get(version.commit or "")
        table.add_row(
            "  *" if won else "",
            str(version.number),
            (version.commit or "unknown") + (f" {operation}" if operation else ""),
            ordering_text(version.ordering),
            "row" if version.delete is None else f"{version.delete.replace('_', ' ')} delete",
            _place(version),
            _data(version),
            style="green" if won else "red" if version.delete else None,
        )
    yield table
    for decision in trace.decisions:
        older = "no base row" if decision.older is None else f"version {decision.older}"
        changed = "".join(f", sets {name} = {short(value)}" for name, value in decision.changed.items())
        code = "" if decision.code is None else f" [reason {decision.code}]"
        yield Text(f"  version {decision.newer} against {older}: {decision.choice}{changed}: {decision.reason}{code}")
    for result in trace.results:
        values = ", ".join(f"{k} = {short(v)}" for k, v in result.row.items() if k not in META_COLUMNS)
        yield Text(f"  row: {values}")
    if not trace.results:
        yield Text("  row: none")


def _place(version: Version) -> str:
    block = f"row {version.row}" if version.offset is None else f"byte {version.offset}, record {version.row}"
    names = "".join(f"; {name} is named {stored}" for name, stored in version.stored_names.items())
    return f"{version.file} ({block}{names})"


def _data(version: Version) -> str:
    if version.data is None:
        return ""
    return ", ".join(f"{k} = {short(v)}" for k, v in version.data.items() if k not in META_COLUMNS)
