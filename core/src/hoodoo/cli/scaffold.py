"""Files of a new plugin's distribution, rendered from templates."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Any

from attrs import frozen

from hoodoo.__about__ import __version__
from hoodoo.errors import OptionError, UnknownPlugin
from hoodoo.options import default_plugins
from hoodoo.plugin import Catalogue
from hoodoo.plugin.installed.families import family_of
from hoodoo.plugin.installed.names import normalised, spellings
from hoodoo.plugin.installed.official import distribution_name, known_names

__all__ = ["NewPlugin"]

_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_SUFFIXES = {
    "payload": "Payload",
    "merger": "Merger",
    "keygen": "KeyGenerator",
    "delete": "DeleteRule",
    "aggregate": "Function",
    "lock": "Lock",
    "catalog": "Catalog",
}


@frozen
class NewPlugin:
    """Family and name of a plugin to create, from which all other names are made."""

    family: str
    name: str

    @classmethod
    def of(cls, family: str, name: str, catalogue: Catalogue) -> NewPlugin:
        """Return the plugin with this name.

        Raises:
            OptionError: The family does not exist, or the name is invalid or already that of another plugin.
            PluginError: Several installed plugins have the name, or it is an alias that no declared plugin has.
        """
        noun = family_of(family).noun
        if not _NAME.fullmatch(name):
            near = re.sub(r"[^a-z0-9]+", "-", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", name).lower()).strip("-")
            hint = f"; try '{near}'" if _NAME.fullmatch(near) else ""
            raise OptionError(
                f"'{name}' cannot be the name of a plugin: use lower-case letters and digits, in words with single "
                f"hyphens between them, and begin with a letter{hint}"
            )
        new = cls(family, name)
        for known, plugin in known_names(family):
            if normalised(name) in spellings(known):
                raise OptionError(f"'{name}' is a name of the official {noun} '{plugin}'; choose another name")
        try:
            info = catalogue.find(family, name)
        except UnknownPlugin:
            return new
        if info.distribution != new.distribution:
            raise OptionError(f"{noun} '{name}' of {info.distribution} is installed; choose another name")
        return new

    @property
    def distribution(self) -> str:
        """Return the name of the distribution for `pip install`."""
        return distribution_name(self.family, self.name).replace("_", "-")

    @property
    def module(self) -> str:
        """Return the name of the plugin's module."""
        return self.distribution.replace("-", "_")

    @property
    def class_name(self) -> str:
        """Return the name of the plugin's class, which commit hooks do not use.

        The suffix of the family avoids the names of imported modules and classes.
        """
        return "".join(word.capitalize() for word in self.name.split("-")) + _SUFFIXES.get(self.family, "")

    @property
    def options(self) -> Mapping[str, Any]:
        """Return the options of a write that select the plugin."""
        if self.family == "aggregate":
            return {
                "merger": default_plugins.MERGER_OF_FUNCTIONS,
                "merger_options": {"fields": {"COLUMN": {"agg": self.name}}},
            }
        return {family_of(self.family).option or self.family: self.name}

    def files(self) -> Mapping[str, str]:
        """Return the text of each file, by its path in the folder of the distribution."""
        templates = {
            "pyproject.toml": "pyproject.toml",
            "README.md": "README.md",
            f"src/{self.module}.py": f"{self.family}.py",
            f"tests/{self.module.replace('hoodoo_', 'test_', 1)}.py": f"{self.family}_test.py",
        }
        return {path: self._rendered(template) for path, template in templates.items()}

    def write(self, folder: Path) -> list[Path]:
        """Write the files into a folder that does not exist or is empty, and return their paths.

        Raises:
            OptionError: The folder has files, or the path is a file.
        """
        if folder.exists() and not (folder.is_dir() and not any(folder.iterdir())):
            raise OptionError(f"'{folder}' exists already and is not overwritten; choose another --folder")
        written = []
        for path, text in self.files().items():
            file = folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
            written.append(file)
        return written

    def _rendered(self, template: str) -> str:
        text = files("hoodoo.cli").joinpath("templates", f"{template}.template").read_text(encoding="utf-8")
        major, minor, *_ = __version__.split(".")
        return Template(text).substitute(
            family=self.family,
            noun=family_of(self.family).noun,
            name=self.name,
            distribution=self.distribution,
            module=self.module,
            class_name=self.class_name,
            options=json.dumps(self.options),
            bound=f">={major}.{minor},<{int(major) + 1}",
        )
