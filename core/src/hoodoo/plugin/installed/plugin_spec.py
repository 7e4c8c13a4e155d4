"""Specification of a plugin for executors: name, version and options, from which an executor makes an instance."""

from __future__ import annotations

import hashlib
import json
import platform
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from attrs import asdict, frozen
from packaging.utils import canonicalize_name

from hoodoo.errors import BrokenPlugin, PluginError
from hoodoo.plugin.installed.info import describe

if TYPE_CHECKING:
    from hoodoo.plugin.installed.catalogue import Catalogue
    from hoodoo.plugin.installed.loader import PluginClass

__all__ = ["PluginSpec", "ShippedPlugin", "digest_of"]


@frozen
class ShippedPlugin:
    """Plugin with the distribution and version that an executor must have."""

    family: str
    name: str
    version: str
    distribution: str

    @property
    def label(self) -> str:
        """Return the name of the plugin for messages, with its distribution and version."""
        return describe(self.family, self.name, self.distribution, self.version)

    def load(self, catalogue: Catalogue, chosen: str) -> PluginClass:
        """Return the plugin of this Python environment with the same name, distribution and version.

        Args:
            catalogue: Catalogue of this environment.
            chosen: Phrase for messages about the option that selected the plugin; "" for none.

        Raises:
            UnknownPlugin: The plugin is not installed in this Python environment.
            AmbiguousPlugin: Several plugins of this environment have the name.
            BrokenPlugin: Another distribution or version of the plugin is installed here, or it cannot be loaded.
            PluginNotAllowed: An allow-list of this process excludes the plugin.
            OptionError: An entry of an allow-list names a family that does not exist.
        """
        try:
            plugin = catalogue.load(self.family, self.name)
        except PluginError as error:
            raise type(error)(self._explained(chosen, str(error)), code=error.code) from error
        found = plugin.info
        same = canonicalize_name(found.distribution) == canonicalize_name(self.distribution)
        if not same or found.version != self.version:
            reason = f"{found.distribution} {found.version} is installed there"
            raise BrokenPlugin(self._explained(chosen, reason))
        return plugin

    def _explained(self, chosen: str, reason: str) -> str:
        process = f"the Python process on host {platform.node()} ({sys.executable})"
        return (
            f"{self.label} was chosen{chosen}, and {process} cannot run it: {reason}; "
            f"the process needs this version: pip install {self.distribution}=={self.version}"
        )


@frozen
class PluginSpec(ShippedPlugin):
    """Specification of a plugin with its options.

    `options` are those whose values are not the defaults, in JSON's types. `digest` is the SHA-256 of family, name and
    options. `uses` are the plugins that the options select.
    """

    options: Mapping[str, Any]
    digest: str
    uses: tuple[ShippedPlugin, ...] = ()

    def to_json(self) -> str:
        """Return the specification as JSON text; `from_json` is the inverse."""
        return json.dumps(asdict(self), sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> PluginSpec:
        """Return the specification in a text that `to_json` wrote."""
        value = json.loads(text)
        return cls(**{**value, "uses": tuple(ShippedPlugin(**used) for used in value["uses"])})

    def resolve(self, catalogue: Catalogue | None = None) -> Any:
        """Return an instance of the plugin that is installed here; the plugins that it uses must be installed too.

        Raises:
            PluginError: As `load`, for the plugin or for one that it uses, or the plugin's constructor raised an error.
            OptionError: As `load`, or the plugin does not accept the options.
        """
        # the catalogue imports this module
        from hoodoo.plugin.installed.catalogue import default_catalogue

        catalogue = catalogue or default_catalogue()
        plugin = self.load(catalogue, "")
        for used in self.uses:
            used.load(catalogue, f" by an option of {self.label}")
        return plugin.make(self.options)


def digest_of(family: str, name: str, options: Mapping[str, Any]) -> str:
    """Return the SHA-256, in hex, of the family, name and options of a plugin."""
    text = json.dumps([family, name, options], sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
