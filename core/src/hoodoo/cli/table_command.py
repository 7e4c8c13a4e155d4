"""Command `hoodoo table`: it shows the contents and history of a table, and runs table services."""

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

app = typer.Typer(
    no_args_is_help=True, add_completion=False, help="Show, explain, examine, compact, clean and sync tables."
)

indexes = typer.Typer(no_args_is_help=True, add_completion=False, help="Create and drop indexes of a table.")
app.add_typer(indexes, name="index")

_Path = Annotated[str, typer.Argument(metavar="PATH", help="The root folder of the table, or s3://bucket/prefix.")]
_Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
_Options = Annotated[
    list[str] | None,
    typer.Option(
        "--option",
        "-o",
        metavar="KEY=VALUE",
        help="An option of a write, such as `lock_provider=zookeeper`, or a key of Hudi. May be repeated.",
    ),
]
_Names = Annotated[list[str], typer.Argument(metavar="NAME...", help="The indexes, as `indexes` shows them.")]
_AsOf = Annotated[str | None, typer.Option("--as-of", metavar="INSTANT", help="Use the table as of this instant.")]


@app.command("explain")
def explain_record(
    path: _Path,
    key: Annotated[str, typer.Argument(metavar="KEY", help="The record key, as in _hoodie_record_key.")],
    partition: Annotated[
        str | None, typer.Option("--partition", metavar="P", help="Search only this partition.")
    ] = None,
    as_of: _AsOf = None,
    as_json: _Json = False,
    metadata_table: Annotated[
        bool, typer.Option("--metadata-table", help="Search only the file groups that the record index names.")
    ] = False,
) -> None:
    """Explain the row of a record: its versions, the decisions of the merge rule, and the winner.

    The exit code is 1 if no searched file has the key.
    """
    found = Table(path).explain(key, partition, as_of, metadata_table=metadata_table)
    if as_json:
        typer.echo(found.to_json())
    elif sys.stdout.isatty():
        Console(highlight=False, markup=False).print(rendered(found))
    else:
        typer.echo(str(found))
    if not found.found:
        typer.echo(
            f"error: no searched file of {path} has the record key '{key}'; check --partition, --as-of, "
            "and the key, which must be as in _hoodie_record_key",
            err=True,
        )
        raise typer.Exit(1)


@app.command("show")
def show_table(path: _Path, as_json: _Json = False) -> None:
    """Show the columns and properties of a table."""
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
    """Show the instants of the active timeline, oldest first."""
    instants = Table(path).timeline.instants
    facts = [
        {"time": i.time, "action": i.action, "state": i.state.value, "completed_at": i.completed_at} for i in instants
    ]
    _print_lines(facts, as_json)


@app.command("files")
def show_files(path: _Path, as_of: _AsOf = None, as_json: _Json = False) -> None:
    """Show the file slices of a table."""
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


@app.command("doctor")
def table_doctor(
    path: _Path,
    rows: Annotated[
        bool, typer.Option("--rows/--no-rows", help="Read the key columns of all rows, to find repeated keys.")
    ] = True,
    sample: Annotated[
        int | None,
        typer.Option("--sample", metavar="N", min=1, help="Read about N rows, the first ones of each file group."),
    ] = None,
    options: _Options = None,
    as_json: _Json = False,
) -> None:
    """Examine a table of any writer without writing to it, and predict the first write by hoodoo.

    With `-o`, give the options of the write that you plan. The exit code is 1 if there is a problem.
    """
    from hoodoo.cli.table_doctor import examine_table  # so that other commands start quickly

    examine_table(path, _given(options), rows=rows, sample=sample, as_json=as_json)


@app.command("indexes")
def show_indexes(path: _Path, options: _Options = None, as_json: _Json = False) -> None:
    """Show the partitions of the metadata table (list of files, indexes) with their latest instants and sizes."""
    from hoodoo.cli.metadata_commands import print_indexes  # so that other commands start quickly

    print_indexes(path, _given(options), as_json=as_json)


@indexes.command("create")
def create_index(path: _Path, names: _Names, options: _Options = None, as_json: _Json = False) -> None:
    """Create indexes in the metadata table, and first the metadata table if it does not exist.

    The names are files, column_stats, bloom_filters, record_index, partitioned_record_index and partition_stats. The
    option `index_columns` names the columns of column_stats. No other instant may be pending.
    """
    given = _given(options)
    created = Table(path, given).create_indexes(*names, **given)
    _print_json(created) if as_json else typer.echo(f"created {', '.join(created)}")


@indexes.command("drop")
def drop_index(path: _Path, names: _Names, options: _Options = None, as_json: _Json = False) -> None:
    """Remove indexes from the metadata table; if none remains, remove the metadata table itself."""
    given = _given(options)
    dropped = Table(path, given).drop_indexes(*names, **given)
    _print_json(dropped) if as_json else typer.echo(f"dropped {', '.join(dropped)}")


@app.command("validate")
def validate_metadata(path: _Path, options: _Options = None, as_json: _Json = False) -> None:
    """Compare the metadata table with the files and rows of the table, without writing to it.

    The exit code is 1 if there is a problem.
    """
    from hoodoo.cli.metadata_commands import print_validation  # so that other commands start quickly

    print_validation(path, _given(options), as_json=as_json)


@app.command("compact")
def compact_table(path: _Path, options: _Options = None, as_json: _Json = False) -> None:
    """Merge the logs of a merge-on-read table into new base files, in this process."""
    commit = Table(path).compact(**_given(options))
    if as_json:
        _print_json(None if commit is None else asdict(commit))
    elif commit is None:
        typer.echo("there are no logs to compact")
    else:
        files = f"{commit.files} {'file' if commit.files == 1 else 'files'}"
        typer.echo(f"compacted by {commit.instant}: {files}, {commit.bytes} bytes")


@app.command("clean")
def clean_table(
    path: _Path,
    commits: Annotated[
        int | None,
        typer.Option("--commits-retained", metavar="N", help="Number of commits whose files are kept; 10 by default."),
    ] = None,
    options: _Options = None,
    as_json: _Json = False,
) -> None:
    """Delete the files that no retained commit needs."""
    done = Table(path).clean(**_given(options), **({} if commits is None else {"commits_retained": commits}))
    if as_json:
        _print_json(None if done is None else asdict(done))
    elif done is None:
        typer.echo("there is nothing to clean")
    else:
        typer.echo(f"cleaned by {done.instant}: {len(done.files)} {'file' if len(done.files) == 1 else 'files'}")


@app.command("sync")
def sync_table(path: _Path, options: _Options = None, as_json: _Json = False) -> None:
    """Update the catalogs that list a table, such as a Hive metastore or AWS Glue.

    The options are those of the write: `--option catalogs=NAME`, or the keys of Hudi.
    """
    given = _given(options)
    updates = Table(path, given).sync(**given)
    if as_json:
        _print_json([asdict(update) for update in updates])
        return
    for update in updates:
        typer.echo(f"{update.catalog}: {', '.join(update.tables)}")
        for change in update.changes or ("there is nothing to change",):
            typer.echo(f"  {change}")


def _given(options: list[str] | None) -> dict[str, Any]:
    """Return the options by key. Raise `OptionError` for a text without `=`."""
    given: dict[str, Any] = {}
    for text in options or ():
        key, equals, value = text.partition("=")
        if not equals:
            raise OptionError(f"--option must be KEY=VALUE, not '{text}'")
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
