"""Test of each plugin with the core and nothing else installed: `tox -e alone [-- plugins/merger/event-time ...]`.

Each distribution is installed into a folder of its own, from which only its tests import: the running environment must
contain the core and no plugin. An import that a distribution does not declare fails here. Distributions of this
checkout that it depends on, or that its extra `test` names, are installed into the same folder. Distributions that
depend on packages of other projects come last, one after the other, because these packages are installed into the
environment.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import tomllib
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
NO_PIP_NOISE = ("--quiet", "--disable-pip-version-check", "--root-user-action=ignore")


def main(arguments: list[str]) -> int:
    """Test the distributions in the given folders, by default all, and return the exit code.

    It is 0 if all passed, 1 if any failed, and 2 if there is nothing to test or the environment contains plugins.
    """
    strays = sorted({name for name in installed() if name.startswith("hoodoo-") and name != "hoodoo-core"})
    if strays:
        print(f"these plugins are installed already, use an environment without them: {', '.join(strays)}")
        return 2
    folders = [Path(argument).resolve() for argument in arguments]
    folders = folders or [
        file.parent
        for pattern in ("plugins/*/*/pyproject.toml", "contrib/*/pyproject.toml")
        for file in sorted(ROOT.glob(pattern))
    ]
    if not folders:
        print(f"no folder of a distribution under {ROOT}")
        return 2
    needs = {folder: packages_of_others(folder) for folder in folders}
    # distributions that need the same environment are tested at the same time
    first = [folder for folder in folders if not needs[folder]]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        passed = dict(zip(first, pool.map(passes, first), strict=True))
    for folder in (folder for folder in folders if needs[folder]):
        passed[folder] = run("pip", "install", *NO_PIP_NOISE, *needs[folder]) and passes(folder)
    failed = [folder for folder in folders if not passed[folder]]
    for folder in failed:
        print(f"FAILED {folder}")
    print(f"{len(folders) - len(failed)} distributions passed alone, {len(failed)} failed")
    return 1 if failed else 0


def installed() -> list[str]:
    return [distribution.metadata["Name"].lower() for distribution in distributions()]


def project(folder: Path) -> dict[str, Any]:
    """Return the table `project` of a distribution's pyproject.toml."""
    return tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]  # type: ignore[no-any-return]


@cache
def folders_by_name() -> dict[str, Path]:
    """Return the folders of the distributions under plugins, by the names of the distributions."""
    return {project(file.parent)["name"]: file.parent for file in sorted(ROOT.glob("plugins/*/*/pyproject.toml"))}


def needed_folders(folder: Path) -> list[Path]:
    """Return a distribution and the others of this checkout that it or its tests depend on, directly or not."""
    found, missing = [folder], [*requirements(folder), *extra_test(folder)]
    while missing:
        other = folders_by_name().get(name_of(missing.pop()))
        if other is not None and other not in found:
            found.append(other)
            missing += requirements(other)
    return found


def packages_of_others(folder: Path) -> list[str]:
    """Return the requirements of a distribution and of those that it needs, except distributions of this checkout."""
    named = [requirement for needed in needed_folders(folder) for requirement in requirements(needed)]
    return sorted({name for name in (*named, *extra_test(folder)) if not name.startswith("hoodoo-")})


def requirements(folder: Path) -> list[str]:
    return list(project(folder)["dependencies"])


def extra_test(folder: Path) -> list[str]:
    return list(project(folder).get("optional-dependencies", {}).get("test", []))


def name_of(requirement: str) -> str:
    """Return the name of the distribution in a requirement such as `hoodoo-core>=0.1,<1`."""
    return re.match(r"[\w.-]+", requirement)[0]  # type: ignore[index]


def passes(folder: Path) -> bool:
    """Install one distribution alone and run its tests; return whether both succeeded."""
    with tempfile.TemporaryDirectory() as place:
        own = [str(needed) for needed in reversed(needed_folders(folder))]
        # uv takes a third of pip's time; nothing is downloaded here, so pip's settings do not matter
        install = ("uv", "pip", "install", "--quiet", "--offline", "--no-build-isolation", "--no-deps")
        into = ("--python", sys.executable, "--target", place)
        return run(*install, *into, *own) and run("pytest", "-q", "-p", "no:cacheprovider", str(folder), place=place)


def run(module: str, *arguments: str, place: str | None = None) -> bool:
    """Run a module, print its output in one piece, and return whether it succeeded.

    `place` is a folder of distributions that the module may import in addition to those of the environment.
    """
    environment = os.environ | ({"PYTHONPATH": place} if place else {})
    done = subprocess.run(
        [sys.executable, "-m", module, *arguments],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    print(f"--- {module} {arguments[-1]}\n{done.stdout}", end="", flush=True)
    return done.returncode == 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
