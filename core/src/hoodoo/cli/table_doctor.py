"""Command `hoodoo table doctor`, which examines a table of any writer and changes nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from hoodoo.cli.doctor.check_result import Check
from hoodoo.cli.doctor.rendering import print_checks
from hoodoo.diagnosis import Diagnosis, Finding, Status, diagnose
from hoodoo.diagnosis.rows.table_rows import Progress as Report

__all__ = ["examine_table", "print_diagnosis"]

_MOST_PLACES = 3


def examine_table(path: str, options: Mapping[str, Any], *, rows: bool, sample: int | None, as_json: bool) -> None:
    """Examine a table and print the result.

    Args:
        path: The root folder of the table, or its URI.
        options: The options of the writes that are planned, and of the object store.
        rows: Whether to read rows, to find repeated keys and wrong partitions.
        sample: The approximate number of rows to read; None for all rows. It has no effect if `rows` is False.
        as_json: Whether to print JSON.

    Raises:
        typer.Exit: There is a problem; the exit code is 1.
        HoodooError: As in `diagnose`.
    """
    with _progress_bar() as report:
        diagnosis = diagnose(path, options, rows=rows, sample=sample, progress=report)
    print_diagnosis(diagnosis, as_json=as_json)


def print_diagnosis(diagnosis: Diagnosis, *, as_json: bool) -> None:
    """Print the findings of a diagnosis with their advice. Raise `typer.Exit` with code 1 if there is a problem."""
    if as_json:
        typer.echo(json.dumps(diagnosis.to_dict(), indent=2, ensure_ascii=False))
    else:
        _print(diagnosis)
    if diagnosis.worst is Status.PROBLEM:
        raise typer.Exit(1)


def _print(diagnosis: Diagnosis) -> None:
    typer.echo(diagnosis.path)
    print_checks(Console(markup=False, highlight=False), [_check(finding) for finding in diagnosis.findings])
    if diagnosis.unread:
        typer.echo("\nnot examined")
        for description in diagnosis.unread:
            typer.echo(f"  {description}")
    typer.echo(f"\n{_summary(diagnosis)}")


def _check(finding: Finding) -> Check:
    shown = [f"\n  {place}" for place in finding.places[:_MOST_PLACES]]
    if len(finding.places) > _MOST_PLACES:
        shown.append("\n  ... more places with --json")
    return Check(finding.check, finding.status, finding.found + "".join(shown), finding.advice)


def _summary(diagnosis: Diagnosis) -> str:
    counts = {status: sum(f.status is status for f in diagnosis.findings) for status in Status}
    return ", ".join(f"{number} {status}" for status, number in reversed(counts.items()) if number)


@contextmanager
def _progress_bar() -> Iterator[Report]:
    """Yield a function that shows the progress on standard error; nothing is shown without a terminal."""
    console = Console(stderr=True)
    columns = TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn()
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        tasks: dict[str, Any] = {}

        def report(step: str, done: int, total: int) -> None:
            if step not in tasks:
                tasks[step] = bar.add_task(step, total=total)
            bar.update(tasks[step], completed=done)

        yield report
