"""Catalogue of installed plugins, which finds plugins without importing them, and imports only selected ones."""

from __future__ import annotations

import functools
import importlib
import json
from collections.abc import Iterable, Mapping
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from attrs import define, field

from hoodoo.errors import OptionError, PluginFault, PluginNotAllowed
from hoodoo.plugin.base import RuleMembers
from hoodoo.plugin.completion import completed
from hoodoo.plugin.installed.allow_list import VARIABLE, allowed_by, allowed_by_environment
from hoodoo.plugin.installed.class_members import is_pairs
from hoodoo.plugin.installed.entry_points import DeclaredPlugin, Directory
from hoodoo.plugin.installed.families import FAMILIES, family_of
from hoodoo.plugin.installed.info import PluginInfo
from hoodoo.plugin.installed.loader import PluginClass, PluginHook, load
from hoodoo.plugin.installed.plugin_spec import PluginSpec, ShippedPlugin, digest_of
from hoodoo.plugin.installed.suggestions import unknown_plugin
from hoodoo.plugin.installed.undeclared import undeclared_plugins

__all__ = ["Catalogue", "PluginClass", "PluginHook", "PluginInfo", "PluginSpec", "default_catalogue"]


@define(eq=False, init=False)
class Catalogue:
    """Installed plugins by family and name.

    Names are not case-sensitive, and `-` is equal to `_`. Aliases (Hudi's class names, merge modes, strategy ids) are
    names as well, and a Java class is also found without its package.
    """

    _directory: Directory
    _allow: tuple[str, ...] | None
    _scans: bool
    _loaded: dict[PluginInfo, PluginClass | PluginHook] = field(factory=dict)

    def __init__(self, entry_points: Iterable[EntryPoint] | None = None, allow: Iterable[str] | None = None) -> None:
        """Read the metadata of installed distributions.

        Args:
            entry_points: Entry points to read; by default all entry points of this Python environment.
            allow: An allow-list in addition to that of the environment variable HOODOO_PLUGINS; None for no other list.
        """
        scans = entry_points is None
        self.__attrs_init__(
            _scan() if entry_points is None else Directory.of(entry_points),
            None if allow is None else tuple(allow),
            scans,
        )

    def list(self, family: str | None = None) -> list[PluginInfo]:
        """Return the installed plugins, sorted by family and name; nothing is imported.

        The list includes plugins that the allow-list excludes, and all plugins that have the same name.

        Raises:
            OptionError: There is no such family.
        """
        return self._directory.infos(None if family is None else family_of(family).name)

    def find(self, family: str, name: str) -> PluginInfo:
        """Return the plugin of this name or alias; nothing is imported.

        Raises:
            UnknownPlugin: No plugin of this name is installed.
            AmbiguousPlugin: Several plugins have the name.
            BrokenPlugin: The name is an alias of a module that its distribution does not declare as a plugin.
            OptionError: There is no such family.
        """
        return self._entry(family, name).info

    def found(self, family: str, name: str) -> PluginInfo | None:
        """Return the plugin of this name or alias, or None if there is none; nothing is imported.

        Unlike `find`, this method does not read the metadata again to find distributions that were installed later.

        Raises:
            AmbiguousPlugin: Several plugins have the name.
            BrokenPlugin: The name is an alias of a module that its distribution does not declare as a plugin.
            OptionError: There is no such family.
        """
        entry = self._directory.find(family_of(family).name, name)
        return None if entry is None else entry.info

    def allows(self, info: PluginInfo) -> bool:
        """Return whether the allow-lists permit the plugin.

        Raises:
            OptionError: An entry of an allow-list names a family that does not exist.
        """
        return allowed_by_environment(info) and (self._allow is None or allowed_by(self._allow, info))

    def load(self, family: str, name: str) -> PluginClass:
        """Import the plugin of this name and no other, in a family whose hook returns a class.

        Raises:
            PluginError: As `imported`.
            OptionError: As `imported`, or the plugin is a commit hook.
        """
        plugin = self.imported(family, name)
        if not isinstance(plugin, PluginClass):
            raise OptionError(f"{plugin.info.label} is a commit hook; name it in pre_commit or post_commit")
        return plugin

    def hook(self, family: str, name: str) -> PluginHook:
        """Import the plugin of this name and no other, in a family whose hook is called with every commit.

        Raises:
            PluginError: As `imported`.
            OptionError: As `imported`, or the plugin is not a commit hook.
        """
        plugin = self.imported(family, name)
        if not isinstance(plugin, PluginHook):
            raise OptionError(f"{plugin.info.label} is not a commit hook: its hook returns a class; name a commit hook")
        return plugin

    def imported(self, family: str, name: str) -> PluginClass | PluginHook:
        """Import the plugin of this name and no other.

        Raises:
            UnknownPlugin: No plugin of this name is installed.
            AmbiguousPlugin: Several plugins have the name.
            PluginNotAllowed: An allow-list excludes the plugin.
            BrokenPlugin: The plugin is installed and cannot be loaded, or the name is an alias of a module that its
                distribution does not declare as a plugin.
            OptionError: There is no such family, or an entry of an allow-list names one that does not exist.
        """
        entry = self._entry(family, name)
        info = entry.info
        if not self.allows(info):
            raise PluginNotAllowed(
                f"{info.label} is installed, and an allow-list excludes it; add "
                f"'{info.family}:{info.name}' to {VARIABLE} if it is set, and to the catalogue's `allow` if it is given"
            )
        if info not in self._loaded:
            self._loaded[info] = load(entry)
        return self._loaded[info]

    def make(self, family: str, name: str, options: Mapping[str, Any]) -> Any:
        """Return an instance of the plugin.

        Args:
            family: `payload`, `merger`, `keygen`, `delete`, `aggregate`, `lock` or `catalog`.
            name: The plugin's name or an alias.
            options: Values by option name or `hoodie.*` key; strings are converted to the options' types.

        Raises:
            PluginError: As `load`, or the constructor of the plugin raised an error (`PluginFault`).
            UnknownOption: The plugin has no such option.
            OptionError: As `load`, an option has an invalid value, or a required option is missing.
        """
        return self.load(family, name).make(options)

    def spec(self, family: str, name: str, options: Mapping[str, Any]) -> PluginSpec:
        """Return the specification of a plugin with its options for executors; an instance is made as a check.

        Raises:
            PluginError: As `make`, `uses` has another form than pairs of names, or, as `find`, for a plugin in `uses`.
            OptionError: As `make`, JSON cannot hold the value of an option, or `uses` names a family that does not
                exist.
        """
        plugin = self.load(family, name)
        instance = plugin.make(options)
        info, values = plugin.info, plugin.convert(options)
        defaults = {option.name: option.default for option in plugin.options if not option.required}
        differing = {
            key: _plain(info, key, value)
            for key, value in sorted(values.items())
            if key not in defaults or defaults[key] != value
        }
        digest = digest_of(info.family, info.name, differing)
        rule = family_of(info.family).base
        uses = completed(instance, RuleMembers).uses if rule is not None and issubclass(rule, RuleMembers) else ()
        if not is_pairs(uses):
            raise PluginFault(
                f"{info.label} must declare `uses` as a tuple of pairs of family and name, such as "
                f"(('aggregate', 'acme-function'),), got {type(uses).__name__}"
            )
        found = [self.find(*used) for used in uses]
        shipped = tuple(ShippedPlugin(used.family, used.name, used.version, used.distribution) for used in found)
        return PluginSpec(info.family, info.name, info.version, info.distribution, differing, digest, shipped)

    def _entry(self, family: str, name: str) -> DeclaredPlugin:
        family = family_of(family).name
        found = self._directory.find(family, name)
        if found is None and self._scans:
            # a user may install a missing plugin and retry in the same process, in a notebook for example
            importlib.invalidate_caches()
            self._directory = _scan()
            found = self._directory.find(family, name)
        if found is None:
            undeclared = undeclared_plugins() if self._scans else ()
            raise unknown_plugin(name, self._directory.infos(), family, undeclared)
        return found


@functools.cache
def default_catalogue() -> Catalogue:
    """Return the catalogue of this Python environment."""
    return Catalogue()


def _scan() -> Directory:
    groups = [group for family in FAMILIES.values() for group in (family.group, family.alias_group)]
    installed = entry_points()  # each call reads the metadata of everything that is installed
    return Directory.of(point for group in groups for point in installed.select(group=group))


def _plain(info: PluginInfo, key: str, value: Any) -> Any:
    try:
        return json.loads(json.dumps(value))
    except (TypeError, ValueError) as error:
        raise OptionError(
            f"option '{key}' of {info.label} cannot be sent to executors: {error}; use a value that JSON can hold"
        ) from None
