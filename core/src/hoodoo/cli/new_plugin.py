"""Command `hoodoo plugins new`, which writes the distribution of a new plugin and prints the next commands."""

from __future__ import annotations

import json
import os
import shlex
from pathlib import Path
from typing import Annotated

import typer

from hoodoo.cli.scaffold import NewPlugin
from hoodoo.plugin import Catalogue
from hoodoo.plugin.installed.families import FAMILIES

__all__ = ["new_plugin"]


def new_plugin(
    family: Annotated[str, typer.Argument(metavar="FAMILY", help=f"One of {', '.join(FAMILIES)}.")],
    name: Annotated[str, typer.Argument(metavar="NAME", help="The name in options of a write, such as `larger-fare`.")],
    folder: Annotated[
        Path | None, typer.Option("--folder", help="Folder of the distribution; by default ./hoodoo-FAMILY-NAME.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Write a complete installable distribution with a working plugin and a passing test."""
    new = NewPlugin.of(family, name, Catalogue())
    folder = Path(new.distribution) if folder is None else folder
    written = new.write(folder)
    commands = _next(new, folder)
    if as_json:
        made: dict[str, object] = {
            "family": family,
            "name": name,
            "distribution": new.distribution,
            "module": new.module,
        }
        made |= {"folder": str(folder), "files": [str(file) for file in written], "next": commands}
        typer.echo(json.dumps(made, indent=2))
        return
    for file in written:
        typer.echo(f"wrote {file}")
    typer.echo("\nnext:")
    for command in commands:
        typer.echo(f"  {command}")


def _next(new: NewPlugin, folder: Path) -> list[str]:
    # without a separator, pip and pytest would not recognize the name as a path
    place = str(folder) if folder.is_absolute() else os.path.join(".", folder)  # noqa: PTH118 - Path drops the dot
    commands = [["pip", "install", "-e", f"{place}[test]"], ["pytest", place]]
    commands.append(["hoodoo", "plugins", "show", f"{new.family}:{new.name}"])
    return [shlex.join(command) for command in commands]
