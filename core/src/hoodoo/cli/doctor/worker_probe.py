"""Script for a Python that Spark's workers may use: it prints the version, packages and `pyspark_*` modules as JSON.

Its source is passed to `python -c`. It needs only the standard library. It imports all top-level modules whose names
begin with `pyspark_`, as Spark does when it searches for data sources.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
from importlib import import_module
from importlib.metadata import distributions
from pkgutil import iter_modules

__all__ = ["inspect_python"]


def inspect_python() -> dict[str, object]:
    """Return the version, prefix, installed distributions, and data source modules of this Python."""
    modules = []
    for info in iter_modules():
        if not info.name.startswith("pyspark_"):
            continue
        folder = getattr(info.module_finder, "path", "")
        found = {"name": info.name, "folder": os.path.abspath(folder), "format": "", "error": ""}  # noqa: PTH100
        try:
            source = getattr(import_module(info.name), "DefaultSource", None)
            found["format"] = "" if source is None else str(source.name())
        except BaseException as error:  # noqa: BLE001 - a module may even call sys.exit; the command reports it
            found["error"] = f"{type(error).__name__}: {error}"
        modules.append(found)
    return {
        "version": list(sys.version_info[:3]),
        "prefix": sys.prefix,
        "distributions": {str(each.metadata["Name"]): str(each.version) for each in distributions()},
        "modules": modules,
    }


if __name__ == "__main__":
    with contextlib.redirect_stdout(sys.stderr):
        answer = inspect_python()
    print("\n" + json.dumps(answer))
