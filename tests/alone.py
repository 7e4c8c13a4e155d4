"""Test each plugin with the core and nothing else installed: `tox -e alone [-- plugins/merger/event-time ...]`.

Each distribution is installed into a folder of its own, which its tests alone see: the running environment must hold
the core and no plugin. An import that a distribution does not declare fails here. Other distributions of this checkout
that its extra `test` names are put beside it. Those that need more than the core, for themselves or in that extra, come
last, one after the other, because what they depend on goes into the environment and stays.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import tomllib
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
NO_PIP_NOISE = ("--quiet", "--disable-pip-version-check", "--root-user-action=ignore")


def main(arguments: list[str]) -> int:
    """Test the given plugin folders, all by default; 1 if one failed."""
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
    needs = {folder: beyond_the_core(folder) + for_tests(folder) for folder in folders}
    # what fits beside each other is tested at the same time
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
    """What the pyproject.toml of a distribution says of it."""
    return tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]  # type: ignore[no-any-return]


def beyond_the_core(folder: Path) -> list[str]:
    """What a distribution depends on, but for the core."""
    return [dependency for dependency in project(folder)["dependencies"] if not dependency.startswith("hoodoo-core")]


def beside(folder: Path) -> list[str]:
    """The folders of other distributions that the tests of one need."""
    named = in_extra_test(folder)
    return [
        str(path.parent)
        for path in sorted(ROOT.glob("plugins/*/*/pyproject.toml"))
        if project(path.parent)["name"] in named
    ]


def for_tests(folder: Path) -> list[str]:
    """List the packages that the tests of a distribution need besides their own."""
    return [dependency for dependency in in_extra_test(folder) if not dependency.startswith("hoodoo-")]


def in_extra_test(folder: Path) -> list[str]:
    return list(project(folder).get("optional-dependencies", {}).get("test", []))


def passes(folder: Path) -> bool:
    """Install one distribution for itself and run its tests."""
    with tempfile.TemporaryDirectory() as place:
        own = (*beside(folder), str(folder))
        # uv takes a third of pip's time; nothing is downloaded here, so pip's settings do not matter
        install = ("uv", "pip", "install", "--quiet", "--offline", "--no-build-isolation", "--no-deps")
        into = ("--python", sys.executable, "--target", place)
        return run(*install, *into, *own) and run("pytest", "-q", "-p", "no:cacheprovider", str(folder), place=place)


def run(module: str, *arguments: str, place: str | None = None) -> bool:
    """Run a module, with a folder of installed distributions; what it says comes in one piece."""
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
