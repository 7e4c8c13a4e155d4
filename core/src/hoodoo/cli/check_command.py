"""Command `hoodoo check`: it shows all blockers and notices of jobs before they run."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer
from attrs import asdict

from hoodoo.errors import OptionError
from hoodoo.job_check import JobCheck, check_entries

__all__ = ["app"]

app = typer.Typer(add_completion=False)


@app.command()
def check(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="JSON: a dictionary of options; or a job with `options`, and optionally `id`, `kind` (write, "
            "stream-write, read), `mode` and `columns` (name: Spark type); or a list of jobs.",
        ),
    ],
    table: Annotated[
        str | None,
        typer.Option("--table", metavar="PATH", help="The table to examine; a path in the options is not followed."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object per job, in lines.")] = False,
) -> None:
    """Show all blockers and notices of jobs, without running them or writing anything.

    The exit code is 1 if a job is not accepted.
    """
    checks = check_entries(_entries(file), table)
    for found in checks:
        typer.echo(json.dumps(asdict(found), ensure_ascii=False) if as_json else _text(found))
    refused = sum(not found.accepted for found in checks)
    if not as_json and len(checks) > 1:
        typer.echo(f"{len(checks) - refused} of {len(checks)} jobs accepted")
    if refused:
        raise typer.Exit(1)


def _entries(file: Path) -> list[Any]:
    """Return the jobs of a file. Raise `OptionError` if the file cannot be read, or is not a JSON object or list."""
    try:
        content = json.loads(file.read_bytes())
    except OSError as error:
        raise OptionError(f"'{file}' cannot be read: {error.strerror}; check the path") from None
    except ValueError as error:
        raise OptionError(f"'{file}' is not JSON: {error}; correct the file") from None
    if isinstance(content, Mapping):
        return [content if isinstance(content.get("options"), Mapping) else {"id": file.name, "options": content}]
    if not isinstance(content, list):
        raise OptionError(f"the JSON in '{file}' is a single value; expected an object or a list of objects")
    return content


def _text(found: JobCheck) -> str:
    lines = [f"{found.id}: {'accepted' if found.accepted else 'not accepted'}"]
    lines += [f"  blocker: {text}" for text in found.blockers]
    lines += [f"  notice: {text}" for text in found.notices]
    return "\n".join(lines)
