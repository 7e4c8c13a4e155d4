"""Output of the quickstart on the terminal."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from hoodoo.cli.quickstart.table_figures import Facts, TableFigures, TripHistory, TripVersion
from hoodoo.options import default_plugins

__all__ = ["commands_to_try", "show"]

_GONE = "no row"


def show(facts: Facts, console: Console) -> None:
    """Print the facts. Without a terminal, lines are not wrapped, so that programs can search them."""
    _print(console, "The same three batches were written to two Hudi tables of taxi trips; only the merger differs.")
    for merger, table in facts.tables.items():
        _print(console, f"  {merger:<12} {table.path}")
    for merger, table in facts.tables.items():
        _heading(console, f"Timeline of '{merger}'")
        _show_timeline(console, table)
    merger, table = next(iter(facts.tables.items()))
    _heading(console, f"Files of '{merger}'")
    _show_files(console, table)
    _heading(console, f"A late record: {facts.late.trip_id}")
    _print(console, "  The upsert has a record whose ts is earlier than the stored one.")
    _show_trip(console, facts, facts.late, "the late record")
    _heading(console, f"A tie: {facts.tied.trip_id}")
    _print(console, "  The upsert has a record whose ts is equal to the stored one.")
    _show_trip(console, facts, facts.tied, "the later arrival")
    _heading(console, f"A delete: {facts.deleted.trip_id}")
    _show_trip(console, facts, facts.deleted, "the delete")
    _heading(console, "Try next")
    for command in commands_to_try(facts):
        _print(console, f"  {command}")


def commands_to_try(facts: Facts) -> list[str]:
    """Return three shell commands to run next."""
    table = next(iter(facts.tables.values()))
    program = f"import hoodoo; print(hoodoo.Table({json.dumps(str(table.path))}).to_arrow().slice(0, 2).to_pylist())"
    return [
        f"{_program('hoodoo')} plugins show merger:{default_plugins.MERGER_WITH_ORDERING}",
        f"{_program('hoodoo')} doctor --session",
        f"{_program('python')} -c {shlex.quote(program)}",
    ]


def _program(name: str) -> str:
    """Return the shell command of a program of this Python: its name if the shell finds it, else its path.

    Under tox it is the path, because tox sets `PATH` only for its own processes.
    """
    program = Path(sys.executable).with_name(name)
    if "TOX_ENV_DIR" not in os.environ and (found := shutil.which(name)) and Path(found).absolute() == program:
        return name
    here = Path.cwd()
    return shlex.quote(str(program.relative_to(here) if program.is_relative_to(here) else program))


def _show_timeline(console: Console, table: TableFigures) -> None:
    columns = ["instant", "operation", "inserted", "updated", "deleted", "ignored", "rows after"]
    rows = [
        [
            commit.instant or "",
            commit.operation,
            *(
                "" if number is None else f"{number:,}"
                for number in (
                    commit.rows_inserted,
                    commit.rows_updated,
                    commit.rows_deleted,
                    commit.rows_ignored,
                    after,
                )
            ),
        ]
        for commit, after in zip(table.commits, table.rows, strict=True)
    ]
    _print_table(console, columns, rows, numbers_from=2)


def _show_files(console: Console, table: TableFigures) -> None:
    rows = [[part.path, f"{part.file_slices:,}", f"{part.rows:,}", f"{part.bytes:,}"] for part in table.partitions]
    _print_table(console, ["partition", "file slices", "rows", "bytes"], rows, numbers_from=1)
    current = sum(part.file_slices for part in table.partitions)
    _print(
        console,
        f"  {table.base_files} base files on disk: {current} are the current state of the table, "
        f"{table.base_files - current} are earlier states for time travel.",
    )


def _show_trip(console: Console, facts: Facts, trip: TripHistory, what: str) -> None:
    rows = [["first load", *_cells(trip.first), ""]]
    for merger, version in trip.now.items():
        # if the record lost, the row equals that of the first load
        lost = _cells(version) == _cells(trip.first)
        rows.append([merger, *_cells(version), f"{what} {'lost' if lost else 'won'}"])
    _print_table(console, ["", "status", "fare", "ts", ""], rows)


def _cells(version: TripVersion | None) -> list[str]:
    if version is None:
        return [_GONE, "", ""]
    return [version.status, str(version.fare), f"{version.ts:%Y-%m-%d %H:%M:%S}"]


def _heading(console: Console, text: str) -> None:
    _print(console, "")
    _print(console, text, "bold")


def _print(console: Console, text: str, style: str = "") -> None:
    console.print(Text(text, style), soft_wrap=True)


def _print_table(
    console: Console, columns: Sequence[str], rows: Sequence[Sequence[str]], numbers_from: int | None = None
) -> None:
    right = range(len(columns) if numbers_from is None else numbers_from, len(columns))
    if console.is_terminal:
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
        for index, column in enumerate(columns):
            table.add_column(column, justify="right" if index in right else "left", overflow="fold")
        for row in rows:
            table.add_row(*map(Text, row))
        console.print(table)
        return
    widths = [max(map(len, column)) for column in zip(columns, *rows, strict=True)]
    for row in (columns, *rows):
        cells = [
            cell.rjust(width) if index in right else cell.ljust(width)
            for index, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        _print(console, f"  {'  '.join(cells)}".rstrip())
