"""The recipes of docs/cookbook, built as wheels and unpacked into a folder, as `pip install --target` does."""

from __future__ import annotations

import contextlib
import zipfile
from pathlib import Path

from flit_core import buildapi

from .pages import COOKBOOK, RECIPES

__all__ = ["install"]


def install(site: Path) -> Path:
    """Build each recipe with the backend that its project file names, unpack them into a folder, and return it."""
    wheels = site.with_name(f"{site.name}-wheels")
    wheels.mkdir(parents=True)
    for name in RECIPES:
        with contextlib.chdir(COOKBOOK / name):
            wheel = wheels / buildapi.build_wheel(str(wheels))
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(site)
    return site
