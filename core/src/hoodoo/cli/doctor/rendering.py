"""Output of checks: a table with colours on a terminal, and lines elsewhere."""

from __future__ import annotations

from collections.abc import Sequence

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from hoodoo.cli.doctor.check_result import Check, Status

__all__ = ["print_checks"]

_STYLES = {Status.OK: "green", Status.INFO: "cyan", Status.WARNING: "yellow", Status.PROBLEM: "bold red"}


def print_checks(console: Console, checks: Sequence[Check]) -> None:
    """Print checks with their advice."""
    if console.is_terminal:
        _print_table(console, checks)
    else:
        _print_lines(checks)


def _print_table(console: Console, checks: Sequence[Check]) -> None:
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column()
    table.add_column()
    table.add_column(overflow="fold")
    for check in checks:
        table.add_row(Text(check.status, _STYLES[check.status]), check.subject, check.found)
        if check.advice:
            table.add_row("", "", f"→ {check.advice}", style="dim")
    console.print(table)


def _print_lines(checks: Sequence[Check]) -> None:
    width = max((len(check.subject) for check in checks), default=0)
    for check in checks:
        found = check.found.replace("\n", f"\n{'':<{width + 11}}")
        typer.echo(f"{check.status:<7}  {check.subject:<{width}}  {found}")
        if check.advice:
            typer.echo(f"{'':<7}  {'':<{width}}  -> {check.advice}")
