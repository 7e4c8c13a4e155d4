"""Explanations as HTML and SVG for notebooks, without scripts, with colours for light and dark pages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from hoodoo.explain.explanation import Decision, Explanation, SliceTrace, Version
from hoodoo.explain.questions import ordering_text
from hoodoo.explain.render.short_values import short
from hoodoo.explain.render.text_view import QUESTIONS
from hoodoo.schema.meta_columns import META_COLUMNS

__all__ = ["as_html"]

_WON, _LOST, _DELETE = "#2da44e", "#8b949e", "#e5534b"
_LEFT, _STEP, _LANE, _TOP, _LEAST, _MOST = 190, 130, 92, 44, 480, 160
_GLUE = "\u00a0"
_CELL = "padding:2px 10px 2px 0;text-align:left;vertical-align:top;border:none;background:none;color:inherit"


def as_html(explanation: Explanation) -> str:
    """Return the explanation as one self-contained HTML element. Text from the table is escaped."""
    traces = [trace for trace in (*explanation.current, *explanation.earlier) if trace.versions]
    return "".join(
        [
            '<div style="font-family:system-ui,sans-serif;font-size:13px;line-height:1.45;color:inherit">',
            f"<div><b>{escape(explanation.key)}</b> in {escape(explanation.table)}</div>",
            *([_timeline(explanation, traces)] if traces else []),
            *(part for trace in traces for part in _slice(explanation, trace)),
            *(
                f'<p style="margin:8px 0 0;max-width:75em"><b>{escape(QUESTIONS[answer.question])}</b> '
                f"{escape(answer.text)}</p>"
                for answer in explanation.answers
            ),
            "</div>",
        ]
    )


def _timeline(explanation: Explanation, traces: Sequence[SliceTrace]) -> str:
    dropping = {lost.dropped_by for lost in explanation.lost}
    commits = sorted(dropping | {version.commit or "" for trace in traces for version in trace.versions})
    columns = {commit: _LEFT + _STEP // 2 + _STEP * place for place, commit in enumerate(commits)}
    width = max(_LEAST, _LEFT + _STEP * len(commits))
    height = _TOP + _LANE * len(traces)
    opening = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        'role="img" style="display:block;margin:8px 0;max-width:none" font-family="inherit" font-size="11" '
        'fill="currentColor">'
    )
    parts = [opening]
    for commit, x in columns.items():
        parts.append(_text(x, 14, commit or "unknown commit", anchor="middle"))
        parts.append(_text(x, 28, explanation.commits.get(commit, ""), anchor="middle", opacity=0.65))
        if commit in dropping:
            parts.append(_line(x, _TOP - 8, x, height, 0.8, f'stroke="{_DELETE}" stroke-dasharray="4 4"'))
            parts.append(_text(x + 5, height - 4, "keeps no tombstone", opacity=0.65))
        else:
            parts.append(_line(x, _TOP - 8, x, height, 0.15))
    for lane, trace in enumerate(traces):
        parts += _lane(trace, columns, _TOP + _LANE * lane + 52, width)
    return "".join([*parts, "</svg>"])


def _lane(trace: SliceTrace, columns: dict[str, int], y: int, width: int) -> Iterator[str]:
    opacity = 1 if trace.is_current else 0.7
    yield f'<g opacity="{opacity}">'
    yield _line(_LEFT, y, width, y, 0.35)
    yield _text(0, y - 12, trace.partition or "(no partition)")
    yield _text(0, y + 3, f"{trace.file_id[:22]}…" if len(trace.file_id) > 23 else trace.file_id, opacity=0.65)
    yield _text(0, y + 18, "read" if trace.is_current else f"older: {trace.base_instant}", opacity=0.65)
    places: dict[int, int] = {}
    for version in trace.versions:
        x = columns[version.commit or ""]
        # versions of one commit are next to each other
        places[version.number] = x + 24 * sum(1 for number in places if _commit(trace, number) == version.commit)
    compared = [decision for decision in trace.decisions if decision.older is not None]
    # longer arcs are drawn above shorter ones
    for rank, decision in enumerate(sorted(compared, key=lambda d: abs(places[d.older or 0] - places[d.newer]))):
        yield from _arc(decision, places, y, 22 + 8 * min(rank, 3))
    for version in trace.versions:
        yield from _mark(version, places[version.number], y, won=version.number in trace.winners)
    yield "</g>"


def _commit(trace: SliceTrace, number: int) -> str | None:
    return trace.versions[number - 1].commit


def _arc(decision: Decision, places: dict[int, int], y: int, rise: int) -> Iterator[str]:
    left, right = sorted((places[decision.older or 0], places[decision.newer]))
    colour = {"keep": _LOST, "take": _WON}.get(decision.choice, _DELETE)
    middle = (left + right) // 2
    title = f"version {decision.newer} against version {decision.older}: {decision.choice}: {decision.reason}"
    yield (
        f'<path d="M {left} {y - 12} Q {middle} {y - 2 * rise + 12} {right} {y - 12}" fill="none" stroke="{colour}" '
        f'stroke-width="1.5"><title>{escape(title)}</title></path>'
    )
    winner = decision.older if decision.choice == "keep" else decision.newer
    yield _text(middle, y - rise - 2, "deletes" if decision.choice == "delete" else f"{winner} wins", anchor="middle")


def _mark(version: Version, x: int, y: int, *, won: bool) -> Iterator[str]:
    colour = _DELETE if version.delete else _WON if won else _LOST
    title = f"version {version.number}, {ordering_text(version.ordering)}, {version.file}"
    yield f"<g><title>{escape(title)}</title>"
    if version.place == "base":
        yield f'<rect x="{x - 10}" y="{y - 10}" width="20" height="20" rx="4" fill="{colour}"/>'
    else:
        yield f'<circle cx="{x}" cy="{y}" r="10" fill="{colour}"/>'
    if won:
        yield f'<circle cx="{x}" cy="{y}" r="15" fill="none" stroke="{_WON}" stroke-width="2"/>'
    yield f'<text x="{x}" y="{y + 4}" text-anchor="middle" fill="#fff" font-weight="bold">{version.number}</text>'
    values = "" if version.ordering is None else ", ".join(map(short, version.ordering.values()))
    yield _text(x, y + 28, f"{values[:20]}{' ✕ delete' if version.delete else ''}", anchor="middle", opacity=0.8)
    yield "</g>"


def _slice(explanation: Explanation, trace: SliceTrace) -> Iterator[str]:
    state = "read" if trace.is_current else "no longer read"
    place = f"{trace.partition or '(no partition)'}, {trace.file_id}, slice of {trace.base_instant}: {state}"
    yield f'<details{" open" if trace.is_current else ""} style="margin-top:6px"><summary>{escape(place)}</summary>'
    yield '<table style="border-collapse:collapse;margin:4px 0;color:inherit;font-size:12px">'
    yield _row(["", "commit", "ordering", "what", "where", "data"], bold=True)
    for version in trace.versions:
        operation = explanation.commits.get(version.commit or "", "")
        yield _row(
            [
                f"{'✔' if version.number in trace.winners else ''}{version.number}",
                f"{version.commit or 'unknown'}{_GLUE}{operation}",
                ordering_text(version.ordering),
                "row" if version.delete is None else f"{version.delete.replace('_', ' ')} delete",
                version.file.rpartition("/")[2]
                + (f" at byte {version.offset}" if version.offset is not None else "")
                + "".join(f"; {name} is named {stored}" for name, stored in version.stored_names.items()),
                _data(version),
            ],
            bold=version.number in trace.winners,
        )
    yield "</table>"
    if trace.decisions:
        yield '<ul style="margin:4px 0;padding-left:18px">'
        for decision in trace.decisions:
            older = "no base row" if decision.older is None else f"version {decision.older}"
            changed = "".join(f", sets {name} = {short(value)}" for name, value in decision.changed.items())
            text = f"version {decision.newer} against {older}: {decision.choice}{changed}: {decision.reason}"
            yield f"<li>{escape(text)}</li>"
        yield "</ul>"
    yield "</details>"


def _data(version: Version) -> str:
    if version.data is None:
        return ""
    text = ", ".join(f"{k} = {short(v)}" for k, v in version.data.items() if k not in META_COLUMNS)
    return text if len(text) <= _MOST else f"{text[: _MOST - 1]}…"


def _row(cells: Sequence[str], *, bold: bool) -> str:
    style = f"{_CELL};font-weight:{'bold' if bold else 'normal'}"
    return "<tr>" + "".join(f'<td style="{style}">{escape(cell)}</td>' for cell in cells) + "</tr>"


def _text(x: int, y: int, text: str, *, anchor: str = "start", opacity: float = 1) -> str:
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}" opacity="{opacity}">{escape(text)}</text>'


def _line(x1: int, y1: int, x2: int, y2: int, opacity: float, stroke: str = 'stroke="currentColor"') -> str:
    return f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" {stroke} stroke-opacity="{opacity}"/>'
