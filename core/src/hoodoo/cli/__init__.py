"""Command line `hoodoo`. The module of a command is imported when the command is called.

Exit codes: 0 for success; 1 for an error, whose message is on standard error, or for a negative result of a check; 2
for wrong usage.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import typer
from typer.core import TyperGroup

from hoodoo.__about__ import __version__
from hoodoo.errors import HoodooError

__all__ = ["COMMANDS", "app", "main"]

COMMANDS: Mapping[str, str] = {
    "check": "hoodoo.cli.check_command:app",
    "doctor": "hoodoo.cli.doctor:app",
    "plugins": "hoodoo.cli.plugins_command:app",
    "quickstart": "hoodoo.cli.quickstart:app",
    "table": "hoodoo.cli.table_command:app",
}
"""The `typer.Typer` of each command, as `module:attribute`. A `Typer` with a single function has no subcommands."""


class _LazyGroup(TyperGroup):
    """Group that imports a command when this command is called, or when the help of the group is shown."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in COMMANDS:
            return None
        if cmd_name not in self.commands:
            module, _, attribute = COMMANDS[cmd_name].partition(":")
            command = typer.main.get_command(getattr(importlib.import_module(module), attribute))
            command.name = cmd_name
            self.commands[cmd_name] = command
        return self.commands[cmd_name]


app = typer.Typer(cls=_LazyGroup, no_args_is_help=True, add_completion=False, pretty_exceptions_show_locals=False)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"hoodoo {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: bool = typer.Option(False, "--version", help="Show the version.", is_eager=True, callback=_show_version),
) -> None:
    """Apache Hudi tables in pure Python."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit. A `HoodooError` is printed as a message without a traceback.

    Args:
        arguments: The arguments; None for those of the process.
    """
    try:
        app(None if arguments is None else list(arguments), prog_name="hoodoo")
    except HoodooError as error:
        typer.echo(f"error: {error}", err=True)
        sys.exit(1)
