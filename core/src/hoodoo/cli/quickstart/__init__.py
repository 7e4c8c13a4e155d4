"""Command `hoodoo quickstart`: it writes two tables of generated trips, and shows the results of their mergers."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from attrs import asdict
from rich.console import Console
from rich.control import Control
from rich.segment import ControlType

__all__ = ["app"]

app = typer.Typer(add_completion=False)

_ERASE_LINE = Control(ControlType.CARRIAGE_RETURN, (ControlType.ERASE_IN_LINE, 2))


@app.command()
def quickstart(
    path: Annotated[
        Path | None,
        typer.Option("--path", metavar="DIR", help="Folder for the tables; by default a new one in quickstart-tables."),
    ] = None,
    rows: Annotated[int, typer.Option("--rows", min=20, help="Number of trips in the first load.")] = 10_000,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Write, upsert and delete generated trips with two mergers, and show the results.

    Spark runs on this machine. All figures are read from the tables, which are not deleted.
    """
    # imported here so that `hoodoo --help` starts quickly
    from hoodoo.cli.quickstart.table_figures import read_back
    from hoodoo.cli.quickstart.terminal_output import commands_to_try, show
    from hoodoo.cli.quickstart.trip_events import trip_events
    from hoodoo.cli.quickstart.trip_writes import free_folder, make_tables

    folder = free_folder(path)
    progress = Console(stderr=True, highlight=False)

    @contextmanager
    def step(text: str) -> Iterator[None]:
        # A write shows its own progress on the same line, so this text must be shorter than that one.
        if not progress.is_terminal:
            yield
            return
        progress.print(f"… {text}", end="\r", style="dim")
        started = time.monotonic()
        try:
            yield
        finally:
            progress.control(_ERASE_LINE)
        progress.print(f"[green]✓[/green] {text} [dim]{time.monotonic() - started:.1f} s[/dim]")

    with step(f"generate {rows:,} trips"):
        events = trip_events(rows)
    paths = make_tables(events, folder, step)
    with step("read the tables back"):
        facts = read_back(paths, events)
    if as_json:
        typer.echo(json.dumps({**asdict(facts), "next": commands_to_try(facts)}, indent=2, default=str))
        return
    if progress.is_terminal:
        progress.print()
    show(facts, Console(markup=False, highlight=False))
