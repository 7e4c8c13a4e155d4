"""Command `hoodoo doctor`: it checks the environment of Spark sessions and gives advice."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Annotated

import typer
from attrs import asdict
from rich.console import Console

from hoodoo.cli.doctor.check_result import Check, Status
from hoodoo.cli.doctor.rendering import print_checks

__all__ = ["app", "examine"]

app = typer.Typer(add_completion=False)


@app.command()
def doctor(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    session: Annotated[bool, typer.Option("--session", help="Start a session, run one row through Python.")] = False,
) -> None:
    """Check the environment of Spark sessions: Python, PySpark, Java, plugins and the data source.

    The exit code is 1 if a problem prevents hoodoo from working, and 0 otherwise.
    """
    console = Console(markup=False, highlight=False)
    if console.is_terminal and not as_json:
        with console.status("checking"):
            checks = list(examine(session))
    else:
        checks = list(examine(session))
    usable = all(check.status is not Status.PROBLEM for check in checks)
    if as_json:
        typer.echo(json.dumps({"usable": usable, "checks": [asdict(check) for check in checks]}, indent=2))
    else:
        print_checks(console, checks)
    if not usable:
        raise typer.Exit(1)


def examine(session: bool = False) -> Iterator[Check]:
    """Yield the results of all checks in the order of their dependencies.

    Args:
        session: Whether to start a Spark session, and to yield the results of the checks in it.
    """
    # imported here so that `hoodoo --help` starts quickly
    from hoodoo.cli.doctor.machine import check_java, check_spark_home, check_time_zone
    from hoodoo.cli.doctor.packages import check_packages
    from hoodoo.cli.doctor.plugins import check_plugins
    from hoodoo.cli.doctor.trial_session import check_session
    from hoodoo.cli.doctor.workers import check_workers

    yield from check_packages()
    yield check_java()
    yield from check_spark_home()
    yield from check_workers()
    yield check_time_zone()
    yield from check_plugins()
    if session:
        yield from check_session()
