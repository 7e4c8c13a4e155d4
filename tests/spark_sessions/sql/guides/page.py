"""The page docs/sql-of-public-guides.md, made from the statements that tests run.

`python -m tests.spark_sessions.sql.guides.page` writes it; a test compares the page with the output.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from .collected import GUIDES
from .statement import Guide, Statement

__all__ = ["PAGE", "page"]

PAGE = Path(__file__).resolve().parents[4] / "docs" / "sql-of-public-guides.md"

_HEAD = """# SQL of public guides

`tests/spark_sessions/sql/guides` has {total} statements and calls of the guides below, with tables, columns and values
that were written for them. Names of formats are changed: `USING hoodoo`, ``hoodoo.`/path` ``, and `hoodoo.Table(path)`
for `DeltaTable.forPath(spark, path)`. The tests run each of them; {run} run, with the rows that the guide implies, and
{refused} are refused with an error. This page lists the refused ones, with a part of the message and the alternative.
It is generated from the tests.

"""


def page() -> str:
    """Return the text of the page."""
    every = [statement for guide in GUIDES for statement in _statements(guide)]
    refused = sum(statement.refused is not None for statement in every)
    lines = [_HEAD.format(total=len(every), run=len(every) - refused, refused=refused)]
    lines += _table(("guide", "statements", "run", "refused"), map(_numbers, GUIDES))
    for guide in GUIDES:
        rows = list(_refused(guide))
        if rows:
            lines += [f"\n## {guide.title}\n\n"]
            lines += _table(("section", "statement", "error", "alternative"), rows)
    return "".join(lines)


def _statements(guide: Guide) -> Iterator[Statement]:
    for section in guide.sections:
        yield from section.statements


def _numbers(guide: Guide) -> tuple[str, ...]:
    refused = [statement.refused is not None for statement in _statements(guide)]
    numbers = (len(refused), refused.count(False), refused.count(True))
    return (f"[{guide.title}]({guide.address})", *map(str, numbers))


def _refused(guide: Guide) -> Iterator[tuple[str, ...]]:
    for section in guide.sections:
        for statement in section.statements:
            if statement.refused is not None:
                yield section.title, _code(statement.text), statement.refused, statement.instead


def _code(text: str) -> str:
    shown = text if len(text) <= 110 else f"{text[:107].rpartition(' ')[0]} ..."
    ticks = "``" if "`" in shown else "`"
    space = " " if "`" in shown else ""
    return f"{ticks}{space}{shown}{space}{ticks}".replace("|", "\\|")


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> list[str]:
    lines = [head, ("---",) * len(head), *rows]
    return [f"| {' | '.join(line)} |\n" for line in lines]


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
