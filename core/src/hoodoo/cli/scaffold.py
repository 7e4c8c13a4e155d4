"""A new plugin as a complete distribution: the text of its files, rendered from templates."""

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
from hoodoo.options import defaults
from hoodoo.plugin import Catalogue
from hoodoo.plugin.catalog.families import family_of
from hoodoo.plugin.catalog.names import normalised, spellings
from hoodoo.plugin.catalog.official import IN_CORE, distribution_name, known_names

__all__ = ["NewPlugin"]

_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_SUFFIXES = {
    "payload": "Payload",
    "merger": "Merger",
    "keygen": "KeyGenerator",
    "delete": "DeleteRule",
    "aggregate": "Function",
    "lock": "Lock",
}


@frozen
class NewPlugin:
    """A plugin that is about to be written."""

    family: str
    name: str

    @classmethod
    def of(cls, family: str, name: str, catalogue: Catalogue) -> NewPlugin:
        """The plugin of this name, if it can have it.

        Raises:
            OptionError: no such family, no name for a plugin, or one that somebody else's plugin has.
        """
        noun = family_of(family).noun
        if normalised(name) in IN_CORE.get(family, ()):
            raise OptionError(f"'{name}' is a built-in {noun}; choose another name")
        if not _NAME.fullmatch(name):
            near = re.sub(r"[^a-z0-9]+", "-", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", name).lower()).strip("-")
            hint = f"; try '{near}'" if _NAME.fullmatch(near) else ""
            raise OptionError(
                f"'{name}' cannot be the name of a plugin: lower-case letters and digits, in words with single hyphens "
                f"between them, that begin with a letter{hint}"
            )
        new = cls(family, name)
        for known, plugin in known_names(family):
            if normalised(name) in spellings(known):
                raise OptionError(f"'{name}' means the official {noun} '{plugin}'; choose another name")
        try:
            info = catalogue.find(family, name)
        except UnknownPlugin:
            return new
        if info.distribution != new.distribution:
            raise OptionError(f"'{name}' is the {noun} of {info.distribution}, which is installed; choose another name")
        return new

    @property
    def distribution(self) -> str:
        """What `pip install` calls it."""
        return distribution_name(self.family, self.name).replace("_", "-")

    @property
    def module(self) -> str:
        """What Python imports."""
        return self.distribution.replace("-", "_")

    @property
    def class_name(self) -> str:
        """The class, of a family that has one; the suffix keeps it from being called like anything that is imported."""
        return "".join(word.capitalize() for word in self.name.split("-")) + _SUFFIXES.get(self.family, "")

    @property
    def options(self) -> Mapping[str, Any]:
        """The options of a write that choose it."""
        if self.family == "aggregate":
            return {
                "merger": defaults.MERGER_OF_FUNCTIONS,
                "merger_options": {"fields": {"COLUMN": {"agg": self.name}}},
            }
        return {family_of(self.family).option or self.family: self.name}

    def files(self) -> Mapping[str, str]:
        """Paths within the distribution's folder, with the text of each file."""
        templates = {
            "pyproject.toml": "pyproject.toml",
            "README.md": "README.md",
            f"src/{self.module}.py": f"{self.family}.py",
            f"tests/{self.module.replace('hoodoo_', 'test_', 1)}.py": f"{self.family}_test.py",
        }
        return {path: self._rendered(template) for path, template in templates.items()}

    def write(self, folder: Path) -> list[Path]:
        """Write the files into a folder that does not exist or is empty; their paths.

        Raises:
            OptionError: there is something at the path.
        """
        if folder.exists() and not (folder.is_dir() and not any(folder.iterdir())):
            raise OptionError(f"'{folder}' exists already, and nothing is overwritten; choose another --folder")
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
