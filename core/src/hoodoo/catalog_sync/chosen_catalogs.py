"""Choice of catalog providers by the options of a write; they are created before the write begins."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import attrs
from attrs import field, frozen

from hoodoo.caller import warn_caller
from hoodoo.catalog_sync.wanted_tables import check_properties
from hoodoo.errors import OptionError, UnknownOption, UnknownPlugin
from hoodoo.options import (
    CATALOG_KEYS,
    CatalogOptions,
    NoEffectWarning,
    Options,
    default_plugins,
    is_sync_requested,
)
from hoodoo.options.parsing.declare import keys_of
from hoodoo.plugin import BaseCatalogProvider, Catalogue, PluginClass
from hoodoo.plugin.completion import completed

__all__ = ["ChosenCatalog", "ChosenCatalogs", "choose_catalogs"]

_SILENT = {"hoodie.datasource.hive_sync.use_jdbc", "hoodie.datasource.hive_sync.ignore_exceptions"}
"""Keys without effect that need no notice: an older form of the mode, and the reaction to a failed sync."""

_ENABLE = {"hive_sync", "hoodie.datasource.hive_sync.enable", "catalog_sync", "hoodie.datasource.meta.sync.enable"}


@frozen
class ChosenCatalog:
    """Catalog provider of a write.

    Attributes:
        label: Plugin, distribution and version, for messages.
        provider: The provider, with the options that it declares.
        secrets: The values of its secret options.
    """

    label: str
    provider: BaseCatalogProvider
    secrets: tuple[str, ...] = field(default=(), repr=False)

    def shown(self, error: BaseException) -> str:
        """Return the text of an error without secrets."""
        text = str(error)
        for secret in self.secrets:
            text = text.replace(secret, "***")
        return text


@frozen
class ChosenCatalogs:
    """Catalog providers of a write, and the options for choosing them again.

    Attributes:
        catalogs: The providers, in the order in which they are synchronised.
        repeated: Options for another sync, without secrets.
    """

    catalogs: tuple[ChosenCatalog, ...] = ()
    repeated: tuple[tuple[str, str], ...] = ()

    def command(self, path: str) -> str:
        """Return the command that synchronises the table again, without secret options."""
        options = [part for key, value in self.repeated for part in ("--option", f"{key}={value}")]
        return shlex.join(["hoodoo", "table", "sync", path, *options])


def choose_catalogs(options: Options, catalogue: Catalogue, *, required: bool = False) -> ChosenCatalogs:
    """Return the catalog providers that the options choose; none if no sync is requested. No service is called.

    A provider that lacks options is left out with a warning, and so is a provider that Hudi's keys choose and that is
    not installed. Options of a Hudi job then do not stop a write.

    Args:
        options: `CatalogOptions`, and the given keys of catalog providers.
        catalogue: The catalogue of plugins.
        required: Whether the user requests a sync now. Providers are then chosen although no option enables the sync,
            and a provider that cannot be used is an error.

    Raises:
        OptionError: An option is invalid or unknown, or a sync is required and a provider lacks options.
        PluginError: A plugin cannot be loaded; or it is not installed, and `catalogs` names it or a sync is required.
    """
    given = options[CatalogOptions]
    keys = {key: value for key, value in options.given.items() if value is not None and CATALOG_KEYS.fullmatch(key)}
    if not (required or is_sync_requested(options.given)):
        _warn_without_effect((key for key in keys if key.lower() not in _ENABLE), "without the sync of a catalog")
        return ChosenCatalogs()
    check_properties(given)
    named = {name.lower() for name in options.given} & {"catalogs"}
    plugins: dict[str, PluginClass] = {}
    for name, is_named in _names(given):
        try:
            plugin = catalogue.load("catalog", name)
        except UnknownPlugin as error:
            if required or (is_named and named):
                raise
            _warn(f"the catalog is not updated by '{name}': {error}")
            continue
        plugins.setdefault(plugin.info.name, plugin)
    declared = {key.lower() for plugin in plugins.values() for option in plugin.options for key in option.keys}
    stated = _stated(options, given, declared)
    known = declared | _common_keys() | _SILENT
    _warn_without_effect((key for key in keys if key.lower() not in known), "with these catalogs")
    chosen = tuple(
        catalog for plugin in plugins.values() if (catalog := _made(plugin, stated, required=required)) is not None
    )
    return ChosenCatalogs(chosen, tuple(_repeated(options, plugins.values())))


def _names(given: CatalogOptions) -> Iterator[tuple[str, bool]]:
    """Yield pairs of a provider's name and whether it is in `catalogs`."""
    yield from ((name, True) for name in given.catalogs or ())
    if given.hive_sync or not given.catalogs:
        yield given.catalog_mode or default_plugins.CATALOG, False


def _stated(options: Options, given: CatalogOptions, declared: set[str]) -> dict[str, Any]:
    """Return the options of all providers: the keys that they declare, and `catalog_options`.

    Raises:
        UnknownOption: `catalog_options` has a key that no provider declares.
    """
    own = given.catalog_options or {}
    unknown = sorted(key for key in own if key.lower() not in declared)
    if unknown and declared:
        names = ", ".join(sorted(key for key in declared if not key.startswith("hoodie.")))
        raise UnknownOption(
            f"'catalog_options' has the unknown key {unknown[0]!r}; the options of these catalogs are: {names}"
        )
    stated = {
        key: value
        for key, value in options.given.items()
        if value is not None and key.lower().startswith("hoodie.") and key.lower() in declared
    }
    return {**stated, **own}


def _made(plugin: PluginClass, stated: Mapping[str, Any], *, required: bool) -> ChosenCatalog | None:
    declared = {key.lower(): option for option in plugin.options for key in option.keys}
    own = {key: value for key, value in stated.items() if key.lower() in declared}
    provider = completed(plugin.make(own), BaseCatalogProvider)
    if lacks := provider.missing():
        text = f"the catalog of {plugin.info.label} is not updated: {lacks}"
        if required:
            raise OptionError(text)
        _warn(text)
        return None
    secrets = tuple(str(value) for key, value in own.items() if declared[key.lower()].secret)
    return ChosenCatalog(plugin.info.label, provider, tuple(filter(None, secrets)))


def _repeated(options: Options, plugins: Iterable[PluginClass]) -> Iterator[tuple[str, str]]:
    """Yield the options that choose and configure the providers again, without secrets."""
    secret = {key.lower(): option.secret for plugin in plugins for option in plugin.options for key in option.keys}
    shown = _common_keys() | {key for key, hidden in secret.items() if not hidden and key.startswith("hoodie.")}
    for key, value in options.given.items():
        if key.lower() in shown and key.lower() != "catalog_options" and value is not None:
            yield key, ",".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
    own = options[CatalogOptions].catalog_options or {}
    if public := {key: value for key, value in own.items() if not secret.get(key.lower(), True)}:
        yield "catalog_options", json.dumps(public)


def _common_keys() -> set[str]:
    return {key.lower() for each in attrs.fields(CatalogOptions) for key in keys_of(each)}


def _warn_without_effect(keys: Iterable[str], reason: str) -> None:
    if left := sorted(keys):
        what = "this option has" if len(left) == 1 else "these options have"
        _warn(f"{what} no effect {reason}: {', '.join(left)}")


def _warn(text: str) -> None:
    warn_caller(text, NoEffectWarning)
