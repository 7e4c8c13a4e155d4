"""The distributions of the checkout, their folders and names."""

from __future__ import annotations

import ast
import tomllib
from pathlib import Path
from typing import Any

__all__ = ["ROOT", "built_in", "contributed", "folders", "module_file", "name_of", "sentence"]

ROOT = Path(__file__).resolve().parents[3]
LIBRARY = "library"


def built_in(root: Path = ROOT) -> list[Path]:
    """Return the folders of libraries and plugins, which `hoodoo` requires."""
    return [file.parent for file in sorted(root.glob("plugins/*/*/pyproject.toml"))]


def contributed(root: Path = ROOT) -> list[Path]:
    """Return the folders of distributions by other owners, which `hoodoo` does not require."""
    return [file.parent for file in sorted(root.glob("contrib/*/pyproject.toml"))]


def folders(root: Path = ROOT) -> list[Path]:
    """Return the folders of all distributions: `hoodoo` itself, the core, and all others."""
    return [root, root / "core", *built_in(root), *contributed(root)]


def project(folder: Path) -> dict[str, Any]:
    """Return the table `project` of a distribution."""
    found: dict[str, Any] = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return found


def name_of(folder: Path) -> str:
    """Return the name of the distribution in a folder."""
    name: str = project(folder)["name"]
    return name


def module_file(folder: Path) -> Path:
    """Return the module with the version of a plugin, library or contributed distribution."""
    module = folder / "src" / name_of(folder).replace("-", "_")
    return module / "__init__.py" if module.is_dir() else module.with_suffix(".py")


def sentence(folder: Path) -> str:
    """Return the first line of the docstring of a distribution's module; "" if it has none."""
    docstring = ast.get_docstring(ast.parse(module_file(folder).read_text(encoding="utf-8")))
    return (docstring or "").partition("\n")[0]
