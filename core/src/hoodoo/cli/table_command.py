"""`hoodoo table`: what a table holds, and why."""

from __future__ import annotations

import json
import sys
from typing import Annotated, Any

import typer
from attrs import asdict
from rich.console import Console

from hoodoo.errors import OptionError
from hoodoo.explain.render.short_values import plain
from hoodoo.explain.render.text_view import rendered
from hoodoo.table import Table

__all__ = ["app"]

app = typer.Typer(no_args_is_help=True, add_completion=False, help="What a table holds, and why.")

_Path = Annotated[str, typer.Argument(metavar="PATH", help="The table's root folder, or s3://bucket/prefix.")]
_Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
_Options = Annotated[
    list[str] | None,
    typer.Option(
        "--option",
        "-o",
        metavar="KEY=VALUE",
        help="An option, as a write takes it: `lock_provider=zookeeper`, or Hudi's key. May be repeated.",
    ),
]
_AsOf = Annotated[str | None, typer.Option("--as-of", metavar="INSTANT", help="The table as it was then.")]


@app.command("explain")
def explain_record(
    path: _Path,
    key: Annotated[str, typer.Argument(metavar="KEY", help="The record key, as _hoodie_record_key has it.")],
    partition: Annotated[str | None, typer.Option("--partition", metavar="P", help="Look in this one alone.")] = None,
    as_of: _AsOf = None,
    as_json: _Json = False,
) -> None:
    """Explain why a record is as it is: its versions, the rule's decisions, the winner.

    The exit code is 1 where no file on disk holds the key.
    """
    found = Table(path).explain(key, partition, as_of)
    if as_json:
        typer.echo(found.to_json())
    elif sys.stdout.isatty():
        Console(highlight=False, markup=False).print(rendered(found))
    else:
        typer.echo(str(found))
    if not found.found:
        typer.echo(f"error: record key '{key}' is in no file of {path}", err=True)
        raise typer.Exit(1)


@app.command("show")
def show_table(path: _Path, as_json: _Json = False) -> None:
    """Show what a table is: its columns and properties."""
    table = Table(path)
    facts = {
        "path": table.path,
        "columns": {field.name: str(field.type) for field in table.schema},
        "properties": dict(table.properties),
    }
    if as_json:
        _print_json(facts)
        return
    typer.echo(table.path)
    for title in ("columns", "properties"):
        typer.echo(f"\n{title}")
        for name, value in dict(facts[title]).items():
            typer.echo(f"  {name}  {value}")


@app.command("timeline")
def show_timeline(path: _Path, as_json: _Json = False) -> None:
    """Show the instants of the active timeline, the oldest first."""
    instants = Table(path).timeline.instants
    facts = [
        {"time": i.time, "action": i.action, "state": i.state.value, "completed_at": i.completed_at} for i in instants
    ]
    _print_lines(facts, as_json)


@app.command("files")
def show_files(path: _Path, as_of: _AsOf = None, as_json: _Json = False) -> None:
    """Show the file slices that make a table up."""
    facts = [
        {
            "partition": s.partition,
            "file_id": s.file_id,
            "base_instant": s.base_instant,
            "base_file": s.path,
            "logs": [log.path for log in s.logs],
            "bytes": s.total_size,
        }
        for s in Table(path).file_slices(as_of)
    ]
    _print_lines(facts, as_json)


@app.command("compact")
def compact_table(path: _Path, options: _Options = None, as_json: _Json = False) -> None:
    """Merge the logs of a merge-on-read table into new base files, in this process."""
    commit = Table(path).compact(**_given(options))
    if as_json:
        _print_json(None if commit is None else asdict(commit))
    elif commit is None:
        typer.echo("there are no logs to compact")
    else:
        typer.echo(f"compacted by {commit.instant}: {commit.files} files, {commit.bytes} bytes")


@app.command("clean")
def clean_table(
    path: _Path,
    commits: Annotated[
        int | None, typer.Option("--commits-retained", metavar="N", help="Commits whose files are kept; 10 by default.")
    ] = None,
    options: _Options = None,
    as_json: _Json = False,
) -> None:
    """Delete the files that nothing needs any more."""
    done = Table(path).clean(**_given(options), **({} if commits is None else {"commits_retained": commits}))
    if as_json:
        _print_json(None if done is None else asdict(done))
    elif done is None:
        typer.echo("there is nothing to clean")
    else:
        typer.echo(f"cleaned by {done.instant}: {len(done.files)} files")


def _given(options: list[str] | None) -> dict[str, Any]:
    """Options by key. Raises `OptionError` for one without a value."""
    given: dict[str, Any] = {}
    for text in options or ():
        key, equals, value = text.partition("=")
        if not equals:
            raise OptionError(f"--option takes KEY=VALUE, got '{text}'")
        given[key.strip()] = value
    return given


def _print_lines(facts: list[dict[str, Any]], as_json: bool) -> None:
    if as_json:
        _print_json(facts)
        return
    for fact in facts:
        typer.echo(
            "  ".join(" ".join(v) if isinstance(v, list) else str("-" if v is None else v) for v in fact.values())
        )


def _print_json(facts: object) -> None:
    typer.echo(json.dumps(plain(facts), indent=2, ensure_ascii=False))
