"""Command `hoodoo plugins`: it lists and shows the installed plugins, and creates a new one."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from hoodoo.cli.declared_members import declared_members, implemented_methods, member_lines
from hoodoo.cli.new_plugin import new_plugin
from hoodoo.errors import BrokenPlugin, PluginError, UnknownPlugin
from hoodoo.plugin import Catalogue, PluginClass, PluginHook, PluginInfo
from hoodoo.plugin.installed.families import FAMILIES, family_of
from hoodoo.plugin.installed.suggestions import unknown_plugin
from hoodoo.plugin.installed.undeclared import undeclared_plugins
from hoodoo.record import Law

__all__ = ["app"]

app = typer.Typer(no_args_is_help=True, add_completion=False, help="List, show and create plugins.")
app.command("new")(new_plugin)

_Family = Annotated[str | None, typer.Option("--family", metavar="|".join(FAMILIES), help="Only this family.")]
_Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command("list")
def list_plugins(family: _Family = None, as_json: _Json = False) -> None:
    """List the installed plugins. Nothing is imported, so broken plugins are listed too.

    Warnings name distributions that probably have a plugin but declare none that hoodoo finds.
    """
    _check_family(family)
    catalogue = Catalogue()
    infos = catalogue.list(family)
    for undeclared in undeclared_plugins():
        typer.echo(f"warning: {undeclared}", err=True)
    if as_json:
        typer.echo(json.dumps([_as_dict(info, catalogue) for info in infos], indent=2))
        return
    if not infos:
        typer.echo(f"no {FAMILIES[family].noun if family else 'plugin'} is installed")
        return
    columns = ["family", "name", "distribution", "version"]
    rows = [[info.family, info.name, info.distribution, info.version] for info in infos]
    if not all(catalogue.allows(info) for info in infos):
        columns.append("allowed")
        for info, row in zip(infos, rows, strict=True):
            row.append("yes" if catalogue.allows(info) else "no")
    _print_table(columns, rows)


@app.command("show")
def show_plugin(
    name: Annotated[str, typer.Argument(help="Name or alias, with or without its family: `merger:acme-max`.")],
    family: _Family = None,
    as_json: _Json = False,
) -> None:
    """Show the distribution, options, aliases, claimed laws and all declared members of a plugin.

    A name that several families have is shown for each family (as JSON, in a list).
    """
    prefix, colon, rest = name.partition(":")
    if colon and prefix in FAMILIES:
        family, name = family or prefix, rest
    _check_family(family)
    catalogue = Catalogue()
    shown = [_load(info, catalogue) for info in _find(name, family, catalogue)]
    if as_json:
        found = [_as_dict(info, catalogue) | _details(plugin) for info, plugin in shown]
        typer.echo(json.dumps(found[0] if len(found) == 1 else found, indent=2, default=str))
    else:
        for index, (info, plugin) in enumerate(shown):
            _print_plugin(info, plugin, first=index == 0)
    failed = [plugin for _, plugin in shown if isinstance(plugin, PluginError)]
    for error in failed:
        typer.echo(f"error: {error}", err=True)
    if failed:
        raise typer.Exit(1)


def _check_family(family: str | None) -> None:
    if family is not None and family not in FAMILIES:
        raise typer.BadParameter(f"'{family}' is not a family; use one of {', '.join(FAMILIES)}", param_hint="--family")


def _find(name: str, family: str | None, catalogue: Catalogue) -> list[PluginInfo]:
    found = []
    for kind in [family] if family else FAMILIES:
        try:
            found.append(catalogue.find(kind, name))
        except UnknownPlugin:
            continue
    if not found:
        raise unknown_plugin(name, catalogue.list(), family, undeclared_plugins())
    return found


def _load(info: PluginInfo, catalogue: Catalogue) -> tuple[PluginInfo, PluginClass | PluginHook | PluginError]:
    try:
        return info, catalogue.imported(info.family, info.name)
    except PluginError as error:
        return info, error


def _as_dict(info: PluginInfo, catalogue: Catalogue) -> dict[str, Any]:
    return {
        "family": info.family,
        "name": info.name,
        "distribution": info.distribution,
        "version": info.version,
        "module": info.module,
        "aliases": list(info.aliases),
        "allowed": catalogue.allows(info),
    }


def _details(plugin: PluginClass | PluginHook | PluginError) -> dict[str, Any]:
    if isinstance(plugin, PluginError):
        return {"error": str(plugin), "broken": isinstance(plugin, BrokenPlugin)}
    members: dict[str, Any] = {}
    if isinstance(plugin, PluginClass):
        members = {"declares": declared_members(plugin), "methods": implemented_methods(plugin)}
    return {
        "description": plugin.description,
        "laws": list(plugin.laws),
        **members,
        "options": [
            {
                "name": option.name,
                "key": option.key,
                "type": option.type,
                "required": option.required,
                "default": option.default,
                "help": option.help,
            }
            for option in plugin.options
        ],
    }


def _print_plugin(info: PluginInfo, plugin: PluginClass | PluginHook | PluginError, *, first: bool) -> None:
    if not first:
        typer.echo("")
    typer.echo(f"{FAMILIES[info.family].noun} '{info.name}'")
    if not isinstance(plugin, PluginError):
        typer.echo("".join(f"  {line}\n" for line in plugin.description.splitlines()))
    facts = [("distribution", f"{info.distribution} {info.version}"), ("module", info.module)]
    facts += [("aliases" if index == 0 else "", alias) for index, alias in enumerate(info.aliases)]
    if isinstance(plugin, PluginError):
        _print_facts(facts)
        return
    if family_of(info.family).claims_laws:
        claims = [f"{name.lower()}: {Law[name].value}" for name in plugin.laws] or ["none"]
        facts += [("claims" if index == 0 else "", claim) for index, claim in enumerate(claims)]
    if isinstance(plugin, PluginClass):
        facts += member_lines(declared_members(plugin))
        if methods := implemented_methods(plugin):
            facts.append(("methods", ", ".join(methods)))
    _print_facts(facts if plugin.options else [*facts, ("options", "none")])
    if not plugin.options:
        return
    typer.echo("")
    rows = [
        [
            " or ".join(option.keys),
            option.type,
            "required" if option.required else json.dumps(option.default, default=str),
            option.help,
        ]
        for option in plugin.options
    ]
    _print_table(["option", "type", "default", "help"], rows)


def _print_facts(facts: Sequence[tuple[str, str]]) -> None:
    width = max(13, *(len(label) for label, _ in facts))
    for label, text in facts:
        typer.echo(f"  {label:<{width}} {text}".rstrip())


def _print_table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a formatted table on a terminal, and plain lines without wrapping elsewhere."""
    if sys.stdout.isatty():
        table = Table(*columns, box=None, pad_edge=False, header_style="bold")
        for row in rows:
            table.add_row(*row)
        Console(markup=False, highlight=False).print(table)
        return
    widths = [max(len(cell) for cell in column) for column in zip(columns, *rows, strict=True)]
    for row in (columns, *rows):
        typer.echo("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
