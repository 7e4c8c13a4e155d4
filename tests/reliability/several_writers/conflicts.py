"""Conflicts between operations, found by running each pair: `python -m tests.reliability.several_writers.conflicts`.

The first operation begins and writes its files; then the second one runs completely; then the first commits. The
command rewrites the tables in `docs/reliability.md`.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from attrs import frozen

from hoodoo.errors import CommitConflict
from hoodoo.testing.engine import ArrowBatch
from hoodoo.txn.heartbeat import Heartbeat
from hoodoo.write_job import run_job
from hoodoo.writing.write import no_progress
from tests.reliability.actors import acting_as
from tests.reliability.operations import (
    KINDS,
    NO_SERVICES,
    Engine,
    Kind,
    Rows,
    _archive,
    _clean,
    _compact,
    read,
    table_of,
)
from tests.reliability.store import Files, opened_by_uri

from .pausing import Pausing

__all__ = ["PAGE", "TABLES", "matrix"]

PAGE = Path(__file__).resolve().parents[3] / "docs/reliability.md"

# the bloom index and the simple one find the same keys
OPTIONS = {**NO_SERVICES, "index": "simple", "small_file_limit": 0}


@frozen
class Action:
    """An operation on the prepared table.

    Attributes:
        name: The name on the page.
        run: The function that runs the operation.
        after: A function that returns the rows after it from the rows before it.
    """

    name: str
    run: Callable[[Files, Kind], object]
    after: Callable[[Rows], Rows] = dict


def _writes(name: str, operation: str, rows: Rows, after: Callable[[Rows], Rows], **more: Any) -> Action:
    def run(files: Files, kind: Kind) -> object:
        options = {**kind.later_options, **OPTIONS, "operation": operation, **more}
        return run_job(ArrowBatch(table_of(rows), 2), files.uri, options, "append", Engine(), no_progress)

    return Action(name, run, after)


def _adds(rows: Rows) -> Callable[[Rows], Rows]:
    return lambda before: before | rows


def _removes(keys: str) -> Callable[[Rows], Rows]:
    return lambda before: {key: row for key, row in before.items() if key not in keys.split()}


def _replaces(rows: Rows, partition: str = "") -> Callable[[Rows], Rows]:
    return lambda before: {k: r for k, r in before.items() if partition and r[0] != partition} | rows


def _cleaning(files: Files, kind: Kind) -> object:
    return _clean(files, kind), _archive(files, kind)


def _row(key: str, value: int) -> Rows:
    return {key: (key[0], value)}


def _actions(inserted: str) -> list[Action]:
    """Return the possible operations. `inserted` is the key of the insert without a look-up.

    The two writers need different keys for it, because it would store a key of the other one again.
    """
    return [
        _writes("update in file group 1", "upsert", _row("a1", 11), _adds(_row("a1", 11))),
        _writes("update in file group 2", "upsert", _row("a2", 12), _adds(_row("a2", 12))),
        _writes("upsert of a new key", "upsert", _row("a8", 13), _adds(_row("a8", 13))),
        _writes("upsert of a new key, other partition", "upsert", _row("b8", 14), _adds(_row("b8", 14))),
        _writes("insert without a look-up", "insert", _row(inserted, 15), _adds(_row(inserted, 15))),
        _writes("delete in file group 1", "delete", _row("a1", 0), _removes("a1")),
        _writes("insert_overwrite", "insert_overwrite", _row("a5", 16), _replaces(_row("a5", 16), "a")),
        _writes("insert_overwrite_table", "insert_overwrite_table", _row("c1", 17), _replaces(_row("c1", 17))),
        _writes("delete_partition", "delete_partition", {}, _replaces({}, "a"), partitions_to_delete="a"),
        Action("compaction", _compact),
        Action("clean and archive", _cleaning),
    ]


TABLES = {"Copy-on-write": "cow9p", "Merge-on-read, version 6": "mor6p", "Merge-on-read, versions 8 and 9": "mor9p"}


def prepared(kind: Kind) -> tuple[Files, Rows]:
    """Create a table with two file groups in partition `a`, the first one updated, and one in partition `b`."""
    files, rows = Files(), dict[str, tuple[str, int]]()
    for number, (operation, key) in enumerate([("insert", "a1"), ("insert", "a2"), ("insert", "b1"), ("upsert", "a1")]):
        options = {**(kind.later_options if rows else kind.options), **OPTIONS, "operation": operation}
        batch = ArrowBatch(table_of(_row(key, number)), 2)
        run_job(batch, files.uri, options, "append", Engine(), no_progress)
        rows |= _row(key, number)
    return files, rows


def pairs_of(kind: Kind) -> list[tuple[Action, Action]]:
    """Return each possible operation on a table of a kind in two forms: as the first and as the second one."""
    pairs = zip(_actions("a9"), _actions("a7"), strict=True)
    return [pair for pair in pairs if pair[0].name != "compaction" or kind.type == "MERGE_ON_READ"]


def outcome(kind: Kind, table: tuple[Files, Rows], first: Action, second: Action) -> bool:
    """Run two operations, the second during the first; return whether they conflict.

    Raises:
        AssertionError: The rows are not those that the successful operations leave in one of their orders.
    """
    files, rows = table[0].copy(), table[1]
    try:
        pausing = Pausing(lambda: second.run(files, kind))
        with acting_as(pausing):
            first.run(files, kind)
        # a clean holds the lock from its beginning to its end
        pausing.other()
    except CommitConflict:
        assert read(files) == second.after(rows), f"{first.name}, {second.name}"
        return True
    found = read(files)
    assert found in (first.after(second.after(rows)), second.after(first.after(rows))), f"{first.name}, {second.name}"
    return False


def matrix(kind: Kind) -> str:
    """Return the Markdown table of a kind: a row for the first operation, a column for the one completed during it."""
    actions, table = pairs_of(kind), prepared(kind)
    lines = [
        " | ".join(["| begun first", *(f"{number}" for number in range(1, len(actions) + 1))]) + " |",
        "|---" * (len(actions) + 1) + "|",
    ]
    for number, (first, _) in enumerate(actions, 1):
        cells = ("✗" if outcome(kind, table, first, second) else "·" for _, second in actions)
        lines.append(" | ".join([f"| {number} {first.name}", *cells]) + " |")
    return "\n".join(lines)


def sections() -> Iterator[tuple[str, str]]:
    """Yield the title of each table, and the table between the marks that the page has around it."""
    for title, kind in TABLES.items():
        yield title, f"<!-- conflicts: {title} -->\n{matrix(KINDS[kind])}\n<!-- end -->"


def main() -> None:
    """Rewrite the tables of the page."""
    text = PAGE.read_text(encoding="utf-8")
    Heartbeat.__attrs_post_init__ = lambda self: None  # type: ignore[method-assign]
    with opened_by_uri(), warnings.catch_warnings():
        warnings.simplefilter("error")
        for title, section in sections():
            start = text.index(f"<!-- conflicts: {title} -->")
            text = text[:start] + section + text[text.index("<!-- end -->", start) + len("<!-- end -->") :]
    PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
