"""Error for options of a plugin among the options of the write, which shows where they belong."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

from hoodoo.errors import HoodooError, PluginError, UnknownOption
from hoodoo.options import CatalogOptions, KeyOptions, RuleOptions, parse
from hoodoo.plugin import Catalogue
from hoodoo.plugin.installed.families import FAMILIES
from hoodoo.properties import load_properties
from hoodoo.properties.property_keys import DELETE_RULE, KEYGEN, MERGER, PAYLOAD
from hoodoo.storage import storage_for
from hoodoo.writing.prepare.prepare import GROUPS

__all__ = ["with_place_of_option"]

_STORED = {"merger": MERGER, "payload": PAYLOAD, "keygen": KEYGEN, "delete": DELETE_RULE}


def with_place_of_option(
    error: UnknownOption, options: Mapping[str, Any], path: str | os.PathLike[str], catalogue: Catalogue
) -> UnknownOption:
    """Return an error that shows where the option belongs, if a plugin of the write or of the table has it.

    Otherwise, return the error unchanged.

    Args:
        error: The error, which names the unknown option.
        options: All options that the user gave.
        path: The root folder of the table.
        catalogue: The catalogue of plugins.
    """
    key, value = error.option, options.get(error.option)
    for family, name in dict.fromkeys([*_named(options), *_of_table(options, path)]):
        try:
            plugin = catalogue.load(family, name)
        except PluginError:
            continue  # the error about the option is raised first; the next attempt reports the plugin
        found = next((option for option in plugin.options if key.lower() in map(str.lower, option.keys)), None)
        if found is not None:
            shown = "..." if found.secret else repr(value)
            return UnknownOption(
                f"there is no option '{key}' of a write; it is an option of {plugin.info.label}: write "
                f"'{FAMILIES[family].options}': {{'{key}': {shown}}}",
                option=key,
            )
    return error


def _named(options: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield family and name of the plugins that the options name."""
    try:
        given = parse(options, GROUPS, reject_unknown=False)
    except HoodooError:
        return  # another option is wrong; the next attempt reports it
    rule, keys = given[RuleOptions], given[KeyOptions]
    named = {"merger": rule.merger, "payload": rule.payload, "keygen": keys.keygen}
    yield from ((family, name) for family, name in named.items() if name)
    yield from (("delete", name) for name in _names(rule.delete_rule))
    yield from (("catalog", name) for name in given[CatalogOptions].catalogs or ())
    lock = options.get(FAMILIES["lock"].option)
    if lock:
        yield "lock", str(lock)


def _of_table(options: Mapping[str, Any], path: str | os.PathLike[str]) -> Iterator[tuple[str, str]]:
    """Yield the family and the name of each plugin in the stored table properties; nothing without a readable table."""
    try:
        stored = load_properties(storage_for(path, options))
    except HoodooError:
        return  # there is no table, or the write cannot read it and reports that
    for family, key in _STORED.items():
        yield from ((family, name) for name in _names(stored.get(key)))


def _names(text: str | None) -> list[str]:
    return [name.strip() for name in (text or "").split(",") if name.strip()]
